"""The examples of the reference manual hold, and it names every declaration and clause."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from act.taidl import load, parse
from act.taidl.clauses import CLAUSES, DECLARATIONS

MANUAL = (Path(__file__).parents[3] / "docs" / "taidl.md").read_text()
EXAMPLES = re.findall(r"```taidl\n(.*?)```", MANUAL, re.DOTALL)
SCRIPTS = re.findall(r"```python\n(.*?)```", MANUAL, re.DOTALL)


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: parse(text).name)
def test_an_example_is_a_description_that_holds(text: str) -> None:
    assert load(text, "docs/taidl.md").instructions


@pytest.mark.parametrize("text", SCRIPTS)
def test_a_script_describes_an_instruction_set(text: str) -> None:
    variables: dict = {}
    exec(text, variables)
    assert variables["form"].omitted == () and "instruction load(n | addr_in, addr_out)" in variables["text"]


@pytest.mark.parametrize("word", sorted(CLAUSES | DECLARATIONS))
def test_every_word_of_the_language_is_explained_and_shown(word: str) -> None:
    assert f"`{word}`" in MANUAL
    assert any(re.search(rf"^\s*{word}\b", example, re.MULTILINE) for example in EXAMPLES) or word in ("source", "opaque", "config")
