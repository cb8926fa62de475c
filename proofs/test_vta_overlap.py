"""Tokens make the interleavings of the three modules of rtl/vta commute: the whole design, any state that it can be in, any behaviour of memory.

By induction over cycles: a module touches buffers and memory only while it executes an instruction; it sees nothing of another module but elements of
buffers, its tokens and the answers to its own requests; waiting changes nothing.  So a run is an interleaving of what each module does by itself, in which only
accesses to one element could have an order.  The n-th token of a queue is taken after the instruction that gave it is over: of two instructions with a token
between them all accesses of the first come before all of the second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import z3

from lift.crosscheck.bits import Bits, address_bits, bit
from lift.crosscheck.meaning import array
from lift.ir.subterms import free, subterms
from lift.verilog import read
from proofs.designs import unlifted_cycle
from proofs.left import Left
from proofs.replay import OneCycle, about, must_be_confirmed
from proofs.solve import NotProved, Refuted, prove, prove_equal, satisfiable
from proofs.vta import RTL, SMALL, netlist
from proofs.vta_units import MULTIPLIER, NAMED, QUEUES, SHARED, UNITS, Whole, invariant, invariant_after, settled, split, view

RUNNING, IN_RESET = z3.BitVec("reset", 1) == 0, z3.BitVec("reset", 1) == 1
COUNTED = 16  # bits of the numbers of tokens that were ever given and taken


@cache
def whole() -> Whole:
    return Whole(netlist(**SMALL))


def held(one: Whole) -> list[z3.BoolRef]:
    return [RUNNING, *invariant(one).values()]


def control_hangs_together(one: Whole) -> None:
    """Modules work only while they execute; who waits for data is the one that asked."""
    before, after = held(one), invariant_after(one)
    for what, claim in after.items():
        prove(f"{what}, after reset", claim, [IN_RESET])
        prove(what, claim, before)


def an_instruction_stays_until_it_is_over(one: Whole) -> None:
    for unit in UNITS:
        slot = f"fetch.{unit.name}_queue.slot[0].slot_"
        executed = [*held(one), one.executing(unit), z3.Not(one.ends(unit))]
        for name in ("bits", "valid"):
            prove_equal(f"{unit.name}: {name} of the instruction", one.now(slot + name), one.after(slot + name), executed)


def a_buffer_is_touched_only_by_whom_executes(one: Whole) -> None:
    for buffer, (writer, reader) in SHARED.items():
        written, _, _ = one.written(buffer)
        prove(
            f"{buffer}: written while {writer} executes", z3.Implies(written, z3.And(one.executing(NAMED[writer]), z3.Not(one.ends(NAMED[writer])))), held(one)
        )
        data = f"{buffer}.read_data"
        moves = one.after(data) != one.now(data)
        executes = z3.And(one.executing(NAMED[reader]), z3.Not(one.ends(NAMED[reader])))
        prove(f"{buffer}: read while {reader} executes", z3.Implies(moves, executes), held(one))


def memory_is_asked_only_by_whom_executes(one: Whole) -> None:
    load, compute, store = UNITS
    reads, writes = one.output("mem_rd_cmd_valid") == 1, z3.Or(one.output("mem_wr_cmd_valid") == 1, one.output("mem_wr_data_valid") == 1)
    at_work = {u.name: z3.And(one.executing(u), z3.Not(one.ends(u))) for u in UNITS}
    prove("memory is read while load or compute executes", z3.Implies(reads, z3.Or(at_work[load.name], at_work[compute.name])), held(one))
    prove("memory is written while store executes", z3.Implies(writes, at_work[store.name]), held(one))


def a_unit_sees_only_its_own(one: Whole) -> None:
    """Of the registers of a unit and of what it writes: the terms mention nothing of another unit."""
    for unit in UNITS:
        seen = view(one, unit)
        for name in (n for n in one.design.registers if n.startswith(unit.registers)):
            _mentions_only(f"{unit.name}: {name}", [one.after(name)], seen)
        for buffer in unit.writes:
            written, address, data = one.written(buffer)
            _mentions_only(f"{unit.name}: what it writes to {buffer}", [bit(written), address, data], seen)


def _mentions_only(what: str, values: list[Bits], allowed: set[str]) -> None:
    if beyond := sorted({str(v) for v in free([z3.simplify(v) for v in values])} - allowed):
        raise NotProved(f"{what} depends on {', '.join(beyond[:5])}")


def another_element_may_be_written_before_or_after(one: Whole) -> None:
    """What is read is the same whether a write to another element comes in this cycle, or came before."""
    for buffer in SHARED:
        memory, (written, address, data) = one.design.memories[f"{buffer}.mem"], one.written(buffer)
        before = array(memory)
        after = z3.If(written, z3.Store(before, address, data), before)
        now = one.after(f"{buffer}.read_data")
        element = z3.BitVec("element", address_bits(memory.depth))
        reads = _reads_element(one, buffer, element)
        prove_equal(f"{buffer}: it reads an element", before[element], now, [*held(one), reads])
        prove_equal(f"{buffer}: or nothing", one.now(f"{buffer}.read_data"), now, [*held(one), z3.Not(one.engine_reads(buffer))])
        prove_equal(f"{buffer}: another is written", z3.substitute(now, (before, after)), now, [*held(one), reads, z3.Not(z3.And(written, address == element))])


def _reads_element(one: Whole, buffer: str, element: Bits) -> z3.BoolRef:
    """`element` is the one that is read, as its index is where the word is read from."""
    (index,) = {term.arg(1) for term in _selects(one.after(f"{buffer}.read_data")) if str(term.arg(0)) == f"{buffer}.mem"}
    return z3.And(one.engine_reads(buffer), index == element)


def _selects(value: Bits) -> Iterator[z3.ExprRef]:
    return (t for t in subterms([value]) if z3.is_select(t))


def a_token_is_taken_after_its_giver_is_over(one: Whole, queue: str) -> None:
    """The numbers of tokens given and taken are imagined registers.  For any n: when the n-th is taken, the n-th was given, by an instruction that is over.
    With fewer than 256 in the queue."""
    giver, gives, taker, takes = QUEUES[queue]
    from_whom, to_whom, count = NAMED[giver], NAMED[taker], one.now(f"{queue}.count")
    given, taken, n = (z3.BitVec(name, COUNTED) for name in ("tokens given", "tokens taken", "n"))
    push, pop = z3.And(one.ends(from_whom), one.bit(from_whom, gives)), z3.And(one.starts(to_whom), one.bit(to_whom, takes))
    given_after, taken_after = given + z3.ZeroExt(COUNTED - 1, bit(push)), taken + z3.ZeroExt(COUNTED - 1, bit(pop))
    counts = z3.And(z3.ZeroExt(COUNTED - 8, count) == given - taken, z3.ULE(taken, given))
    room = [z3.Implies(push, count != 255), given != (1 << COUNTED) - 1]
    after = z3.And(z3.ZeroExt(COUNTED - 8, one.after(f"{queue}.count")) == given_after - taken_after, z3.ULE(taken_after, given_after))
    prove(f"{queue}: it has what was given and not taken", after, [*held(one), counts, *room])
    prove(f"{queue}: nothing after reset", one.after(f"{queue}.count") == 0, [IN_RESET])
    prove(f"{queue}: taken once it was given", z3.Implies(z3.UGT(taken_after, n), z3.UGT(given, n)), [*held(one), counts, *room])
    prove(f"{queue}: who has given is over", z3.Implies(push, one.after(f"{giver}.control.state") == 0), held(one))


def a_hazard_has_no_token_in_between(one: Whole) -> None:
    """Where an element is written and read in one cycle both units are within an instruction, neither of which has given its token or is yet to take it."""
    for buffer, (writer, reader) in SHARED.items():
        written, _, _ = one.written(buffer)
        both = z3.And(*(z3.And(one.executing(NAMED[u]), z3.Not(one.ends(NAMED[u])), z3.Not(one.starts(NAMED[u]))) for u in (writer, reader)))
        prove(f"{buffer}: written and read at once", z3.Implies(z3.And(written, one.engine_reads(buffer)), both), held(one))


def a_unit_keeps_its_registers_until_it_starts(one: Whole) -> None:
    """But for the stages of the multiplier, which compute at any time what the rows that were read make of them."""
    for unit in UNITS:
        under = [*held(one), z3.Not(one.executing(unit)), z3.Not(one.starts(unit))]
        own = (n for n in one.design.registers if n.startswith(unit.registers) and not n.startswith(("fetch.", MULTIPLIER)))
        for name in own:
            prove_equal(name, one.now(name), one.after(name), under)


def nothing_depends_on_what_is_left(one: Whole) -> None:
    """Two machines that differ in registers of data that do not count are the same after a cycle, but for that."""
    both = Left(one, lambda state: settled(one, state), lambda name: split(one, name))
    for name, claim in [*both.registers(), *both.memories(), *both.outputs({"mem_wr_data_bits": "mem_wr_data_valid"})]:
        for case in both.cases(name, claim):
            prove(name, claim, [*held(one), *case])
    for unit in UNITS:
        for name, (part,) in both.parts.items():
            if name.startswith(unit.registers):
                prove(f"{name} does not count between instructions", z3.Implies(z3.Not(one.executing(unit)), z3.Not(part.counts)), held(one))


CLAIMS: list[Callable[[Whole], None]] = [
    control_hangs_together,
    an_instruction_stays_until_it_is_over,
    a_buffer_is_touched_only_by_whom_executes,
    memory_is_asked_only_by_whom_executes,
    a_unit_keeps_its_registers_until_it_starts,
    a_unit_sees_only_its_own,
    another_element_may_be_written_before_or_after,
    a_hazard_has_no_token_in_between,
    nothing_depends_on_what_is_left,
]
EVERY: dict[str, Callable[[Whole], None]] = {claim.__name__: claim for claim in CLAIMS}
EVERY |= {queue: lambda one, queue=queue: a_token_is_taken_after_its_giver_is_over(one, queue) for queue in QUEUES}  # type: ignore[misc]


@pytest.mark.parametrize("name", EVERY, ids=[f"vta-{name.replace('_', '-')}-step" for name in EVERY])
def test_units_commute_but_for_what_tokens_order(name: str) -> None:
    EVERY[name](whole())


def test_all_units_can_be_at_work_at_once() -> None:
    """The claims are not empty: under the invariant every two accesses can come in one cycle."""
    one = whole()
    at_work = [z3.And(one.executing(u), one.working(u)) for u in UNITS]
    hazards = [z3.And(one.written(b)[0], one.engine_reads(b)) for b in ("inp", "wgt")]
    for number, hazard in enumerate(hazards):
        satisfiable(f"hazard {number}", [*held(one), *at_work, hazard])


# Waiting: (module, its parameters) -> when it waits, over its state and inputs.
ENGINES = [("TensorLoad", size) for size in (4, 16)] + [("TensorStore", 4)]


def waits(top: str) -> z3.BoolRef:
    state, served = z3.BitVec("state", 3), {n: z3.BitVec(n, 1) == 1 for n in ("cmd_ready", "data_valid", "data_ready", "ack_valid")}
    if top == "TensorLoad":
        return z3.Or(z3.And(state == 2, z3.Not(served["cmd_ready"])), z3.And(state == 3, z3.Not(served["data_valid"])))
    return z3.Or(*(z3.And(state == s, z3.Not(served[n])) for s, n in ((2, "cmd_ready"), (3, "data_ready"), (4, "ack_valid"))))


def waiting_changes_nothing(engine: OneCycle, top: str) -> None:
    """While it waits an engine keeps every register; else it does what it would if it never had to wait.  So how late memory is changes when, not what."""
    handshakes = {"TensorLoad": ("cmd_ready", "data_valid"), "TensorStore": ("cmd_ready", "data_ready", "ack_valid")}[top]
    served = [(z3.BitVec(n, 1), z3.BitVecVal(1, 1)) for n in handshakes]
    for name in engine.netlist.registers:
        after, before = engine.values[name], z3.BitVec(name, engine.netlist.registers[name].width)
        with about(engine):
            prove_equal(f"{name} while it waits", before, after, [RUNNING, waits(top)])
            prove_equal(f"{name} when it does not", z3.substitute(after, *served), after, [RUNNING, z3.Not(waits(top)), z3.ULE(z3.BitVec("state", 3), 5)])


def engine_of(top: str, size: int, folder: Path = RTL) -> OneCycle:
    return unlifted_cycle(read([folder], top, parameters={"ELEMENT_BYTES": size, "BEAT_BITS": 32}))


@pytest.mark.parametrize(("top", "size"), ENGINES, ids=[f"vta-{top}-{size}-bytes-step" for top, size in ENGINES])
def test_waiting_for_memory_changes_nothing(top: str, size: int) -> None:
    waiting_changes_nothing(engine_of(top, size), top)


MUTATIONS = {
    "tokens-before-the-end": ("InstructionControl.v", "(state == EXECUTE) && !unit_busy", "(state == EXECUTE)", "control_hangs_together"),
    "half-of-a-unit-is-awaited": ("Load.v", ".unit_busy(inp_busy || wgt_busy)", ".unit_busy(inp_busy)", "control_hangs_together"),
    "alu-is-not-awaited": ("Compute.v", "acc_busy || gemm_busy || alu_busy", "acc_busy || gemm_busy", "control_hangs_together"),
    "busy-until-the-last-write": (
        "TensorLoad.v",
        "assign busy        = (state != IDLE)",
        "assign busy        = (state != IDLE) && (state != WRITE)",
        "control_hangs_together",
    ),
    "columns-are-not-begun-anew": ("GenVMECmd.v", "x <= last_x ? 17'd0 : x + 17'd1", "x <= x + 17'd1", "control_hangs_together"),
    "a-grant-moves-on": ("ReadArbiter.v", "left <= left - 8'd1;", "left <= left - 8'd1; grant <= first;", "control_hangs_together"),
    "a-beat-too-few": ("ReadArbiter.v", "left <= mem_cmd_len", "left <= 8'd0", "control_hangs_together"),
    "an-instruction-leaves-at-its-start": ("Load.v", ".start(start), .done(inst_ready)", ".start(inst_ready), .done(start)", "control_hangs_together"),
    "overwritten-at-the-head": ("CommandQueue.v", "enq && before_stays && !stays", "enq && before_stays", "an_instruction_stays_until_it_is_over"),
    "a-queue-of-another": ("VTA.v", ".pop(store_takes)", ".pop(compute_takes_next)", "compute_to_store"),
    "given-by-another": ("VTA.v", ".push(store_gives)", ".push(load_gives)", "store_to_compute"),
    "given-at-the-start": ("InstructionControl.v", "give_next = done && push_next", "give_next = start && push_next", "load_to_compute"),
    "pop-is-not-counted": ("TokenQueue.v", "count - 1'b1", "count", "compute_to_load"),
    "available-to-another": ("VTA.v", ".prev_available(load_to_compute_available)", ".prev_available(compute_to_load_available)", "load_to_compute"),
    "one-unit-looks-at-another": (
        "VTA.v",
        ".next_available(compute_to_load_available)",
        ".next_available(compute_to_load_available && !store_valid)",
        "a_unit_sees_only_its_own",
    ),
    "beats-of-an-element-before": ("TensorLoad.v", "beat == BEAT) bits", "beat != BEAT) bits", "nothing_depends_on_what_is_left"),
    "padding-is-what-came-last": (
        "TensorLoad.v",
        "assign write_data = padding ? {(ELEMENT_BYTES*8){1'b0}} : ",
        "assign write_data = ",
        "nothing_depends_on_what_is_left",
    ),
    "src-is-read-late": ("TensorAlu.v", "else if (state == READ_DST) src", "else if (state == COMPUTE) src", "nothing_depends_on_what_is_left"),
    "a-write-is-passed-on": (
        "TensorMemory.v",
        "read_data <= mem[read_index]",
        "read_data <= write_valid ? write_data : mem[read_index]",
        "another_element_may_be_written_before_or_after",
    ),
}


LONG = ("padding-is-what-came-last", "src-is-read-late")


@pytest.mark.parametrize("mutation", [pytest.param(n, id=f"vta-{n}-step", marks=[pytest.mark.slow] if n in LONG else []) for n in MUTATIONS])
def test_a_mutation_of_the_overlap_is_refuted(tmp_path: Path, mutation: str) -> None:
    file, old, new, claim = MUTATIONS[mutation]
    copy = changed(tmp_path, file, old, new)
    with pytest.raises(NotProved if claim == "a_unit_sees_only_its_own" else Refuted):
        EVERY[claim](Whole(read([copy], "VTA", parameters=dict(SMALL))))


WAITING = {
    "commands-are-not-awaited": ("TensorLoad.v", "if (cmd_ready) state <= RECEIVE", "state <= RECEIVE"),
    "beats-count-without-data": ("TensorLoad.v", "if (data_valid) begin", "begin"),
    "acknowledgement-is-not-awaited": ("TensorStore.v", "if (ack_valid) state <= NEXT", "state <= NEXT"),
    "late-data-is-another": ("TensorLoad.v", "state == RECEIVE && data_valid && burst", "state == RECEIVE && burst"),
}


@pytest.mark.parametrize("mutation", WAITING, ids=[f"vta-{name}-step" for name in WAITING])
def test_a_mutation_of_the_waiting_is_refuted(tmp_path: Path, mutation: str) -> None:
    file, old, new = WAITING[mutation]
    top = file.removesuffix(".v")
    with pytest.raises(Refuted) as caught:
        waiting_changes_nothing(engine_of(top, 4, changed(tmp_path, file, old, new)), top)
    must_be_confirmed(caught.value)


def changed(folder: Path, file: str, old: str, new: str) -> Path:
    """A copy of the RTL with one text replaced."""
    assert (RTL / file).read_text().count(old) == 1
    for source in RTL.glob("*.v"):
        text = source.read_text()
        (folder / source.name).write_text(text.replace(old, new) if source.name == file else text)
    return folder
