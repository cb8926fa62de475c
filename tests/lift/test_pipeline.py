"""The pipeline on a small accelerator: each function is what the RTL does, the report says what was found, and every file is whole."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest

from act.taidl.verify import load
from lift.discover.contract import Contract
from lift.discover.state import find
from lift.errors import UserError
from lift.files import write_text
from lift.functions import LiftedFunction, TimedProver, count_lines, lift_function, update_functions
from lift.netlist.model import Netlist
from lift.options import Options
from lift.passes import PASSES
from lift.passes.reuse import Lifter
from lift.pipeline import header, read_netlist, understand
from lift.pipeline import lift as run
from lift.progress import Progress
from lift.prove import Prover
from lift.summary import Findings, counts, report, shortcomings
from lift.testing import TrialProver
from lift.unroll.extract import Lift, extract
from lift.unroll.machine import Machine, with_deep_recursion
from tests.lift.replay import Bench, State, apply, free_registers, merged, state_registers

TOY = Path(__file__).parent / "designs" / "toy"
INSTRUCTIONS = ("config", "load", "weights", "dot", "store")


def options(output: Path = Path("toy.taidl"), **given: object) -> Options:
    return Options((TOY,), "Toy", output, "toy", **given)  # type: ignore[arg-type]


def lifted_with(prover: TimedProver, asked: Options) -> tuple[Netlist, Contract, Lift, list[LiftedFunction]]:
    netlist = read_netlist(asked)
    contract, decoded = understand(netlist, asked)
    lifter = Lifter(tuple(kind() for kind in PASSES), prover)
    found = extract(find(Machine(netlist), contract, decoded))
    return netlist, contract, found, [lift_function(key, f, lifter, keep_raw=True) for key, f in update_functions(found)]


@pytest.fixture(scope="module")
def toy() -> tuple[Netlist, Contract, Lift, list[LiftedFunction]]:
    return with_deep_recursion(lambda: lifted_with(TimedProver(), options()))


@pytest.fixture(scope="module")
def partial() -> tuple[Netlist, Contract, Lift, list[LiftedFunction]]:
    return with_deep_recursion(lambda: lifted_with(TimedProver(), options(defines={"PARTIAL": ""})))


def findings(of: tuple[Netlist, Contract, Lift, list[LiftedFunction]]) -> Findings:
    return Findings(of[2], of[3], of[2].opaque, proved=True)


def random_state(netlist: Netlist, found: Lift, draw: random.Random) -> State:
    registers = {name: draw.getrandbits(netlist.registers[name].width) for name in free_registers(found)}
    memories = {m.name: [draw.getrandbits(m.width) for _ in range(m.depth)] for m in netlist.memories.values()}
    return State(registers, memories, {k: draw.getrandbits(8) for k in range(1 << 16)})


def expect_agreement(instruction: str, of: tuple[Netlist, Contract, Lift, list[LiftedFunction]]) -> None:
    """The RTL and the update functions leave the same state, from random states with random fields."""
    netlist, contract, found, lifted = of
    draw, opcode = random.Random(instruction), INSTRUCTIONS.index(instruction)
    for _ in range(5):
        before, bench = random_state(netlist, found, draw), Bench(netlist, contract, draw)
        payload = {"cmd_funct": opcode, "rs1": draw.getrandbits(16), "rs2": draw.getrandbits(16)}
        bench.load(before)
        on_rtl = bench.run(payload)
        expected = apply(found, [f for f in lifted if f.key[0] == instruction], before, payload)
        assert state_registers(found, on_rtl) == state_registers(found, expected)
        assert (merged(found, on_rtl.memories), on_rtl.host) == (expected.memories, expected.host)


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_update_functions_are_what_the_rtl_does(instruction: str, toy: tuple[Netlist, Contract, Lift, list[LiftedFunction]]) -> None:
    expect_agreement(instruction, toy)


def test_a_register_that_is_cleared_to_its_idle_value_has_changed() -> None:
    expect_agreement("config", with_deep_recursion(lambda: lifted_with(TimedProver(), options(defines={"CLEAR": ""}))))


def test_lines_are_counted_as_they_are_printed(toy: tuple[Netlist, Contract, Lift, list[LiftedFunction]]) -> None:
    for function in toy[3]:
        assert function.raw is not None
        assert count_lines(function.module) == function.lines_lifted == len(str(function.module).splitlines())
        assert function.lines_raw == len(function.raw.splitlines())


def test_testing_keeps_what_proving_keeps(toy: tuple[Netlist, Contract, Lift, list[LiftedFunction]]) -> None:
    tested = with_deep_recursion(lambda: lifted_with(TrialProver(), options()))[3]
    assert [str(f.module) for f in tested] == [str(f.module) for f in toy[3]]


def test_testing_refutes_what_is_false() -> None:
    from lift.ir import build, functions
    from lift.ir.operations import result
    from tests.lift.ir import samples

    (function,) = functions(build(samples.pe_step()))
    values = [result(op) for op in function.body.block.ops if op.results]
    solver = Prover()
    different = [(a, b) for a, b in pairwise(values) if a.type == b.type and solver.equal(a, b)[0].verdict == "refuted"]
    assert different
    assert all(TrialProver().equal(a, b)[0].verdict == "refuted" for a, b in different)


def test_the_report_names_modes_state_and_changes(toy: tuple[Netlist, Contract, Lift, list[LiftedFunction]]) -> None:
    text = report(findings(toy))
    assert "assumed of every instruction\n" in text and "  requests to memory are accepted at once" in text
    assert "  register relu: 1 bits\n" in text
    assert "  unread (instructions change it, nothing reads it): destination\n" in text
    assert "  array dot.row.col.weight: 2 x 2 registers of 8 bits\n" in text
    assert "instruction dot\n  mode 0, 3 cycles executed\n    sums: " in text
    assert "      b3-detect-mac: " in text


def test_nothing_is_missing_from_a_complete_lift(toy: tuple[Netlist, Contract, Lift, list[LiftedFunction]]) -> None:
    assert shortcomings(findings(toy)) == []


def test_what_is_missing_from_a_partial_lift_is_named(partial: tuple[Netlist, Contract, Lift, list[LiftedFunction]]) -> None:
    found = shortcomings(findings(partial))
    assert [line.split(":")[0] for line in found] == ["wait is opaque", "fence is vacuous"]
    assert "instruction wait\n  opaque: " in report(findings(partial))


def test_counts_add_up(partial: tuple[Netlist, Contract, Lift, list[LiftedFunction]]) -> None:
    numbers = counts(findings(partial))
    assert (numbers["instructions"], numbers["opaque"], numbers["vacuous"], numbers["undefined"]) == (7, 1, 1, 0)
    assert numbers["functions"] == len(partial[3])
    assert numbers["proved"] > 0 == numbers["tested"] == numbers["unknown"]


def test_the_header_says_what_was_given() -> None:
    given = options(defines={"FAST": "1"}, parameters={"ROWS": 8})
    assert header(given) == f"Lifted from module Toy of {TOY} with -D FAST=1 -P ROWS=8."


def test_a_file_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(UserError, match="cannot write"):
        write_text(tmp_path / "taken", "text")
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]


def test_what_is_written_is_an_instruction_set_that_verifies(tmp_path: Path) -> None:
    progress = Progress()
    asked = options(output=tmp_path / "toy.taidl")
    outcome = with_deep_recursion(lambda: run(asked, progress))
    accelerator = load((tmp_path / "toy.taidl").read_text(), "toy.taidl")
    assert outcome.shortcomings == []
    assert {"config", "load", "weights"} <= set(accelerator.instructions)


@pytest.mark.slow
def test_the_systolic_accelerator_is_lifted_without_a_gap(tmp_path: Path) -> None:
    rtl = Path(__file__).parents[2] / "rtl" / "gemmini"
    asked = Options((rtl,), "Gemmini", tmp_path / "small.taidl", "small", parameters={"DIM": 4}, report=tmp_path)
    outcome = with_deep_recursion(lambda: run(asked, Progress()))
    accelerator = load((tmp_path / "small.taidl").read_text(), "small.taidl")
    assert outcome.shortcomings == []
    assert (outcome.counts["instructions"], outcome.counts["unknown"]) == (10, 0)
    assert {"config_ex", "config_ld", "config_st", "preload"} <= set(accelerator.instructions)
    assert accelerator.composites
