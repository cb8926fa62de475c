"""What A1 and A2 make of a function keeps what B5 has to see: the same saturations and roundings are found before and after them."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.parser import Parser

from lift.ir.operations import context, functions, walk
from lift.passes import PASSES, run_passes
from lift.prove import Prover

EXAMPLES = sorted((Path(__file__).parents[2] / "filecheck" / "b5-detect-clamp").glob("*.mlir"))
ATTRIBUTES = ("tensorlift.clamp", "tensorlift.relu", "tensorlift.round")
PROVER = Prover()


def found(text: str, *names: str) -> dict[str, list[str]]:
    """The annotations of each function, sorted, after these passes."""
    module = Parser(context(), text).parse_module()
    run_passes(module, [kind() for kind in PASSES if kind.name[:2] in names], PROVER)
    return {
        f.sym_name.data: sorted(f"{name} = {op.attributes[name]}" for op in walk(f.body.block) for name in ATTRIBUTES if name in op.attributes)
        for f in functions(module)
    }


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_saturations_and_roundings_survive_canonicalisation(file: Path) -> None:
    text = file.read_text()
    assert found(text, "a1", "a2", "b5") == found(text, "b5")


def test_there_is_something_to_find() -> None:
    assert sum(bool(each) for file in EXAMPLES for each in found(file.read_text(), "b5").values()) > 30
