"""Instructions that do nothing to what is computed: the one that says that a program is done, and those that only pass tokens on."""

from __future__ import annotations

import pytest

from act.generator.finish import finisher
from act.generator.messengers import messengers
from act.taidl import parse
from tests.act.backend.backends import ROOT

MICRO = (ROOT / "tests/act/backend/machines/micro.taidl").read_text()
NOP = """
instruction nop(a, b)
  on      store
  encode  word[3:0] = 12; word[4:4] = a; word[5:5] = b
  pop     computed if a == 1
  push    stored if b == 1
"""


def test_what_gives_a_register_that_nobody_uses_another_value_ends_a_program() -> None:
    found = finisher(parse(MICRO))
    assert found is not None
    assert found.name == "finish"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("set     done = 1", "set     done = 0"),
        ("set     done = 1", "set     done = wait_load"),
        ("  read    %x = out[i * nx", "  use     done == 0\n  read    %x = out[i * nx"),
        (
            "  set     done = 1\n",
            "  set     done = 1\n  write   acc[0][j : j < 4] = %v\n  body { %z = s32[] constant(0); ROOT %v = s32[4] broadcast(%z), dimensions={} }\n",
        ),
    ],
    ids=["its first value", "any value", "a register that is used", "a memory"],
)
def test_what_does_something_else_does_not(old: str, new: str) -> None:
    assert old in MICRO
    assert finisher(parse(MICRO.replace(old, new))) is None


def test_two_that_could_are_none() -> None:
    end = MICRO[MICRO.index("instruction finish(") :].replace("instruction finish(", "instruction halt(").replace("word[3:0] = 11", "word[3:0] = 12")
    assert finisher(parse(MICRO + "\n" + end)) is None


def test_a_messenger_takes_one_token_or_none_and_gives_one() -> None:
    found = {(each.instruction, each.unit, each.taken, each.given) for each in messengers(parse(MICRO + NOP))}
    assert found == {
        ("pass_on", "compute", None, "taken"), ("pass_on", "compute", "loaded", "taken"), ("pass_on", "compute", "stored", "taken"),
        ("nop", "store", None, "stored"), ("nop", "store", "computed", "stored"),
    }  # fmt: skip


@pytest.mark.parametrize("line", ["  after   store\n", "  set     done = 1\n", "  clobber acc[0][j : j < 4]\n"])
def test_what_does_anything_else_is_no_messenger(line: str) -> None:
    found = messengers(parse(MICRO + NOP.replace("  pop ", line + "  pop ")))
    assert {each.instruction for each in found} == {"pass_on"}
