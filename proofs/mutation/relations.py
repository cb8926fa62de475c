"""A design in the tree and a changed one -> a proof that both do the same from reset on, or nothing.

By the invariant of the right design and by what counts in its pipelines (`proofs.pipelines`, `proofs.vta_units`): seconds, where the search of `sequential` is
of minutes and looks at no conditions of more than one register.  The invariants themselves are proved by `test_rest` and `test_vta_overlap`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import z3

from lift.netlist.model import Netlist
from proofs import pipelines, vta_units
from proofs.left import Left
from proofs.solve import NotProved, prove

RLIMIT = 5_000_000
DIM = 4
READ, WRITTEN = "mem_req_valid", "mem_req_write"


def gemmini(right: Netlist, other: Netlist) -> str:
    """What was proved, in words; empty if nothing was."""
    one = pipelines.Machine(right, DIM)

    def left(equal: bool) -> Left:
        return Left(one, lambda state: pipelines.settled(one, state), lambda _: pipelines.split(one), other, equal)

    held = [pipelines.of_one_dataflow(one), *pipelines.invariant(one, one.now).values()]
    return _related(right, other, left, held, {"mem_req_addr": READ, "mem_req_data": WRITTEN, "mem_req_mask": WRITTEN})


def vta(right: Netlist, other: Netlist) -> str:
    """The same of rtl/vta, with blocks of 4."""
    one = vta_units.Whole(right)

    def left(equal: bool) -> Left:
        return Left(one, lambda state: vta_units.settled(one, state), lambda name: vta_units.split(one, name), other, equal)

    return _related(right, other, left, [*vta_units.invariant(one).values()], {"mem_wr_data_bits": "mem_wr_data_valid"})


def _related(right: Netlist, other: Netlist, left: Callable[[bool], Left], held: list[z3.BoolRef], counts_with: Mapping[str, str]) -> str:
    if _shape(right) != _shape(other):
        return ""
    both, reset = left(False), z3.BitVec("reset", 1)
    try:
        for name, claim in [*both.registers(), *both.memories(), *both.outputs(counts_with)]:
            for case in both.cases(name, claim):
                prove(name, claim, [reset == 0, *held, *case], rlimit=RLIMIT)
        for name, claim in left(True).registers():
            prove(f"{name}, after reset", claim, [reset == 1], rlimit=RLIMIT)
    except NotProved:
        return ""
    return "the same but for what does not count in pipelines"


def _shape(netlist: Netlist) -> tuple[object, ...]:
    registers = {n: r.width for n, r in netlist.registers.items()}
    return netlist.inputs, {n: o.width for n, o in netlist.outputs.items()}, registers, {n: (m.depth, m.width) for n, m in netlist.memories.items()}
