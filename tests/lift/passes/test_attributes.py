"""The attributes that passes write are the closed set of docs/ir.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr
from xdsl.ir import Attribute
from xdsl.parser import Parser

from lift.ir.operations import context
from lift.passes import PASSES, run_passes
from lift.prove import Prover
from tests.lift.passes.random_ir import random_function

REPOSITORY = Path(__file__).parents[3]
DOCUMENT = (REPOSITORY / "docs" / "ir.md").read_text()
NAME = r"(?:taidl|tensorlift)\.[a-z_]+"
DOCUMENTED = set(re.findall(f"`({NAME})", DOCUMENT))
ROWS = [line for line in DOCUMENT.splitlines() if line.startswith("| ")]
PROVER = Prover()
EXAMPLES = sorted((REPOSITORY / "tests" / "filecheck").glob("*/*.mlir"))


def keys(name: str) -> set[str]:
    """The words in code marks, and in the braces of the form, of the rows about an attribute: what may be a key of its dictionary."""
    rows = " ".join(row for row in ROWS if f"`{name}" in row)
    return set(re.findall(r"[a-z_]+", " ".join(re.findall(r"`([^`]*)`", rows))))


def emitted(attributes: dict[str, Attribute]) -> list[tuple[str, Attribute]]:
    return [(name, value) for name, value in attributes.items() if not name.startswith("rtl.")]


def dictionaries(value: Attribute) -> list[DictionaryAttr]:
    match value:
        case DictionaryAttr(): return [value]
        case ArrayAttr(): return [d for entry in value for d in dictionaries(entry)]
        case _: return []


def check(module: object) -> None:
    for op in module.walk():  # type: ignore[attr-defined]
        given = emitted(op.attributes)
        if isinstance(op, func.FuncOp) and op.arg_attrs is not None:
            given += [entry for argument in op.arg_attrs for entry in emitted(argument.data)]
        for name, value in given:
            assert name in DOCUMENTED
            if name not in ("taidl.mode", "taidl.specialize"):  # their keys are names of arguments
                assert {key for d in dictionaries(value) for key in d.data} <= keys(name), name


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f"{f.parent.name}/{f.stem}")
def test_all_passes_on_the_examples_write_documented_attributes_only(file: Path) -> None:
    module = Parser(context(), file.read_text()).parse_module()
    run_passes(module, [kind() for kind in PASSES], PROVER)
    module.verify()
    check(module)


def test_all_passes_on_random_functions_write_documented_attributes_only() -> None:
    for seed in range(10):
        module = random_function(seed)
        run_passes(module, [kind() for kind in PASSES], PROVER)
        check(module)


def test_the_names_in_the_code_are_the_documented_ones() -> None:
    code = "".join(file.read_text() for file in (REPOSITORY / "lift").glob("**/*.py"))
    assert set(re.findall(f'"({NAME})"', code)) - {"tensorlift.cli"} == DOCUMENTED
