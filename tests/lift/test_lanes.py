"""Saturations of the lanes of a word are those of its elements, however they are spelled, and what the RTL does."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from act.taidl import Accelerator, print_text
from lift.crosscheck.outside import OnNetlist
from lift.crosscheck.replay import replayed
from lift.unroll.extract import Lift
from tests.specification import CheckedMachine, Reference, lifted

REQUANT = Path(__file__).parent / "designs/lanes/Requant.sv"
Design = tuple[Lift, Accelerator]

BODIES = {
    "compared": "s32 clamp(0, x, 127)",
    "tested": "s32 clamp(-128, x, 127)",
    "unsigned": "u32 clamp(0, x, 255)",
    "shifted": "s32 clamp(-128, x, 127)",
    "rounded": "s32 clamp(-128, x, 127)",
    "summed": "s33 clamp(-128, x, 127)",
    "least": "s32 minimum(x, 1000)",
    "relu": "s32 maximum(x, 0)",
}


@pytest.fixture(scope="module", name="requant")
def fixture_requant() -> Design:
    lift, accelerator, opaque = lifted(REQUANT, "Requant")
    assert not opaque
    return lift, accelerator


def bounds(accelerator: Accelerator, name: str) -> str:
    """The operation of a body that bounds something, with its constants."""
    body = accelerator.instructions[name].body
    constants = dict(re.findall(r"(%\w+) = \S+ constant\((\S+)\)", body))
    constants |= {new: constants[old] for new, old in re.findall(r"(%\w+) = .* broadcast\((%\w+)\)", body) if old in constants}
    found = re.search(r"= (\w+)\[.*\] (clamp|minimum|maximum)\((.*)\)", body)
    if found is None:
        return ""
    operands = ", ".join(constants.get(x, "x") for x in found[3].split(", "))
    return f"{found[1]} {found[2]}({operands})"


def step(design: Design, name: str, reference: Lift) -> None:
    """One command on sums near what bounds them, beside what was lifted."""
    machine = CheckedMachine(design[1], Reference(reference), {}, seed=7)
    near = [0, 1, -1, 7, 8, -8, -9, 127, 128, -128, -129, 255, 256, 999, 1000, 1001, 2032, 2047, 2048, -2049, 2**30, 2**31 - 1, -(2**31)]
    for row, numbers in ((0, near), (32, near[::-1])):
        machine.buffers["sums"][row : row + len(near)] = np.array(numbers)[:, None]
    machine.step(name, {"count": len(near), "from": 0, "to": 0 if name in ("least", "relu", "op_other") else 32})


def test_each_spelling_is_a_bound_of_the_elements(requant: Design) -> None:
    assert {name: bounds(requant[1], name) for name in BODIES} == BODIES
    assert "select" not in print_text(requant[1])


def test_nothing_is_left_out_but_what_one_command_may_read_after_it_wrote_it(requant: Design) -> None:
    assert [e.excluded for e in requant[0].unit.executions.values()] == [()] * 10
    assert {v.status for v in replayed(requant[0], OnNetlist(requant[0].unit.machine.netlist), "the simulator")} == {"tested"}


@pytest.mark.parametrize("name", [*BODIES, "widen", "op_other"])
def test_the_instruction_does_what_was_lifted(requant: Design, name: str) -> None:
    step(requant, name, requant[0])


WRONG = {
    "compared": ("x < 0 ? 8'd0 : x > 127 ? 8'd127 : x[7:0]", "x < 0 ? 8'd0 : y > 127 ? 8'd127 : x[7:0]"),
    "tested": ("(&x[31:7])", "(&x[31:8])"),
    "unsigned": ("u > 32'd255", "u > 32'd511"),
    "shifted": ("shifted[7:0]", "shifted[8:1]"),
    "rounded": ("rounded > 127 ?", "rounded > 128 ?"),
    "summed": ("sum[7:0]", "word[8 * k +: 8]"),
    "relu": ("x[31] ? 32'd0 : x", "x[30] ? 32'd0 : x"),
}


@pytest.fixture(scope="module", name="wrong")
def fixture_wrong(tmp_path_factory: pytest.TempPathFactory) -> Design:
    """Each bounds something else than it returns, or elsewhere."""
    file, text = tmp_path_factory.mktemp("wrong") / "Requant.sv", REQUANT.read_text()
    for old, new in WRONG.values():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    lift, accelerator, _ = lifted(file, "Requant")
    return lift, accelerator


@pytest.mark.parametrize("name", WRONG)
def test_what_bounds_another_lane_or_elsewhere_is_no_such_bound(requant: Design, wrong: Design, name: str) -> None:
    assert bounds(wrong[1], name) != BODIES[name]
    with pytest.raises(AssertionError, match=name):
        step(requant, name, wrong[0])


def test_a_lane_that_is_rounded_in_a_bit_more_is_bounded_after_that(tmp_path: Path) -> None:
    old, new = "[31:0] rounded = (x + 32'sd8) >>> 4", "[32:0] rounded = (x + 33'sd8) >>> 4"
    assert old in REQUANT.read_text()
    (tmp_path / "Requant.sv").write_text(REQUANT.read_text().replace(old, new))
    lift, accelerator, _ = lifted(tmp_path / "Requant.sv", "Requant")
    assert bounds(accelerator, "rounded") == "s33 clamp(-128, x, 127)"
    step((lift, accelerator), "rounded", lift)


PAIRS = REQUANT.parent / "Pairs.sv"


@pytest.fixture(scope="module", name="pairs")
def fixture_pairs() -> Design:
    lift, accelerator, opaque = lifted(PAIRS, "Pairs")
    assert not opaque
    return lift, accelerator


def greatest(design: Design, reference: Lift) -> None:
    machine = CheckedMachine(design[1], Reference(reference), {}, seed=1)
    machine.step("greatest", {"count": 17, "from": 29, "to": 40})


def test_the_greatest_of_pairs_of_two_rows_is_a_window_beside_zeros(pairs: Design) -> None:
    body = pairs[1].instructions["greatest"].body
    assert body.count("window={size=1x2 stride=1x2}, to_apply=maximum") == 2
    assert "padding=0_0x0_2" in body and "select" not in body
    assert "from + 2 * i]" in print_text(pairs[1])
    greatest(pairs, pairs[0])


@pytest.mark.parametrize(("old", "new"), [("a > b ? a : b", "a > b ? b : a"), ("upper + 6'd1", "upper + 6'd2"), ("{i[4:0], 1'b0}", "{i[4:0], 1'b1}")])
def test_another_window_is_another_instruction(pairs: Design, tmp_path: Path, old: str, new: str) -> None:
    text = PAIRS.read_text()
    assert old in text
    (tmp_path / "Pairs.sv").write_text(text.replace(old, new))
    with pytest.raises(AssertionError, match="greatest"):
        greatest(pairs, lifted(tmp_path / "Pairs.sv", "Pairs")[0])
