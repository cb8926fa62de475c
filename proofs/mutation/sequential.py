"""Two designs -> a proof that nobody outside can tell them apart, from reset on, or nothing.

The proof is a relation between their states: the registers that are always equal, the registers that are equal as long as some control bit has some
value, and invariants of the control of the original.  It is the largest that is inductive, found by dropping what a counterexample refutes until
none is left: every dropped candidate costs nothing but strength.  It holds after a cycle of reset from equal states, it is kept by every cycle
under any inputs, and it makes the outputs equal: payloads where their valid bit is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations

import z3

from lift.crosscheck.bits import Bits, address_bits, extract
from lift.crosscheck.decide import decide
from lift.crosscheck.meaning import Meaning, Value, variable
from lift.discover.contract import Contract
from lift.netlist.model import Netlist
from proofs.mutation.control import Invariant, Literal, literals, registers_of
from proofs.mutation.held import Held

RLIMIT = 10_000_000
ROUNDS = 60
PIECE, WIDE = 8, 32
"""Registers of more bits than `WIDE` are looked at in pieces."""
FEW = 16
"""So many registers may be unequal at times where only ranges are known: of more, it takes long to find out that these do not suffice."""
WIDER = ({}, {"pairs": True}, {"near": False})
"""What is tried in turn, with more invariants, where a relation is not found."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """Bits [low, low + width) of register `name` are equal in both while each of `guards` holds."""

    name: str
    low: int
    width: int
    guards: tuple[Literal, ...]


@dataclass(slots=True)
class Compared:
    """The original; `invariants` that were proved of it, and `more` to prove where these do not suffice."""

    netlist: Netlist
    contract: Contract
    invariants: list[Invariant] = field(default_factory=list)
    more: Callable[[Netlist, Contract, list[Invariant]], list[Invariant]] | None = None

    def proof(self, other: Netlist) -> str:
        """What was proved, in words; empty if nothing was."""
        first, second = self.netlist, other
        if first.inputs != second.inputs or {n: o.width for n, o in first.outputs.items()} != {n: o.width for n, o in second.outputs.items()}:
            return ""
        if {n: (m.depth, m.width) for n, m in first.memories.items()} != {n: (m.depth, m.width) for n, m in second.memories.items()}:
            return ""
        if found := _Relation(self, second).search(None if self.more is None else FEW):
            return found
        if self.more is None:
            return _Relation(self, second, near=False).search()
        known = replace(self, invariants=[*self.invariants, *self.more(first, self.contract, self.invariants)])
        return next((found for kind in WIDER if (found := _Relation(known, second, **kind).search())), "")


class _Relation:
    """With `near`, registers are equal under values only of control that is read with them: far fewer candidates, and mostly enough; with `pairs`, whole
    registers under values of two such registers, or of some that are written to memory with them."""

    def __init__(self, compared: Compared, other: Netlist, near: bool = True, pairs: bool = False) -> None:
        self.first, self.second, self.contract = compared.netlist, other, compared.contract
        self.invariants = compared.invariants
        live = observable(self.first) | observable(other)
        self.equal = {n: None for n in self.first.registers if n in live and n in self.second.registers}
        self.meant = len(live)
        self.guarded: list[Guarded] = []
        self.pairs = pairs
        self.meaning = Meaning(self.first)
        self.known = literals(self.first, self.contract)
        writes = [registers_of(*(n for n in (w.enable, w.address, w.data, w.mask) if n)) for m in self.first.memories.values() for w in m.writes]
        self.readers = [*(registers_of(r.next) | {n} for n, r in self.first.registers.items()), *(writes if pairs else ())] if near else None

    def search(self, most: int | None = None) -> str:
        """The relation in words; empty if there is none, or none but with more than `most` registers that are not always equal."""
        candidates = len(self.equal)
        for _ in range(ROUNDS):
            lost = self.lost()
            if lost is None or (most is not None and candidates - len(self.equal) > most):
                return ""
            if not lost:
                return self.words() if self.outputs_agree() else ""
            for each in lost:
                if isinstance(each, Guarded):
                    self.guarded.remove(each)
                else:
                    del self.equal[each]
                    self.guarded += self.weaker(each)
        return ""

    def weaker(self, name: str) -> Iterator[Guarded]:
        """What may still hold of a register that is not always equal."""
        single = [each for each in self.known if each.register != name and each.register in self.equal and self.is_near(name, each.register)]
        guards = [(each,) for each in single] + (list(combinations(single, 2)) if self.pairs else [])
        width = min(self.first.registers[name].width, self.second.registers[name].width)
        size = PIECE if width > WIDE and not self.pairs else width
        for low in range(0, width, size):
            bits = min(size, width - low)
            if bits < width:
                yield Guarded(name, low, bits, ())
            yield from (Guarded(name, low, bits, each) for each in guards)

    def is_near(self, name: str, control: str) -> bool:
        return self.readers is None or any(name in each and control in each for each in self.readers)

    def words(self) -> str:
        kept = {each.name for each in self.guarded}
        rest = self.meant - len(self.equal) - len(kept)
        return f"{len(self.equal)} registers always equal, {len(kept)} equal in part or under a condition, {rest} that do not matter"

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
        """What is known of a state of both; of what is held only that of registers which are not always equal."""
        state = {n: variable(n, r.width) for n, r in self.first.registers.items()}
        held: list[Bits] = [each.over(state) for each in self.invariants if not (isinstance(each, Held) and each.register in self.equal)]
        return [*held, *(self.holds(each, state, {n: v.bits for n, v in given.items()}, state) for each in self.guarded)]

    def holds(self, each: Guarded, own: Mapping[str, Bits], other: Mapping[str, Bits], guards: Mapping[str, Bits]) -> Bits:
        same = extract(own[each.name], each.low, each.width) == extract(other[each.name], each.low, each.width)
        return z3.Implies(z3.And(*(guard.over(guards) for guard in each.guards)), same)

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
        return lost or list(dict.fromkeys([*self.refuted(other, assumed), *self.refuted(start, in_reset)]))

    def refuted(self, other: Meaning, assumed: list[Bits]) -> list[str | Guarded]:
        """Guarded candidates that a cycle does not keep, a counterexample refuting many at once."""
        names = {n for each in self.guarded for n in (each.name, *(guard.register for guard in each.guards))}
        own = {n: self.meaning.value(self.first.registers[n].next).bits for n in names}
        theirs = {each.name: other.value(self.second.registers[each.name].next).bits for each in self.guarded}
        then = {each: self.holds(each, own, theirs, own) for each in self.guarded}
        left = list(self.guarded)
        while left:
            answer, model = decide(z3.And(*(then[each] for each in left)), assumed, RLIMIT)
            if answer == "agreed":
                break
            kept = [] if model is None else [each for each in left if z3.is_true(model.eval(then[each], model_completion=True))]
            left = kept if len(kept) < len(left) else []
        return [each for each in self.guarded if each not in set(left)]

    def outputs_agree(self) -> bool:
        given = self.given()
        other, assumed = Meaning(self.second, given), self.assumptions(given)
        return all(self.output_agrees(name, other, assumed) for name in self.first.outputs)

    def output_agrees(self, name: str, other: Meaning, assumed: list[Bits]) -> bool:
        """Where its valid bit is one; data and mask where memory is written, and of the data the bytes whose mask bit is one."""
        own, theirs = self.meaning.value(self.first.outputs[name]), other.value(self.second.outputs[name])
        valid, memory = self.valid_of(name), self.contract.memory
        when = [*assumed, *([self.meaning.value(self.first.outputs[valid]).bits == 1] if valid else [])]
        if memory is not None and memory.write is not None and name in (memory.write_data, memory.write_mask):
            when.append(self.meaning.value(self.first.outputs[memory.write]).bits == 1)
        if memory is None or name != memory.write_data or memory.write_mask is None:
            return _agree(own, theirs, when)
        mask = self.meaning.value(self.first.outputs[memory.write_mask]).bits
        lanes = range(mask.size())
        return own.unknown is theirs.unknown is None and all(
            decide(z3.Implies(extract(mask, k, 1) == 1, extract(own.bits, 8 * k, 8) == extract(theirs.bits, 8 * k, 8)), when, RLIMIT)[0] == "agreed"
            for k in lanes
        )

    def valid_of(self, name: str) -> str | None:
        """The output that says whether `name` means anything in this cycle."""
        memory = self.contract.memory
        if memory and name in {memory.address, memory.write, memory.write_data, memory.write_mask}:
            return memory.request_valid
        found = [c.valid for c in self.contract.channels if c.output and c.valid and name in c.payload.values()]
        return found[0] if found else None


def observable(netlist: Netlist) -> set[str]:
    """Registers that outputs and memories depend on, by whatever way."""
    roots = [*netlist.outputs.values(), *(n for m in netlist.memories.values() for w in m.writes for n in (w.enable, w.address, w.data, w.mask) if n)]
    found: set[str] = set()
    while roots:
        new = registers_of(*roots) - found
        found |= new
        roots = [netlist.registers[name].next for name in new]
    return found


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
