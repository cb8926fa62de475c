"""Two designs -> a proof that nobody outside can tell them apart, from reset on, or nothing.

The proof is a relation between their states: the registers that are always equal, the registers that are equal as long as some control bit has some
value, and invariants of the control of the original.  It is the largest that is inductive, found by dropping what a counterexample refutes until
none is left: every dropped candidate costs nothing but strength.  It holds after a cycle of reset from equal states, it is kept by every cycle
under any inputs, and it makes the outputs equal: payloads where their valid bit is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import z3

from lift.crosscheck.bits import Bits, address_bits, extract
from lift.crosscheck.decide import decide
from lift.crosscheck.meaning import Meaning, Value, variable
from lift.discover.contract import Contract
from lift.netlist.model import Netlist
from proofs.mutation.control import Clause, Literal, literals

RLIMIT = 10_000_000
ROUNDS = 60


@dataclass(frozen=True, slots=True)
class Guarded:
    """Register `name` is equal in both while `guard` holds."""

    name: str
    guard: Literal


@dataclass(slots=True)
class Compared:
    """The original, and `invariants` that were proved of it once for all mutants."""

    netlist: Netlist
    contract: Contract
    invariants: list[Clause] = field(default_factory=list)

    def proof(self, other: Netlist) -> str:
        """What was proved, in words; empty if nothing was."""
        first, second = self.netlist, other
        if first.inputs != second.inputs or {n: o.width for n, o in first.outputs.items()} != {n: o.width for n, o in second.outputs.items()}:
            return ""
        if {n: (m.depth, m.width) for n, m in first.memories.items()} != {n: (m.depth, m.width) for n, m in second.memories.items()}:
            return ""
        return _Relation(self, second).search()


class _Relation:
    def __init__(self, compared: Compared, other: Netlist) -> None:
        self.first, self.second, self.contract = compared.netlist, other, compared.contract
        self.invariants = compared.invariants
        common = [n for n in self.first.registers if n in self.second.registers]
        self.equal = dict.fromkeys(common)
        self.guarded: list[Guarded] = []
        self.meaning = Meaning(self.first)

    def search(self) -> str:
        for _ in range(ROUNDS):
            lost = self.lost()
            if lost is None:
                return ""
            if not lost:
                return self.words() if self.outputs_agree() else ""
            for each in lost:
                if isinstance(each, Guarded):
                    self.guarded.remove(each)
                else:
                    del self.equal[each]
                    self.guarded += [Guarded(each, guard) for guard in self.guards(each)]
        return ""

    def guards(self, name: str) -> Iterator[Literal]:
        return (each for each in literals(self.first, self.contract) if each.register != name and each.register in self.equal)

    def words(self) -> str:
        free = len(self.first.registers) - len(self.equal)
        kept = {each.name for each in self.guarded}
        return f"{len(self.equal)} registers always equal, {len(kept)} equal under a condition, {free - len(kept)} without meaning"

    # The states of both: shared variables where they are equal

    def given(self, always: bool = False) -> dict[str, Value]:
        """The registers of the second, in terms of those of the first where they are equal; `always`: all that both have."""
        found = {}
        for name, register in self.second.registers.items():
            mine = variable(f"other {name}", register.width)
            if name in self.first.registers and (always or name in self.equal):
                mine = _fitted(variable(name, self.first.registers[name].width), mine)
            found[name] = Value(mine)
        return found

    def assumptions(self, given: Mapping[str, Value]) -> list[Bits]:
        state = {n: variable(n, r.width) for n, r in self.first.registers.items()}
        held: list[Bits] = [clause.over(state) for clause in self.invariants]
        for each in self.guarded:
            a, b = _cut(state[each.name], given[each.name].bits)
            held.append(z3.Implies(each.guard.over(state), a == b))
        return held

    def lost(self) -> list[str | Guarded] | None:
        """Candidates that are not kept; None when a memory is not."""
        given = self.given()
        other, assumed = Meaning(self.second, given), self.assumptions(given)
        start = Meaning(self.second, self.given(True))
        in_reset = [variable(str(self.contract.reset), 1) == self.contract.reset_active] if self.contract.reset else []
        for name, memory in self.first.memories.items():
            index = z3.BitVec(f"{name}[any]", address_bits(memory.depth))
            before, after = self.meaning.word_after(memory, index), other.word_after(self.second.memories[name], index)
            if not _agree(before, after, assumed):
                return None
        lost: list[str | Guarded] = []
        for name in self.equal:
            own = self.meaning.value(self.first.registers[name].next)
            next_ = self.second.registers[name].next
            if not _agree(own, other.value(next_), assumed) or not _agree(own, start.value(next_), in_reset):
                lost.append(name)
        return lost or [each for each in self.guarded if not self.kept(each, other, assumed) or not self.kept(each, start, in_reset)]

    def kept(self, each: Guarded, other: Meaning, assumed: list[Bits]) -> bool:
        after = {each.guard.register: self.meaning.value(self.first.registers[each.guard.register].next).bits}
        own, theirs = self.meaning.value(self.first.registers[each.name].next), other.value(self.second.registers[each.name].next)
        return _agree(own, theirs, [*assumed, each.guard.over(after)])

    def outputs_agree(self) -> bool:
        given = self.given()
        other, assumed = Meaning(self.second, given), self.assumptions(given)
        for name, node in self.first.outputs.items():
            valid = self.valid_of(name)
            when = [self.meaning.value(self.first.outputs[valid]).bits == 1] if valid else []
            if not _agree(self.meaning.value(node), other.value(self.second.outputs[name]), [*assumed, *when]):
                return False
        return True

    def valid_of(self, name: str) -> str | None:
        """The output that says whether `name` means anything in this cycle."""
        memory = self.contract.memory
        if memory and name in {memory.address, memory.write, memory.write_data, memory.write_mask}:
            return memory.request_valid
        found = [c.valid for c in self.contract.channels if c.output and c.valid and name in c.payload.values()]
        return found[0] if found else None


def _fitted(own: Bits, other: Bits) -> Bits:
    """`own` in the width of `other`, whose upper bits are free."""
    a, b = own.size(), other.size()
    return own if a == b else extract(own, 0, b) if b < a else z3.Concat(extract(other, a, b - a), own)


def _cut(a: Bits, b: Bits) -> tuple[Bits, Bits]:
    width = min(a.size(), b.size())
    return extract(a, 0, width), extract(b, 0, width)


def _agree(one: Value, other: Value, assuming: list[Bits]) -> bool:
    """Proved equal in the bits that both have, and undefined in the same."""
    a, b = _cut(one.bits, other.bits)
    if not (a.eq(b) or decide(a == b, assuming, RLIMIT)[0] == "agreed"):
        return False
    if one.unknown is None and other.unknown is None:
        return True
    zero = z3.BitVecVal(0, one.bits.size())
    masks = _cut(zero if one.unknown is None else one.unknown, zero if other.unknown is None else other.unknown)
    return masks[0].eq(masks[1]) or decide(masks[0] == masks[1], assuming, RLIMIT)[0] == "agreed"
