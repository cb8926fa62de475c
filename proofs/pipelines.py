"""rtl/gemmini as a whole -> what is at rest when a command is accepted, and why what is left in its pipelines does not matter.

`invariant` says, of one cycle of the whole design, how control hangs together: controllers with the DMA, the rows that are in the mesh with the counters of the
execute controller.  `settled` says of registers of pipelines when they count (`left`).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import z3

from lift.crosscheck.bits import Bits, const, extract
from lift.crosscheck.meaning import Meaning, Value
from lift.netlist.model import Netlist
from proofs.left import Part, State

EX, LOAD, STORE, READER, WRITER = "execute_controller.", "load_controller.", "store_controller.", "dma_reader.", "dma_writer."
MESH = EX + "mesh_with_delays."
IDLE, ISSUING, WAITING = 0, 1, 2  # of the issue stage
REQUEST, RESPONSE, POOLING, POOLED = 1, 2, 3, 4  # of load and store controller, which rest at 0
READING_A, READING_BD, DRAINING, FLUSHING, FILLING, FEEDING = 1, 2, 3, 4, 5, 6  # of the execute controller
GARBAGE = (1 << 32) - 1
READING, WRITING_ROW = 1, 2  # of the reader
TAKING_ROW, SENDING = 2, 3  # of the writer


class Machine:
    """One cycle of the whole design.  A row of operands that has entered the mesh is in one place of each line of registers, as many cycles old everywhere:
    `rows[k]` says whether there is one of k + 1 cycles.  `valid` are the registers that say so; the invariant is that those of the same age agree."""

    def __init__(self, design: Netlist, dim: int) -> None:
        self.design, self.dim = design, dim
        self.rows = [z3.BitVec(f"row of {k + 1} cycles", 1) for k in range(2 * dim - 1)]
        self.valid = {f"{MESH}mesh.row[{r}].col[{c}].valid_reg": r + c for r in range(dim) for c in range(dim)}
        line = z3.Concat(*reversed(self.rows[: dim - 1])) if dim > 2 else self.rows[0]
        self.given: dict[str, Bits] = {f"{MESH}valid_line": line, **{name: self.rows[age] for name, age in self.valid.items()}}
        self.meaning = Meaning(design, {name: Value(bits) for name, bits in self.given.items()})

    def now(self, name: str) -> Bits:
        return self.given.get(name, z3.BitVec(name, self.design.registers[name].width))

    def after(self, name: str) -> Bits:
        return self.meaning.value(self.design.registers[name].next).bits

    def ages(self, state: State) -> list[Bits]:
        """`rows` of a state, by the registers of the first row and the last column."""
        line, column = state(f"{MESH}valid_line"), [f"{MESH}mesh.row[{r}].col[{self.dim - 1}].valid_reg" for r in range(self.dim)]
        return [*(extract(line, k, 1) for k in range(self.dim - 1)), *(state(name) for name in column)]


def is_in(value: Bits, *states: int) -> z3.BoolRef:
    return z3.Or(*(value == s for s in states))


def invariant(machine: Machine, state: State) -> dict[str, z3.BoolRef]:
    """Conjuncts by what they say: `CONJUNCTS`."""
    return {**_controllers(state), **_reader(machine, state), **_writer(machine, state), **_execute(machine, state)}


CONJUNCTS = (
    "the states of the issue stage",
    "until a command is handed out no controller is busy",
    "the states of the load controller",
    "the states of the store controller",
    "a load that rests is at its first position",
    "rows are counted only where rows are stored",
    "pixels are counted only where they are pooled",
    "the states of the reader",
    "the reader works where the load controller waits",
    "a reader at rest counts nothing",
    "beats are asked for to the last",
    "beats are counted to the last",
    "a row is written when all its beats are there",
    "the writer works where the store controller waits",
    "beats are counted only where they are sent",
    "beats are sent to the last",
    "whole rows are those of the accumulator",
    "whole rows are those of the accumulator, at the writer",
    "what is sent is to be stored",
    "a pixel joins those before it",
    "the last pixel is stored",
    "a row is not pooled",
    "the states of the execute controller",
    "rows are counted only while they are read",
    "what was read is in the mesh or has left it",
    "A arrives while B or D is read",
    "before B or D, A was read",
    "a preload reads no A",
    "B or D enters with its row",
    "a row without B or D is of a flush, or of the transposer",
    "the transposer is used where it is configured",
    "where it is, no row goes past it",
    "rows fill the transposer one after the other",
    "sums leave in a second pass, of a command that lets them",
)


def _controllers(s: State) -> dict[str, z3.BoolRef]:
    issue, load, store, execute = s("issue.state"), s(LOAD + "control_state"), s(STORE + "control_state"), s(EX + "control_state")
    window = [s(STORE + f"{n}_counter") == 0 for n in ("porow", "pocol", "wrow", "wcol")]
    return {
        "the states of the issue stage": issue != 3,
        "until a command is handed out no controller is busy": z3.Implies(issue != WAITING, z3.And(load == 0, store == 0, execute == 0)),
        "the states of the load controller": load != 3,
        "the states of the store controller": z3.ULE(store, POOLED),
        "a load that rests is at its first position": z3.Implies(load == 0, z3.And(s(LOAD + "row_counter") == 0, s(LOAD + "block_counter") == 0)),
        "rows are counted only where rows are stored": z3.Implies(
            z3.Not(is_in(store, REQUEST, RESPONSE)), z3.And(s(STORE + "row_counter") == 0, s(STORE + "block_counter") == 0)
        ),
        "pixels are counted only where they are pooled": z3.Implies(z3.Not(is_in(store, POOLING, POOLED)), z3.And(*window)),
    }


def _reader(machine: Machine, s: State) -> dict[str, z3.BoolRef]:
    state, sent, received = s(READER + "state"), s(READER + "sent"), s(READER + "received")
    last = z3.If(s(READER + "has_acc_bitwidth") == 1, *_last_beats(machine))
    return {
        "the states of the reader": state != 3,
        "the reader works where the load controller waits": (state != IDLE) == (s(LOAD + "control_state") == RESPONSE),
        "a reader at rest counts nothing": z3.Implies(state == IDLE, z3.And(sent == 0, received == 0, s(READER + "all_sent") == 0)),
        "beats are asked for to the last": z3.Implies(z3.And(state == READING, s(READER + "all_sent") == 0), z3.ULE(sent, last)),
        "beats are counted to the last": z3.Implies(state == READING, z3.ULE(received, last)),
        "a row is written when all its beats are there": z3.Implies(z3.And(state == WRITING_ROW, s(READER + "all_zeros") == 0), received == last + 1),
    }


def _last_beats(machine: Machine) -> tuple[Bits, Bits]:
    """Of a row of 32-bit elements, and of one of bytes."""
    return const(machine.dim // 4 - 1, 4), const((machine.dim + 15) // 16 - 1, 4)


def _writer(machine: Machine, s: State) -> dict[str, z3.BoolRef]:
    state, store, pools = s(WRITER + "state"), s(STORE + "control_state"), s(STORE + "control_state") == POOLED
    wrow, wcol, size = s(STORE + "wrow_counter"), s(STORE + "wcol_counter"), s(STORE + "pool_size")
    last = z3.And(wrow == size - 1, wcol == size - 1)
    sent = z3.If(s(WRITER + "read_full_acc_row") == 1, *_last_beats(machine))
    return {
        "the writer works where the store controller waits": (state != IDLE) == is_in(store, RESPONSE, POOLED),
        "beats are counted only where they are sent": z3.Implies(state != SENDING, s(WRITER + "beat_counter") == 0),
        "beats are sent to the last": z3.ULE(s(WRITER + "beat_counter"), sent),
        "whole rows are those of the accumulator": z3.Implies(s(STORE + "read_full_acc_row") == 1, s(STORE + "is_acc_addr") == 1),
        "whole rows are those of the accumulator, at the writer": z3.Implies(s(WRITER + "read_full_acc_row") == 1, s(WRITER + "is_acc_addr") == 1),
        "what is sent is to be stored": z3.Implies(state == SENDING, s(WRITER + "store_en") == 1),
        "a pixel joins those before it": z3.Implies(pools, (s(WRITER + "pool_en") == 1) == z3.Or(wrow != 0, wcol != 0)),
        "the last pixel is stored": z3.Implies(pools, (s(WRITER + "store_en") == 1) == last),
        "a row is not pooled": z3.Implies(store == RESPONSE, z3.And(s(WRITER + "pool_en") == 0, s(WRITER + "store_en") == 1)),
    }


def _execute(machine: Machine, s: State) -> dict[str, z3.BoolRef]:
    """Rows in the mesh and results that have left it are, together, the rows that were read and those that flush."""
    state, row, results = s(EX + "control_state"), s(EX + "row_counter"), s(EX + "result_counter")
    size = machine.dim.bit_length() + 2
    inside = sum((z3.ZeroExt(size - 1, bit) for bit in (s(EX + "row_enters"), *machine.ages(s))), const(0, size))
    flushes = z3.And(s(EX + "is_preload") == 0, s(EX + "current_dataflow") == 0, s(EX + "c_addr") != GARBAGE)
    one_pass, second = const(machine.dim, size), s(EX + "result_pass") == 1
    filling = state == FILLING
    read = z3.If(filling, const(0, size), z3.ZeroExt(size - row.size(), row)) + z3.If(
        state == DRAINING, z3.If(flushes, 2 * one_pass, one_pass), z3.If(state == FLUSHING, one_pass, const(0, size))
    )
    left = z3.ZeroExt(size - results.size(), results) + z3.If(second, one_pass, const(0, size))
    without = z3.And(s(EX + "row_enters") == 1, s(EX + "bd_arrives") == 0)
    late = z3.And(flushes, is_in(state, FLUSHING, DRAINING))
    transposes, arrives = of_transposer(s), s(EX + "fill_arrives") == 1
    begun, fed = z3.And(filling, row != 0), z3.And(state == FEEDING, row == 0)
    return {
        "the states of the execute controller": z3.ULE(state, FEEDING),
        "rows are counted only while they are read": z3.Implies(is_in(state, 0, DRAINING), row == 0),
        "what was read is in the mesh or has left it": inside + left == read,
        "A arrives while B or D is read": z3.Implies(s(EX + "a_arrives") == 1, z3.And(state == READING_BD, s(EX + "is_preload") == 0)),
        "before B or D, A was read": z3.Implies(z3.And(state == READING_BD, s(EX + "is_preload") == 0), s(EX + "a_arrives") == 1),
        "a preload reads no A": z3.Implies(s(EX + "is_preload") == 1, state != READING_A),
        "B or D enters with its row": z3.Implies(s(EX + "bd_arrives") == 1, s(EX + "row_enters") == 1),
        "a row without B or D is of a flush, or of the transposer": z3.Implies(without, z3.Or(late, z3.And(transposes, is_in(state, FEEDING, DRAINING)))),
        "the transposer is used where it is configured": z3.Implies(z3.Or(filling, state == FEEDING), transposes),
        "where it is, no row goes past it": z3.Implies(transposes, z3.And(state != READING_BD, s(EX + "bd_arrives") == 0)),
        "rows fill the transposer one after the other": arrives == z3.Or(begun, fed),
        "sums leave in a second pass, of a command that lets them": z3.Implies(z3.Or(second, state == FLUSHING), late),
    }


def of_transposer(state: State) -> z3.BoolRef:
    """The rows of the command in flight go through the transposer."""
    return z3.And(state(EX + "is_preload") == 1, state(EX + "current_dataflow") == 1, state(EX + "bd_transpose") == 1)


def settled(machine: Machine, state: State) -> dict[str, list[Part]]:
    """Registers of pipelines, and when their bits count; all others always do."""
    dim, width = machine.dim, {n: r.width for n, r in machine.design.registers.items()}
    ages = [age == 1 for age in machine.ages(state)]
    a_arrives, fills = state(EX + "a_arrives") == 1, state(EX + "fill_arrives") == 1
    bd_arrives = state(EX + "bd_arrives") == 1
    taking, of_accumulator = state(WRITER + "state") == TAKING_ROW, state(WRITER + "is_acc_addr") == 1
    kept = z3.And(is_in(state(STORE + "control_state"), POOLING, POOLED), z3.Or(state(STORE + "wrow_counter") != 0, state(STORE + "wcol_counter") != 0))
    conditions = {EX + "a_present": a_arrives, EX + "bd_present": z3.Or(bd_arrives, fills), EX + "a_row": z3.And(bd_arrives, state(EX + "is_preload") == 0)}
    conditions |= dict.fromkeys((EX + "propagate", EX + "dataflow"), state(EX + "row_enters") == 1)
    conditions[WRITER + "row"] = z3.Or(state(WRITER + "state") == SENDING, kept)
    for k in range(dim // 4):
        conditions[f"{READER}beat[{k}].bytes"] = z3.UGT(state(READER + "received"), k)
    for name in ("scratchpad", "accumulator"):
        reads = z3.And(taking, of_accumulator) if name == "accumulator" else z3.Or(a_arrives, bd_arrives, fills, z3.And(taking, z3.Not(of_accumulator)))
        for bank in range(4 if name == "scratchpad" else 2):
            conditions[f"{name}.bank[{bank}].memory.read_data"] = z3.And(reads, state(f"{name}.read_bank") == bank)
    conditions |= {f"{MESH}transposer.row[{r}].cells": counts for r, counts in enumerate(_cells(dim, state))}
    multiplies = state(EX + "is_preload") == 0
    conditions |= {name: z3.And(ages[age], multiplies) if of_product else ages[age] for name, age, of_product in _mesh_ages(dim)}
    parts = {name: [Part(0, width[name], condition)] for name, condition in conditions.items()}
    lines = (f"{MESH}propagate_line", f"{MESH}dataflow_line")
    return parts | {name: [Part(k, 1, ages[k]) for k in range(dim - 1)] for name in lines}


def _cells(dim: int, s: State) -> Iterator[z3.BoolRef]:
    """When the rows of the transposer count: once they have been filled, until the last column has entered the mesh."""
    state, row = s(EX + "control_state"), z3.ZeroExt(1, s(EX + "row_counter"))
    feeds = z3.And(of_transposer(s), s(EX + "row_enters") == 1)
    for r in range(dim):
        full = z3.And(state == FEEDING, z3.Or(r < dim - 1, row != 0))
        yield z3.Or(z3.And(state == FILLING, z3.UGT(row, r + 1)), full, feeds)


def _mesh_ages(dim: int) -> Iterator[tuple[str, int, bool]]:
    """Registers of the mesh and its lines, by the age of the row that they hold; and whether it is of a product, which a preload drops."""
    for r, c in product(range(dim), repeat=2):
        for name in ("a", "b", "c", "dataflow", "propagate", "shift"):
            yield f"{MESH}mesh.row[{r}].col[{c}].{name}_reg", r + c, name in "ab"
    for lane in range(dim):
        for name, s in product(("skew_a", "skew_b", "skew_d", "skew_shift"), range(lane)):
            yield f"{MESH}lane[{lane}].{name}.stage[{s}].value", s, name in ("skew_a", "skew_b")
        for name, s in product(("align_b", "align_c"), range(dim - 1 - lane)):
            yield f"{MESH}lane[{lane}].{name}.stage[{s}].value", dim + lane + s, name == "align_b"


def dataflows(machine: Machine, state: State) -> Iterator[tuple[str, Bits, Bits]]:
    """Where control of the mesh says which dataflow it is: the bit that says so, and the one that says whether there is a row."""
    rows = machine.ages(state)
    yield EX + "dataflow", state(EX + "dataflow"), state(EX + "row_enters")
    for k in range(machine.dim - 1):
        yield f"{MESH}dataflow_line", extract(state(f"{MESH}dataflow_line"), k, 1), rows[k]
    for r, c in product(range(machine.dim), repeat=2):
        name = f"{MESH}mesh.row[{r}].col[{c}].dataflow_reg"
        yield name, state(name), rows[r + c]


def dataflow_of(state: State) -> Bits:
    """Of the command: weight stationary for a preload, else what is configured."""
    return z3.If(state(EX + "is_preload") == 1, const(1, 1), state(EX + "current_dataflow"))


def of_one_dataflow(machine: Machine) -> z3.BoolRef:
    """Every row in the mesh is of that of the command."""
    return z3.And(*(z3.Implies(row == 1, dataflow == dataflow_of(machine.now)) for _, dataflow, row in dataflows(machine, machine.now)))


def split(machine: Machine) -> list[Bits]:
    """Bits by whose values claims are split: on them depends what counts."""
    return [*map(machine.now, (EX + "bd_arrives", EX + "fill_arrives", EX + "row_enters", EX + "is_preload", "scratchpad.read_bank")), *machine.rows]
