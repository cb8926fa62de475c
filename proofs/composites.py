"""A composite of the specification, and its parts executed one after the other: the proof that they do the same.

What the first part leaves in registers and buffers is what the second finds.  Products are variables (`products`): equal where their factors are, zero
where one is; so the sums of both sides are the same terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import z3

from act.taidl import Accelerator, Composite, Expr, Instruction, Int, Name, Part, Slice, Write
from proofs.encodings import prove_arrays_exist
from proofs.integers import Integer, condition, constant, exact, less, modulo, unsigned
from proofs.meaning import variable
from proofs.products import SUM, WORD, Products, chain, is_product, sign_extended, sum_of, summands, sums_agree, term, total
from proofs.solve import NotProved, prove, prove_equal
from proofs.specification import REGISTERS, Command, places
from proofs.tensors import width_of

WIDE = 33  # bits of an attribute that is in no field as it stands
INDEX_BITS = 8


class Issued(Command):
    """A part: its attributes have values, registers are as `registers` says, and `left` is what another part has written before."""

    def __init__(
        self, accelerator: Accelerator, operation: Instruction, values: dict[str, Integer], registers: dict[str, z3.BitVecRef], left: Left | None
    ) -> None:
        self.values, self.registers, self.left = values, registers, left
        super().__init__(accelerator, operation)

    @cached_property
    def wide(self) -> dict[str, Integer]:
        found = dict(self.values)
        for use in self.operation.uses:
            if use.name is not None:
                found[use.name] = unsigned(self.register(use.state, use.index))
        return found

    def register(self, name: str, index: Expr | None = None) -> z3.BitVecRef:
        return self.registers[name] if index is None and name in self.registers else super().register(name, index)

    def read(self, slice_: Slice, index: Sequence[Integer]) -> z3.BitVecRef:
        before = super().read(slice_, index)
        if self.left is None or self.left.buffer != slice_.buffer:
            return before
        names = self.indexed(slice_, index)
        written, value = self.left([exact(c, names) for c in slice_.coordinates])
        return z3.If(written, value, before)


class Left:
    """What a part has written to a buffer: coordinates -> (whether it is one of the elements written, its value)."""

    def __init__(self, part: Issued, write: Write) -> None:
        self.part, self.write, self.buffer = part, write, write.slice.buffer
        self.place = {c.name: k for k, c in enumerate(write.slice.coordinates) if isinstance(c, Name)}
        if set(self.place) != {i.name for i in write.slice.indices}:
            raise NotProved(f"{part.operation.name}: what is written is read again, and its places are no plain indices")

    def __call__(self, coordinates: Sequence[Integer]) -> tuple[z3.BoolRef, z3.BitVecRef]:
        index = [coordinates[self.place[i.name]] for i in self.write.slice.indices]
        there = [self.part.inside(self.write.slice, index)]
        for k, coordinate in enumerate(self.write.slice.coordinates):
            if k not in self.place.values():
                there.append(_same(exact(coordinate, self.part.names), coordinates[k]))
        return z3.And(*there), self.part.tensors.element(self.write.name, tuple(index))


def _same(a: Integer, b: Integer) -> z3.BoolRef:
    return z3.And(z3.Not(less(a, b)), z3.Not(less(b, a)))


class Whole(Command):
    """The composite itself; an attribute is as wide as the field that it goes to."""

    def __init__(self, accelerator: Accelerator, composite: Composite) -> None:
        self.parts = composite.parts
        self.instructions = accelerator.instructions
        super().__init__(accelerator, composite.operation)

    def _widths(self) -> dict[str, int]:
        found = dict.fromkeys(self.operation.attributes, WIDE)
        for part in self.parts:
            fields = {f.value.name: f.high - f.low + 1 for f in self.instructions[part.instruction].encode if isinstance(f.value, Name)}
            found |= {v.name: fields[n] for n, v in part.arguments.items() if isinstance(v, Name)}
        return found


class Pair:
    """Two parts in sequence."""

    def __init__(self, accelerator: Accelerator, composite: Composite) -> None:
        self.accelerator, self.whole = accelerator, Whole(accelerator, composite)
        self.what = composite.operation.name
        first, second = composite.parts
        self.first = self._issued(first, {}, None)
        self.after_first = self._sets(self.first, {})
        kept = [w for w in self.first.operation.writes if any(r.slice.buffer == w.slice.buffer for r in self._instruction(second).reads)]
        if len(kept) > 1:
            raise NotProved(f"{self.what}: the second part reads several buffers that the first has written")
        self.second = self._issued(second, self.after_first, Left(self.first, kept[0]) if kept else None)
        self.after = self.after_first | self._sets(self.second, self.after_first)

    def _instruction(self, part: Part) -> Instruction:
        return self.accelerator.instructions[part.instruction]

    def _issued(self, part: Part, registers: dict[str, z3.BitVecRef], left: Left | None) -> Issued:
        values = {n: exact(v, self.whole.names) for n, v in part.arguments.items()}
        return Issued(self.accelerator, self._instruction(part), values, registers, left)

    def _sets(self, part: Issued, before: dict[str, z3.BitVecRef]) -> dict[str, z3.BitVecRef]:
        found = {}
        for each in part.operation.sets:
            if each.index is not None:
                raise NotProved(f"{self.what}: a part sets a register with an index")
            found[each.state] = modulo(each.value, part.names, width_of(self.accelerator.states[each.state].element))
        return before | found

    # claims

    def prove(self) -> None:
        """NotProved unless the composite is its parts."""
        self.prove_possible()
        self.prove_registers()
        self.prove_buffers()

    def prove_possible(self) -> None:
        """Where the composite may be issued so may its parts, each in the state that it finds; and its values fit their fields."""
        under = self.whole.conditions
        for command in (self.whole, self.first, self.second):
            prove_arrays_exist(command, under)
        for number, part in enumerate((self.first, self.second)):
            for clause in part.operation.when:
                prove(f"{self.what}: a condition of part {number}", condition(clause, part.wide), under)
            for use in part.operation.uses:
                if use.equals is not None:
                    held = unsigned(part.register(use.state, use.index))
                    prove(f"{self.what}: register {use.state} for part {number}", _same(exact(use.equals, part.wide), held), under)
            for f in part.operation.encode:
                value, most = exact(f.value, part.wide), constant((1 << (f.high - f.low + 1)) - 1)
                fits = z3.And(z3.Not(less(value, constant(0))), z3.Not(less(most, value)))
                prove(f"{self.what}: {f.word}[{f.high}:{f.low}] of part {number}", fits, under)

    def prove_registers(self) -> None:
        stated = {s.state: modulo(s.value, self.whole.names, width_of(self.accelerator.states[s.state].element)) for s in self.whole.operation.sets}
        for name in sorted({*stated, *self.after}):
            before = variable(REGISTERS[name], width_of(self.accelerator.states[name].element))
            prove_equal(f"{self.what}: register {name}", stated.get(name, before), self.after.get(name, before), self.whole.conditions)

    def prove_buffers(self) -> None:
        """The write of the composite is that of the second part; everything else that a part writes, it clobbers."""
        (stated,) = self.whole.operation.writes
        (made,) = (w for w in self.second.operation.writes if w.slice.buffer == stated.slice.buffer)
        for part in (self.first, self.second):
            for write in part.operation.writes:
                if write is not made:
                    self._prove_clobbered(part, write)
        self._prove_write(stated, made)

    def _prove_clobbered(self, part: Issued, write: Write) -> None:
        for slice_ in (c for c in self.whole.operation.clobbers if c.buffer == write.slice.buffer):
            extents = {i.name: i.extent for i in slice_.indices}
            sizes = [extents.pop(c.name, None) if isinstance(c, Name) else None for c in slice_.coordinates]
            buffer = self.accelerator.buffers[slice_.buffer]
            if sizes == [Int(n) for n in (*buffer.access, *buffer.unit)]:
                return
        raise NotProved(f"{self.what}: {part.operation.name} writes {write.slice.buffer}, which the composite does not say")

    def _prove_write(self, stated: Write, made: Write) -> None:
        i, j = (unsigned(variable(name, INDEX_BITS)) for name in ("i", "j"))
        index, under = (i, j), list(self.whole.conditions)
        whole, second = self.whole.inside(stated.slice, index), self.second.inside(made.slice, index)
        prove(f"{self.what}: elements written", whole == second, under)
        within = [*under, whole]
        buffer = self.accelerator.buffers[stated.slice.buffer]
        ours = places(buffer, stated.slice, self.whole.indexed(stated.slice, index))
        theirs = places(buffer, made.slice, self.second.indexed(made.slice, index))
        for here, there in zip(ours, theirs, strict=True):
            assert here.lane is not None and there.lane is not None
            prove(f"{self.what}: where", z3.And(here.address == there.address, _same(here.lane, there.lane)), within)
        self._prove_values(stated, made, index, within)

    def _prove_values(self, stated: Write, made: Write, index: tuple[Integer, Integer], under: list[z3.BoolRef]) -> None:
        ours, theirs = Products(name="product of the composite"), Products()
        self.whole.product, self.second.product = ours, theirs
        left = self.whole.tensors.element(stated.name, index)
        right = self.second.tensors.element(made.name, index)
        if len(ours.factors) != len(theirs.factors):
            raise NotProved(f"{self.what}: {len(ours.factors)} products are stated, {len(theirs.factors)} made")
        extent = self._contracted()
        for number, (a, b) in enumerate(zip(ours.factors, theirs.factors, strict=True)):
            counts, what = less(constant(number), extent), f"{self.what}: product {number}"
            prove(f"{what}, factors", z3.And(a[0] == b[0], a[1] == b[1]), [*under, counts])
            prove(f"{what}, none", z3.Or(b[0] == 0, b[1] == 0), [*under, z3.Not(counts)])
            for width in (SUM, WORD):
                wide = sign_extended(term(number, ours.name), width)
                left = z3.substitute(left, (z3.If(counts, wide, z3.BitVecVal(0, width)), sign_extended(term(number), width)))
        prove_equal(f"{self.what}: value", *self._without_sums(left, right, len(ours.factors), under), under)

    def _without_sums(self, left: z3.BitVecRef, right: z3.BitVecRef, terms: int, under: list[z3.BoolRef]) -> tuple[z3.BitVecRef, z3.BitVecRef]:
        """Both sides with one variable for the sum of products.  One that the composite states in more bits than the part has nothing to it but
        products, which cannot leave the range of the part's."""
        ours, theirs = (sum_of(self.what, side) for side in (left, right))
        cut = variable("sum of products", theirs.size())
        if ours.size() == theirs.size():
            prove_equal(f"{self.what}: the sum", ours, theirs, under)
            return z3.substitute(left, (ours, cut)), z3.substitute(right, (theirs, cut))
        for side in (ours, theirs):
            rest = [t for t in summands(side) if not is_product(t)]
            prove(f"{self.what}: nothing is added to the products", z3.And(*(t == 0 for t in rest)), under)
            products = [t for t in summands(side) if is_product(t)]
            prove_equal(f"{self.what}: the products", chain(z3.BitVecVal(0, 8), terms, side.size()), total(products))
        sums_agree(terms)
        return z3.substitute(left, (ours, sign_extended(cut, ours.size()))), z3.substitute(right, (theirs, cut))

    def _contracted(self) -> Integer:
        """How many products the composite sums: the extent of the dimension over which it contracts."""
        (dot,) = (op for op in self.whole.tensors.body.values() if op.opcode == "dot")
        (over,) = dot.attributes["lhs_contracting_dims"]
        return self.whole.tensors.integer(self.whole.tensors.shape(dot.operands[0]).dims[over])


__all__ = ["Pair"]
