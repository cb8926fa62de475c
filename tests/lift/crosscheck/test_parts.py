"""The parts of the cross-check: rewriting for yosys, names of parameters, the second translation of operators, the test bench, random states."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import z3

from lift.crosscheck.dialect import flattened
from lift.crosscheck.icarus import Icarus, NotSimulated, Sources
from lift.crosscheck.meaning import Meaning
from lift.crosscheck.parameters import overrides
from lift.crosscheck.trials import run
from lift.netlist.builder import Builder
from lift.netlist.fold import EVALUATE, evaluate
from lift.netlist.model import Netlist, Node
from lift.verilog import read
from tests.lift.crosscheck import small
from tests.lift.crosscheck.small import design, needs_icarus

COMPARISONS = frozenset("eq ult ule slt sle redor redand redxor".split())
UNARY = frozenset("not neg redor redand redxor zext sext".split())


@pytest.mark.parametrize(
    ("text", "flat"),
    [
        ("wire [3:0][7:0] x = y; assign z = x[i + 1];", "wire [31:0] x = y; assign z = x[8*(i + 1) +: 8];"),
        ("reg [1:0] [7:0] x; assign z = x[i][3];", "reg [15:0] x; assign z = x[8*(i) + (3) +: 1];"),
        ("logic [1:0][7:0] x; assign z = x[x[0][0]][6:4];", "logic [15:0] x; assign z = x[8*(x[8*(0) + (0) +: 1]) + 4 +: 3];"),
        ("wire [1:0][3:0] x; assign z = x;", "wire [7:0] x; assign z = x;"),
        ("wire [1:0][3:0] x; assign z = ax[1];", "wire [7:0] x; assign z = ax[1];"),
    ],
)
def test_packed_arrays_become_vectors(text: str, flat: str) -> None:
    assert flattened(text) == flat


@pytest.mark.parametrize("text", ["wire [7:0] x;", "wire [3:0][7:0] x; assign z = x[2:1];", "wire [0:3][7:0] x;", "wire [N:0][7:0] x;"])
def test_what_is_not_understood_is_not_rewritten(text: str) -> None:
    assert flattened(text) is None


def test_local_parameters_are_no_overrides(tmp_path: Path) -> None:
    netlist = design(small.NESTED, tmp_path)
    assert netlist.design is not None
    found = [overrides(m) for m in netlist.design.modules.values() if m.name == "Child"]
    assert sorted(found, key=str) == [{"STEP": 3}, {"STEP": 5}]


def constants(draw: random.Random, b: Builder, op: str) -> tuple[Node, list[int], int]:
    """A node of `op` over constants that are not folded, the operands, and the width of the result."""
    width = draw.choice([1, 3, 8, 13])
    values = [draw.choice([0, 1, (1 << width) - 1, 1 << (width - 1), draw.getrandbits(width)]) for _ in range(1 if op in UNARY else 2)]
    result = 1 if op in COMPARISONS else width + 5 if op in ("zext", "sext") else width
    return b.intern(op, result, tuple(b.const(v, width) for v in values)), values, width


@pytest.mark.parametrize("op", EVALUATE)
def test_an_operator_means_what_it_means_to_the_simulator(op: str) -> None:
    draw, empty = random.Random(op), Netlist("t", {}, {}, {}, {}, {}, {}, {}, None, None)
    for _ in range(40):
        node, values, width = constants(draw, Builder(), op)
        found = Meaning(empty).value(node)
        expected = evaluate(op, node.width, width, values)
        if expected is None:
            assert found.unknown is not None
            assert z3.simplify(found.unknown).as_long() == (1 << node.width) - 1
        else:
            assert z3.simplify(found.bits).as_long() == expected
            assert found.unknown is None or z3.simplify(found.unknown).as_long() == 0


@needs_icarus
def test_the_simulated_state_is_the_one_that_was_loaded(tmp_path: Path) -> None:
    netlist = design(small.MASKED, tmp_path)
    words = [random.Random(k).getrandbits(16) for k in range(16)]
    with Icarus(netlist, Sources([tmp_path / "top.sv"])) as icarus:
        icarus.load({}, {"mem": words})
        assert icarus.outputs({"at": 5}).values["q"] == words[5]
        icarus.step({"at": 5, "we": 1, "mask": 2, "data": 0xABCD})
        assert icarus.memories()["mem"] == [*words[:5], 0xAB00 | words[5] & 0xFF, *words[6:]]


@needs_icarus
def test_bits_that_the_simulator_does_not_know_are_said(tmp_path: Path) -> None:
    netlist = design(small.UNDEFINED, tmp_path)
    with Icarus(netlist, Sources([tmp_path / "top.sv"])) as icarus:
        assert icarus.outputs({"s": 1, "a": 0x0F}).unknown == {"y": 0}
        assert icarus.outputs({"s": 2}).unknown == {"y": 0xFF}


@needs_icarus
def test_messages_of_the_design_are_no_answers(tmp_path: Path) -> None:
    text = small.ASYNCHRONOUS.replace("endmodule", 'always @(posedge clock) $display("r is %d", r);\nendmodule')
    netlist = design(text, tmp_path)
    with Icarus(netlist, Sources([tmp_path / "top.sv"])) as icarus:
        icarus.load({"r": 4}, {})
        icarus.step({"rst_n": 1, "d": 9})
        assert icarus.registers().values == {"r": 9}


@needs_icarus
def test_sources_that_icarus_does_not_take_are_said(tmp_path: Path) -> None:
    netlist = design(small.MASKED, tmp_path)
    (tmp_path / "top.sv").write_text("module Top (input wire")
    with pytest.raises(NotSimulated, match=r"Icarus Verilog: .*syntax error"):
        Icarus(netlist, Sources([tmp_path / "top.sv"]))


@needs_icarus
def test_trials_find_a_difference(tmp_path: Path) -> None:
    netlist = design(small.SIGNS, tmp_path)
    other = tmp_path / "other.sv"
    other.write_text(small.SIGNS.replace("a < b", "a <= b"))
    with Icarus(netlist, Sources([other])) as icarus:
        trials = run(netlist, icarus, "seed", 200)
    assert list(trials.wrong) == ["less"]
    shown = trials.wrong["less"]
    assert {row.name for row in shown.given} >= {"a", "b"}
    values = {row.name: row.value for row in shown.given}
    assert values["a"] == values["b"]


@needs_icarus
def test_trials_cover_what_lies_below(tmp_path: Path) -> None:
    netlist = design(small.NESTED, tmp_path)
    other = tmp_path / "other.sv"
    other.write_text(small.NESTED.replace("x + TWICE", "x + TWICE + STEP[2]"))
    with Icarus(netlist, Sources([other])) as icarus:
        assert set(run(netlist, icarus, "seed", 20).wrong) == {"second.y"}


def test_the_reader_gives_the_definitions_to_compare(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(small.SIGNS)
    for frontend in ("slang", "pyverilog"):
        found = read([tmp_path], "Top", frontend=frontend).design
        assert found is not None and len(found.modules) == 1
