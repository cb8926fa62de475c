"""Whatever is done to a text, it is read or refused with its place: there is no other way out."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from act.errors import UserError
from act.hlo import flatten, parse_module, print_module
from act.taidl import load, parse, print_text

HERE = Path(__file__).parent
TAIDL = [(HERE / "taidl" / "forms.taidl").read_text()]
HLO = [path.read_text() for path in sorted((HERE.parent / "errors" / "hlo").glob("*.hlo"))] + [(HERE / "hlo" / "golden" / "kernel.hlo").read_text()]
STRANGE = "0 -1 99999999999 { } ( ) [ ] ` % x ROOT if for u8 f32 nan inf << / = , ; pred s65 do body".split()


def damaged(texts: list[str], seed: int) -> str:
    """One of the texts with up to three of its words lost, repeated or replaced."""
    random = Random(seed)
    words = re.findall(r"\s+|\w+|.", random.choice(texts), re.DOTALL) + [" "] * 4
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(words))
        words[at : at + 1] = random.choice([[], [words[at], random.choice(words)], [random.choice(words)], [random.choice(STRANGE)]])
    return "".join(words)


def read_taidl(text: str) -> None:
    accelerator = parse(text)
    assert parse(print_text(accelerator)) == accelerator
    load(text)


def read_hlo(text: str) -> None:
    module = parse_module(text)
    assert parse_module(print_module(module)) == module
    flatten(module)


@pytest.mark.parametrize(("texts", "read"), [(TAIDL, read_taidl), (HLO, read_hlo)], ids=["taidl", "hlo"])
def test_damaged_text_is_read_or_refused(texts, read):
    refused = 0
    for seed in range(200):
        text = damaged(texts, seed)
        try:
            read(text)
        except UserError:
            refused += 1
        except Exception as error:
            raise AssertionError(text) from error
    assert refused > 100
