"""The state from which every instruction is lifted lasts: one cycle without a command changes nothing, whatever the architectural state.  And it is the state
in which every command is accepted, but for what is left in pipelines, which changes nothing.

Registers have constants, values that follow from architectural registers, or (architectural ones) any value; inputs without a meaning have any.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, get_args

import pytest
import z3

from lift.crosscheck.invariant import at_rest, stays_at_rest
from lift.crosscheck.verdicts import Verdict
from proofs.designs import RTL, lift_of_gemmini, netlist
from proofs.left import Left
from proofs.pipelines import CONJUNCTS, MESH, Machine, dataflow_of, dataflows, invariant, of_one_dataflow, settled, split
from proofs.solve import Refuted, prove, prove_equal, satisfiable

PARTS = ["", "issue", "load_controller", "store_controller", "execute_controller", "scratchpad", "accumulator", "dma_reader", "dma_writer"]
Kind = Literal["registers", "memories", "outputs"]
WHOLE = [pytest.param(4, id="gemmini-Gemmini-step-4x4"), pytest.param(16, id="gemmini-Gemmini-step-16x16", marks=pytest.mark.slow)]
SIZES = [pytest.param(4, id="4x4"), pytest.param(16, id="16x16", marks=pytest.mark.slow)]


@cache
def verdicts(dim: int) -> tuple[Verdict, ...]:
    return tuple(stays_at_rest(lift_of_gemmini(dim)))


@pytest.mark.parametrize("part", [pytest.param(part, id=f"gemmini-{part or 'outputs'}-rest") for part in PARTS])
@pytest.mark.parametrize("dim", SIZES)
def test_a_part_stays_at_rest(dim: int, part: str) -> None:
    own = [v for v in verdicts(dim) if v.target.rpartition(".")[0].partition(".")[0] == part]
    assert own
    assert [v for v in own if v.status != "agreed"] == []


def test_no_part_is_left_out() -> None:
    assert {v.target.rpartition(".")[0].partition(".")[0] for v in verdicts(4)} == set(PARTS)


# The machine as it is when a command is accepted, and what may be left in it (`pipelines`).

RUNNING, IN_RESET = z3.BitVec("reset", 1) == 0, z3.BitVec("reset", 1) == 1
COUNTS_WITH = {"mem_req_addr": "mem_req_valid", "mem_req_data": "mem_req_write", "mem_req_mask": "mem_req_write"}


@cache
def machine(dim: int) -> Machine:
    return Machine(netlist("Gemmini", DIM=dim), dim)


def keeps_its_invariant(one: Machine, what: str) -> None:
    """A conjunct holds after reset, and after every cycle before which all hold."""
    held, after = [RUNNING, *invariant(one, one.now).values()], invariant(one, one.after)[what]
    prove(f"{what}, after reset", after, [IN_RESET])
    prove(what, after, held)


def keeps_rows_together(one: Machine) -> None:
    """Registers that hold a row of one age agree on whether there is one."""
    after = one.ages(one.after)
    for name, age in one.valid.items():
        prove_equal(name, after[age], one.after(name), [RUNNING])
        prove(f"{name}, after reset", one.after(name) == 0, [IN_RESET])


def is_of_one_dataflow(one: Machine) -> None:
    held = [RUNNING, of_one_dataflow(one), *invariant(one, one.now).values()]
    for name, dataflow, row in dataflows(one, one.after):
        prove(name, z3.Implies(row == 1, dataflow == dataflow_of(one.after)), held)
        prove(f"{name}, after reset", row == 0, [IN_RESET])


def does_not_see_what_is_left(one: Machine, kind: Kind) -> None:
    """Registers, memories or outputs: two machines that differ in what does not count are the same after a cycle, but for that."""
    both = Left(one, lambda state: settled(one, state), lambda _: split(one))
    under = [RUNNING, of_one_dataflow(one), *invariant(one, one.now).values()]
    claims = {"registers": both.registers(), "memories": both.memories(), "outputs": both.outputs(COUNTS_WITH)}
    for name, claim in claims[kind]:
        for case in both.cases(name, claim):
            prove(name, claim, [*under, *case])


@pytest.mark.parametrize("what", [pytest.param(w, id=f"gemmini-{w.replace(' ', '-')}-step") for w in CONJUNCTS])
@pytest.mark.parametrize("dim", SIZES)
def test_control_hangs_together_in_every_cycle(dim: int, what: str) -> None:
    keeps_its_invariant(machine(dim), what)


@pytest.mark.parametrize("dim", WHOLE)
def test_a_row_is_in_one_place_of_every_line(dim: int) -> None:
    keeps_rows_together(machine(dim))
    is_of_one_dataflow(machine(dim))


def test_the_invariant_leaves_every_state_of_control_possible() -> None:
    one = machine(4)
    assert tuple(invariant(one, one.now)) == CONJUNCTS
    held = list(invariant(one, one.now).values())
    for unit, most in (("issue.state", 2), ("execute_controller.control_state", 6), ("dma_reader.state", 2), ("dma_writer.state", 3)):
        for number in range(most + 1):
            satisfiable(f"{unit} {number}", [*held, one.now(unit) == number])


@pytest.mark.parametrize("dim", WHOLE)
def test_the_machine_is_at_rest_when_a_command_is_accepted(dim: int) -> None:
    """Each register that the lift takes for a constant is that constant; it holds what was configured, or does not count."""
    one, lift = machine(dim), lift_of_gemmini(dim)
    held = [*invariant(one, one.now).values(), one.now("issue.state") == 0]
    of_pipelines, values = settled(one, one.now), at_rest(lift)
    for name in one.design.registers:
        if name in of_pipelines:
            for part in of_pipelines[name]:
                prove(f"{name} does not count", z3.Not(part.counts), held)
        elif name in values and values[name].is_const:
            prove(name, one.now(name) == int(values[name].attr or 0), held)
        else:
            assert name in lift.unit.architectural or name in of_processing_elements(dim)


def of_processing_elements(dim: int) -> set[str]:
    """State of the mesh that instructions are about."""
    return {f"{MESH}mesh.row[{r}].col[{c}].tile.pe.{n}" for r in range(dim) for c in range(dim) for n in ("c1", "c2", "last_s")}


@pytest.mark.parametrize("kind", get_args(Kind), ids=lambda kind: f"gemmini-{kind}-step")
@pytest.mark.parametrize("dim", SIZES)
def test_what_is_left_in_pipelines_does_not_matter(dim: int, kind: Kind) -> None:
    does_not_see_what_is_left(machine(dim), kind)


LINES, REGISTERS, MEMORIES = "rows of one age", "registers", "memories"  # claims besides those of the invariant
MUTATIONS = {
    "done-a-row-early": (
        "ExecuteController.v",
        "result_valid && (result_counter == LAST_ROW);",
        "result_valid && (result_counter == LAST_ROW - 1'b1);",
        "what was read is in the mesh or has left it",
    ),
    "a-result-is-not-counted": (
        "ExecuteController.v",
        "else if (result_valid) result_counter",
        "else if (result_valid && !is_preload) result_counter",
        "what was read is in the mesh or has left it",
    ),
    "row-counter-stays": (
        "ExecuteController.v",
        "<= flushes ? FLUSHING : DRAINING;\n                        row_counter <= {ROW_BITS{1'b0}};",
        "<= flushes ? FLUSHING : DRAINING;",
        "rows are counted only while they are read",
    ),
    "arrives-without-a-read": (
        "ExecuteController.v",
        "row_enters <= (control_state == READING_BD) || (control_state == FLUSHING)",
        "row_enters <= (control_state != READING_A)",
        "what was read is in the mesh or has left it",
    ),
    "a-pass-is-not-counted": (
        "ExecuteController.v",
        "result_pass <= flushes && !result_pass",
        "result_pass <= 1'b0",
        "what was read is in the mesh or has left it",
    ),
    "a-row-fills-late": (
        "ExecuteController.v",
        "fill_arrives <= (control_state == FILLING)",
        "fill_arrives <= (control_state == FEEDING)",
        "rows fill the transposer one after the other",
    ),
    "fed-before-it-is-full": (
        "ExecuteController.v",
        "FILLING: begin\n                    if (row_counter == LAST_ROW)",
        "FILLING: begin\n                    if (row_counter == LAST_ROW - 1'b1)",
        "what was read is in the mesh or has left it",
    ),
    "fed-without-a-configuration": ("MeshWithDelays.v", "in_transposed ? transposed : in_d", "fill ? in_d : transposed", REGISTERS),
    "a-row-is-not-taken": ("ExecuteController.v", "if (a_arrives)\n            a_row", "if (bd_arrives)\n            a_row", REGISTERS),
    "results-count-always": ("ExecuteController.v", "write_valid = result_valid && ", "write_valid = ", MEMORIES),
    "valid-without-a-line": ("MeshWithDelays.v", "valid_line <= valid[DIM-2:0]", "valid_line <= {(DIM-1){in_valid}}", LINES),
    "a-valid-that-lasts": ("Mesh.v", "valid_reg <= tile_valid", "valid_reg <= tile_valid || valid_reg", LINES),
    "loads-without-valid": ("PE.v", "if (in_valid) begin", "begin", REGISTERS),
    "beats-are-kept-counted": ("DmaWriter.v", "last_beat ? 4'd0 : beat_counter + 4'd1", "beat_counter + 4'd1", "beats are counted only where they are sent"),
    "a-row-of-an-earlier-window": ("DmaWriter.v", "(pool_en && kept > read)", "(kept > read)", REGISTERS),
    "received-stays": (
        "DmaReader.v",
        "all_sent <= 1'b0;\n                    received <= 4'd0;\n                end\n                default",
        "end\n                default",
        "a reader at rest counts nothing",
    ),
    "windows-are-not-closed": (
        "StoreController.v",
        "wcol_counter <= last_wcol ? 2'd0 : wcol_counter + 2'd1",
        "wcol_counter <= wcol_counter + 2'd1",
        "pixels are counted only where they are pooled",
    ),
    "not-awaited": ("Issue.v", "if (!controller_busy) state <= IDLE", "state <= IDLE", "until a command is handed out no controller is busy"),
}


LONG = ("loads-without-valid", "a-row-is-not-taken")


@pytest.mark.parametrize("mutation", [pytest.param(n, id=f"gemmini-{n}-step", marks=[pytest.mark.slow] if n in LONG else []) for n in MUTATIONS])
def test_a_mutation_of_the_pipelines_is_refuted(tmp_path: Path, mutation: str) -> None:
    file, old, new, what = MUTATIONS[mutation]
    text = (RTL / file).read_text()
    assert text.count(old) == 1
    for source in RTL.glob("*.v"):
        (tmp_path / source.name).write_text(text.replace(old, new) if source.name == file else source.read_text())
    with pytest.raises(Refuted):
        claim(Machine(netlist("Gemmini", tmp_path, DIM=4), 4), what)


def claim(one: Machine, what: str) -> None:
    """One of those above, by its name."""
    if what in CONJUNCTS:
        keeps_its_invariant(one, what)
    elif what == LINES:
        keeps_rows_together(one)
    else:
        does_not_see_what_is_left(one, what)  # type: ignore[arg-type]
