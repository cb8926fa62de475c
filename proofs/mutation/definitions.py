"""Two readings of the same design, one with a change -> the module definitions whose behaviour in one cycle differs.

Instances are black boxes, so the comparison is as small as the module that was changed. Both are functions of the same free inputs, registers and
memories; what one has and the other has not is a difference.
"""

from __future__ import annotations

from collections.abc import Iterator

import z3

from lift.crosscheck.bits import Bits, address_bits, const
from lift.crosscheck.decide import decide, decide_equal
from lift.crosscheck.definitions import definitions
from lift.crosscheck.meaning import Meaning, Value
from lift.netlist.model import Memory, Netlist

RLIMIT = 5_000_000


def all_equal(right: Netlist, wrong: Netlist, rlimit: int = RLIMIT) -> bool:
    """Every definition of the design is proved to have the same next state, outputs and instance inputs in both."""
    assert right.design is not None and wrong.design is not None
    ours, theirs = ({d.key: d for d in definitions(each.design)} for each in (right, wrong) if each.design)
    if ours.keys() != theirs.keys():
        return False
    for key, one in ours.items():
        other = theirs[key]
        if one.netlist is None or other.netlist is None or one.clocks != other.clocks or one.resets != other.resets:
            return False
        if not same_cycle(one.netlist, other.netlist, rlimit):
            return False
    return True


def same_cycle(one: Netlist, other: Netlist, rlimit: int = RLIMIT) -> bool:
    """Next registers, memories and outputs are proved equal, for any state and inputs."""
    if _shape(one) != _shape(other):
        return False
    return all(proved_equal(a, b, rlimit) for a, b in pairs(one, Meaning(one), other, Meaning(other)))


def pairs(one: Netlist, first: Meaning, other: Netlist, second: Meaning) -> Iterator[tuple[Value, Value]]:
    """What has to be equal: next registers, words of memories at any place, outputs."""
    for name, register in one.registers.items():
        yield first.value(register.next), second.value(other.registers[name].next)
    for name, node in one.outputs.items():
        yield first.value(node), second.value(other.outputs[name])
    for name, memory in one.memories.items():
        index = z3.BitVec(f"{name}[any]", address_bits(memory.depth))
        yield first.word_after(memory, index), second.word_after(other.memories[name], index)


def proved_equal(a: Value, b: Value, rlimit: int = RLIMIT) -> bool:
    """Equal where either is defined, and undefined in the same bits."""
    nothing = const(0, a.bits.size())
    unknown: list[Bits] = [nothing if v.unknown is None else v.unknown for v in (a, b)]
    if not (unknown[0] is unknown[1] or unknown[0].eq(unknown[1])) and decide(unknown[0] == unknown[1], [], rlimit)[0] != "agreed":
        return False
    return a.bits.eq(b.bits) or decide_equal(a.bits, b.bits, [], rlimit)[0] == "agreed"


def _shape(netlist: Netlist) -> tuple[object, ...]:
    registers = {n: (r.width, r.initial) for n, r in netlist.registers.items()}
    memories = {n: _sizes(m) for n, m in netlist.memories.items()}
    return netlist.inputs, {n: o.width for n, o in netlist.outputs.items()}, registers, memories


def _sizes(memory: Memory) -> tuple[object, ...]:
    return memory.depth, memory.width, memory.initial
