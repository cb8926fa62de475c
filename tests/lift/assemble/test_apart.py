"""Operands that the same instruction may have overwritten: said where they are not, and that is where the RTL does what is said."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from act.oracle import Machine, MachineError
from act.taidl import Accelerator, Name, names, print_text
from act.taidl.encode import encode
from lift.netlist.simulate import Simulator
from lift.options import Options
from lift.pipeline import lift as run
from lift.progress import Progress
from lift.unroll.extract import Lift
from lift.unroll.machine import with_deep_recursion
from tests.specification import lifted

MOVES = Path(__file__).parents[1] / "designs/moves/Moves.v"
MOST = 64  # cycles
Design = tuple[Lift, Accelerator]


@pytest.fixture(scope="module", name="moves")
def fixture_moves() -> Design:
    lift, accelerator, opaque = lifted(MOVES, "Moves")
    assert not opaque
    return lift, accelerator


@pytest.fixture(scope="module", name="tiles")
def fixture_tiles() -> Design:
    lift, accelerator, opaque = lifted(MOVES.parents[1] / "tiles", "Tiles")
    assert not opaque
    return lift, accelerator


def executed(lift: Lift, before: list[int], words: dict[str, int]) -> list[int]:
    """What the RTL leaves in the memory."""
    simulator = Simulator(lift.unit.machine.netlist)
    simulator.step({"reset": 1})
    simulator.memories["bytes"] = list(before)
    simulator.step({"cmd_valid": 1, **{w if w.startswith("cmd_") else f"cmd_{w}": v for w, v in words.items()}})
    for _ in range(MOST):
        if simulator.step({})["cmd_ready"]:
            return simulator.memories["bytes"]
    raise AssertionError("not ready for the next command")


def differing(lift: Lift, accelerator: Accelerator, name: str, commands: int) -> tuple[int, int]:
    """How many random commands are admitted, and for how many of them the RTL does something else."""
    draw, admitted, different = random.Random(name), 0, 0
    for seed in range(commands):
        machine = Machine(accelerator, seed=seed)
        fields = {f.value.name: f.high - f.low + 1 for f in accelerator.instructions[name].encode if isinstance(f.value, Name)}
        attributes = {a: draw.randrange(1, 1 << min(bits, 3)) for a, bits in fields.items()}
        before = [int(b) for b in machine.buffers["bytes"]]
        try:
            machine.step(name, attributes)
        except MachineError:
            continue
        admitted += 1
        different += executed(lift, before, dict(encode(accelerator, name, attributes))) != [int(b) for b in machine.buffers["bytes"]]
    return admitted, different


NAMES = ["op_0", "down", "shift", "scale"]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_of_ranges_that_lie_apart_is_what_the_rtl_does(moves: Design, name: str) -> None:
    admitted, different = differing(*moves, name, 100)
    assert admitted > 5
    assert different == 0


@pytest.mark.parametrize("name", NAMES)
def test_where_they_do_not_it_does_something_else(moves: Design, name: str) -> None:
    lift, accelerator = moves
    each = accelerator.instructions[name]
    anywhere = replace(each, when=tuple(w for w in each.when if not {"target", "source_0"} & names(w) and name != "shift"))
    wrong = replace(accelerator, instructions={**accelerator.instructions, name: anywhere})
    assert anywhere != each
    assert differing(lift, wrong, name, 100)[1] > 5


def test_so_are_rows_of_a_tile(tiles: Design) -> None:
    (name,) = tiles[1].instructions
    admitted, different = differing(*tiles, name, 200)
    assert admitted > 20
    assert different == 0
    assert "target <= source_0 or cols + 4 * rows + source_0 <= target + 4" in print_text(tiles[1])


def left_out(folder: Path, old: str = "", new: str = "") -> dict[str, str]:
    """What is done in part only, instruction by instruction, in the design with a change."""
    text = MOVES.read_text()
    assert old in text
    (folder / "Moves.v").write_text(text.replace(old, new) if old else text)
    options = Options((folder / "Moves.v",), "Moves", folder / "moves.taidl", "moves", prove=False)
    outcome = with_deep_recursion(lambda: run(options, Progress()))
    return {line.split()[0]: line.split(" ", 1)[1] for line in outcome.shortcomings if "left out" in line or "opaque" in line}


MAY_BE_READ = "an operand may be read after the result is written to its place"


def test_what_is_left_out_is_reported(tmp_path: Path) -> None:
    found = left_out(tmp_path)
    assert found["down"] == f"is left out where not ((a[3:0] <= a[7:4]) | ((a[7:4] + a[11:8]) <= a[3:0])): {MAY_BE_READ}"
    assert found["shift"] == f"is left out where not (a[11:8] <= 1): {MAY_BE_READ}"


def test_ranges_with_other_steps_have_other_ends(tmp_path: Path) -> None:
    found = left_out(tmp_path, "source + step", "source + step + step")
    assert found["op_0"] == f"is left out where not ((a[7:4] <= a[3:0]) | ((a[3:0] + (a[11:8] * 2)) <= (a[7:4] + 1))): {MAY_BE_READ}"


def test_an_operand_of_which_nothing_is_proved_is_not_said(tmp_path: Path) -> None:
    """One element, wherever it lies, is read by all cycles."""
    found = left_out(tmp_path, "bytes[to] <= op == SCALE ? bytes[from] * factor", "bytes[to] <= op == SCALE ? bytes[target] * factor")
    assert found["scale@1.0"] == f"is opaque: {MAY_BE_READ}"
