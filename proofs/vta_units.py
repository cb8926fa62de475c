"""rtl/vta as a whole -> what its three modules see of each other, and when: the parts of a proof that tokens order all that they share.

One cycle of the whole design, over free registers, memories and inputs.  `UNITS` says which registers are whose; a buffer has one unit that writes it
and one that reads it.
"""

from __future__ import annotations

from dataclasses import dataclass

import z3

from lift.crosscheck.bits import Bits, const, extract
from lift.crosscheck.meaning import Meaning
from lift.netlist.model import Netlist
from proofs.left import Part, State

IDLE, COMMAND, RECEIVE, WRITE = 0, 2, 3, 4  # of a load; the arbiter has others
ASKED, DATA = 1, 2  # of the arbiter
POP_PREV, POP_NEXT, PUSH_PREV, PUSH_NEXT = 3, 4, 5, 6  # bits of an instruction


@dataclass(frozen=True, slots=True)
class Unit:
    """A module that executes instructions: whose registers are whose, parts that work, queues that it takes tokens from, buffers that it reads and writes."""

    name: str
    registers: tuple[str, ...]
    engines: tuple[str, ...]
    takes: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]


UNITS = (
    Unit("load", ("load.", "fetch.load_queue."), ("inp_load", "wgt_load"), ("compute_to_load",), (), ("inp", "wgt")),
    Unit(
        "compute",
        ("compute.", "fetch.compute_queue.", "inp.read_data", "wgt.read_data"),
        ("uop_load", "acc_load", "gemm", "alu"),
        ("load_to_compute", "store_to_compute"),
        ("inp", "wgt", "compute.uop", "compute.acc"),
        ("out", "compute.uop", "compute.acc"),
    ),
    Unit("store", ("store.", "fetch.store_queue.", "out.read_data"), ("out_store",), ("compute_to_store",), ("out",), ()),
)
NAMED = {unit.name: unit for unit in UNITS}
SHARED = {"inp": ("load", "compute"), "wgt": ("load", "compute"), "out": ("compute", "store")}
"""A buffer -> who writes it, who reads it."""
QUEUES = {
    "load_to_compute": ("load", PUSH_NEXT, "compute", POP_PREV),
    "compute_to_load": ("compute", PUSH_PREV, "load", POP_NEXT),
    "compute_to_store": ("compute", PUSH_NEXT, "store", POP_PREV),
    "store_to_compute": ("store", PUSH_PREV, "compute", POP_NEXT),
}
"""A queue of tokens -> who gives and by which bit of the instruction, who takes and by which."""
MULTIPLIER = "compute.gemm.mvu."
CLIENTS = ("compute.uop_load", "compute.acc_load", "load.inp_load", "load.wgt_load")
"""Of the arbiter, by the bit of its grant."""


class Whole:
    """One cycle of the design."""

    def __init__(self, design: Netlist) -> None:
        self.design, self.meaning = design, Meaning(design)
        self.given: dict[str, Bits] = {}

    def now(self, name: str) -> Bits:
        return z3.BitVec(name, self.design.registers[name].width)

    def after(self, name: str) -> Bits:
        return self.meaning.value(self.design.registers[name].next).bits

    def output(self, name: str) -> Bits:
        return self.meaning.value(self.design.outputs[name]).bits

    # of a unit

    def executing(self, unit: Unit) -> z3.BoolRef:
        return self.now(f"{unit.name}.control.state") == 1

    def working(self, unit: Unit) -> z3.BoolRef:
        return z3.Or(*(self.now(f"{unit.name}.{engine}.state") != IDLE for engine in unit.engines))

    def starts(self, unit: Unit) -> z3.BoolRef:
        return z3.And(z3.Not(self.executing(unit)), self.after(f"{unit.name}.control.state") == 1)

    def ends(self, unit: Unit) -> z3.BoolRef:
        return z3.And(self.executing(unit), z3.Not(self.working(unit)))

    def bit(self, unit: Unit, number: int) -> z3.BoolRef:
        """A bit of the instruction at the head of its queue, which is executed or is the next to be."""
        return extract(self.now(f"fetch.{unit.name}_queue.slot[0].slot_bits"), number, 1) == 1

    # of a buffer

    def written(self, buffer: str) -> tuple[z3.BoolRef, Bits, Bits]:
        """Whether an element is written, which, and with what."""
        (port,) = self.design.memories[f"{buffer}.mem"].writes
        assert port.mask is None
        enable, address, data = (self.meaning.value(n).bits for n in (port.enable, port.address, port.data))
        return enable == 1, address, data

    def engine_reads(self, buffer: str) -> z3.BoolRef:
        """Whether an element is read, as the states of the reader say."""
        if buffer == "out":
            return self.now("store.out_store.state") == 1
        return self.now("compute.gemm.state") == 2


def invariant(whole: Whole) -> dict[str, z3.BoolRef]:
    """Conjuncts by what they say."""
    return _invariant(whole, whole.now)


def invariant_after(whole: Whole) -> dict[str, z3.BoolRef]:
    return _invariant(whole, whole.after)


def _invariant(whole: Whole, s: State) -> dict[str, z3.BoolRef]:
    found: dict[str, z3.BoolRef] = {}
    for unit in UNITS:
        working = z3.Or(*(s(f"{unit.name}.{engine}.state") != IDLE for engine in unit.engines))
        head = s(f"fetch.{unit.name}_queue.slot[0].slot_valid") == 1
        found[f"{unit.name} works only while it executes"] = z3.Implies(working, s(f"{unit.name}.control.state") == 1)
        found[f"{unit.name} executes what is at the head of its queue"] = z3.Implies(s(f"{unit.name}.control.state") == 1, head)
        for engine in unit.engines:
            found[f"{unit.name}.{engine} counts only while it works"] = _counts(whole, s, f"{unit.name}.{engine}")
    return found | _port(whole, s)


def _counts(whole: Whole, s: State, engine: str) -> z3.BoolRef:
    """Counters and sums of an engine at rest are those of reset."""
    counters = ("beat", "burst", "gen_cmd.x", "gen_cmd.y", "loop.uop_index", "loop.cnt_i", "loop.cnt_o")
    names = [f"{engine}.{c}" for c in counters] + [n for n in whole.design.registers if n.startswith(f"{engine}.") and n.endswith((".sum_i", ".sum_o"))]
    state, most = s(f"{engine}.state"), 4 if engine in CLIENTS else 5
    within = [z3.ULE(state, most)]
    if engine in CLIENTS:
        within += [z3.Implies(state != RECEIVE, s(f"{engine}.beat") == 0), z3.Implies(z3.And(state != RECEIVE, state != COMMAND), s(f"{engine}.burst") == 0)]
    if engine == "store.out_store":
        within.append(z3.Implies(state != 3, s(f"{engine}.beat") == 0))
    return z3.And(*within, z3.Implies(state == IDLE, z3.And(*(s(n) == 0 for n in names if n in whole.design.registers))))


def _port(whole: Whole, s: State) -> dict[str, z3.BoolRef]:
    """The arbiter and its clients: who waits for data is the one that asked for it, and gets as many beats as it asked for."""
    state, grant, left = s("read_arbiter.state"), s("read_arbiter.grant"), s("read_arbiter.left")
    found = {"the states of the arbiter": state != 3}
    found["one client is granted, unless the arbiter rests"] = z3.And(
        z3.Implies(state == IDLE, grant == 0), z3.Implies(state != IDLE, z3.Or(*(grant == 1 << k for k in range(len(CLIENTS)))))
    )
    for k, client in enumerate(CLIENTS):
        mine, beat = grant == 1 << k, s(f"{client}.beat")
        last = z3.simplify(whole.meaning.value(whole.design.outputs["mem_rd_cmd_len"]).bits)
        length = z3.simplify(z3.substitute(last, (whole.now("read_arbiter.grant"), const(1 << k, len(CLIENTS)))))
        found[f"{client} is granted what it asks for"] = z3.Implies(z3.And(state == ASKED, mine), s(f"{client}.state") == COMMAND)
        asks = z3.Or(*(s(f"{client}.state") == state for state in (COMMAND, RECEIVE)))
        found[f"{client} asks for no padding"] = z3.Implies(asks, z3.Not(padding(whole, s, client)))
        found[f"{client} gets an element in one burst"] = z3.And(s(f"{client}.burst") == 0, z3.ULE(beat, length))
        found[f"{client} waits for data exactly when it comes next"] = (s(f"{client}.state") == RECEIVE) == z3.And(state == DATA, mine)
        found[f"{client} gets as many beats as it asked for"] = z3.Implies(z3.And(state == DATA, mine), left == length - beat)
    return found


def padding(whole: Whole, s: State, client: str) -> z3.BoolRef:
    """Whether the element that a load is at is one of the padding: outside of ysize rows of xsize elements behind ypad_0 rows and xpad_0 elements."""
    inst = s(f"fetch.{client.partition('.')[0]}_queue.slot[0].slot_bits")
    found = []
    for counter, size, pad in (("y", 64, 112), ("x", 80, 120)):
        at, first = s(f"{client}.gen_cmd.{counter}"), z3.ZeroExt(13, extract(inst, pad, 4))
        found += [z3.ULT(at, first), z3.UGE(at, first + z3.ZeroExt(1, extract(inst, size, 16)))]
    return z3.Or(*found)


def settled(whole: Whole, s: State) -> dict[str, list[Part]]:
    """Registers of data, and when they count; all others always do.  With blocks of 4 an element is one burst."""
    gemm, alu, store = (s(f"{engine}.state") for engine in ("compute.gemm", "compute.alu", "store.out_store"))

    def within(state: Bits, *states: int) -> z3.BoolRef:
        return z3.Or(*(state == each for each in states))

    conditions = {
        "compute.uop.read_data": z3.Or(within(gemm, 2, 3, 4, 5), within(alu, 2, 3, 4, 5)),
        "compute.acc.read_data": z3.Or(within(gemm, 3, 4, 5), within(alu, 3, 4)),
        "inp.read_data": gemm == 3,
        "wgt.read_data": gemm == 3,
        "out.read_data": within(store, 2, 3),
        "compute.alu.src": alu == 4,
    }
    for name in whole.design.registers:
        if name.startswith(MULTIPLIER):
            conditions[name] = gemm == (5 if name.endswith(".r_y") else 4)
        elif name.startswith("compute.alu.lane"):
            conditions[name] = alu == 5
        elif ".part[" in name:
            client, _, rest = name.partition(".part[")
            come = z3.And(s(f"{client}.state") == RECEIVE, z3.UGT(s(f"{client}.beat"), int(rest.partition("]")[0])))
            conditions[name] = z3.Or(come, z3.And(s(f"{client}.state") == WRITE, z3.Not(padding(whole, s, client))))
    return {name: [Part(0, whole.design.registers[name].width, condition)] for name, condition in conditions.items()}


def split(whole: Whole, name: str) -> list[Bits]:
    """Bits by whose values a claim about `name` is split: on them depends which stage of the multiplier, or of the lanes, counts."""
    return [whole.now(f"compute.{engine}.state") for engine in ("gemm", *(["alu"] if name.startswith("compute.alu.lane") else []))]


def view(whole: Whole, unit: Unit) -> set[str]:
    """What the next state of a unit may depend on: itself, tokens for it, buffers that it reads, the port, and instructions that come in."""
    own = {n for n in whole.design.registers if n.startswith(unit.registers)}
    tokens = {f"{queue}.count" for queue in unit.takes}
    port = {n for n in whole.design.registers if n.startswith("read_arbiter.")} if unit.name != "store" else set()
    inputs = {n for n in whole.design.inputs if n.startswith(("inst_", "mem_wr_" if unit.name == "store" else "mem_rd_"))}
    return own | tokens | port | inputs | {f"{buffer}.mem" for buffer in unit.reads} | {"reset"}
