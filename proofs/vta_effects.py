"""A mode of rtl/vta and an instruction of its specification -> the proof that they do the same to one state variable.

Memories are written by loops over rows and elements, or by the loops of a macro around one step.  Either way one iteration, at free indices, is compared:
each word (or byte) that it stores, its address, and how often the loops go round.  Equal iterations in the same order make equal loops, by induction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import z3

from act.taidl import TokenUse, Write
from lift.ir.subterms import subterms
from proofs.commands import Selected, code_among, selected_among
from proofs.designs import Case, text_of
from proofs.integers import Integer, condition, constant, exact, unsigned
from proofs.meaning import Access, meaning, variable
from proofs.multiplied import prove_same_choice, prove_same_sum
from proofs.products import Products
from proofs.solve import NotProved, prove, prove_equal
from proofs.specification import BUFFERS, REGISTERS, Command
from proofs.steps import Nest, Step, nest
from proofs.tensors import width_of
from proofs.vta import lift_of_vta, vta

COUNT = ".count"
INDEX_BITS = 17  # of rows and of elements of a row


def code_of(stated: Command) -> str:
    """The instruction of the RTL that the command words select."""
    return code_among(stated, {name: e.opcode.fixed for name, e in lift_of_vta().unit.executions.items() if name in vta()})


def selected(stated: Command) -> list[Selected]:
    """The modes that the command can select in some state."""
    return selected_among(stated, vta()[code_of(stated)])


def tokens_are_there(stated: Command) -> list[z3.BoolRef]:
    """Those that the instruction pops: without them it waits."""
    return [z3.Implies(_happens(use, stated), _count(use.token) != 0) for use in stated.operation.pops]


def _count(token: str) -> z3.BitVecRef:
    return variable(token + COUNT, lift_of_vta().unit.machine.netlist.registers[token + COUNT].width)


def _happens(use: TokenUse, stated: Command) -> z3.BoolRef:
    return z3.BoolVal(True) if use.condition is None else condition(use.condition, stated.wide)


@dataclass(frozen=True, slots=True)
class Effect:
    """What `command` does to the state variable `target` in the mode `chosen`."""

    command: Command
    chosen: Selected
    target: str

    @property
    def case(self) -> Case:
        return self.chosen.case

    @property
    def what(self) -> str:
        return f"{self.command.operation.name}, {self.target}, mode {self.case.number}"

    @property
    def depends_on(self) -> tuple[object, ...]:
        """What `prove` takes of the mode: where it is the same, so is the claim."""
        if not self._is_memory:
            return (self.case.number,)
        lifted = text_of(self.case.targets[self.target].lifted) if self.target in self.case.targets else ""
        return lifted, *((index, text_of(count)) for index, count in self.case.loops)

    @property
    def _is_memory(self) -> bool:
        return not self.target.endswith(COUNT) and self.target not in REGISTERS.values()

    def prove(self) -> None:
        """NotProved unless both do the same."""
        if self._is_memory:
            self._memory(next(n for n, names in BUFFERS.items() if self.target in names))
        elif self.target.endswith(COUNT):
            self._tokens(self.target.removesuffix(COUNT))
        else:
            self._register(next(n for n, name in REGISTERS.items() if name == self.target))

    def _result(self, width: int) -> z3.BitVecRef:
        if self.target not in self.case.targets:
            return variable(self.target, width)
        return self.encoded(meaning(self.case.targets[self.target].lifted).results[0])

    def encoded(self, value: z3.ExprRef) -> z3.BitVecRef:
        return z3.substitute(value, *self.command.words)  # type: ignore[return-value]

    def _tokens(self, token: str) -> None:
        """One more for each push, one less for each pop; none is lost as there are fewer than the counter can hold."""
        stated = _count(token)
        for uses, change in ((self.command.operation.pops, -1), (self.command.operation.pushes, 1)):
            for use in (u for u in uses if u.token == token):
                stated = z3.If(_happens(use, self.command), stated + change, stated)
        prove_equal(self.what, stated, self._result(stated.size()), self.chosen.under)

    def _register(self, state: str) -> None:
        width = width_of(self.command.accelerator.states[state].element)
        ((_, stated),) = self.command.sets().get(state, [(None, variable(self.target, width))])
        prove_equal(self.what, stated, self._result(width), self.chosen.under)

    # memories

    def _memory(self, buffer: str) -> None:
        if self.command.operation.steps:
            self._step(buffer)
            return
        written = self._written(self.command, buffer)
        if (written is not None) != (self.target in self.case.targets):
            raise NotProved(f"{self.what}: written in the text: {written is not None}, by the mode: {self.target in self.case.targets}")
        if written is not None:
            self._moved(written)

    def _written(self, stated: Command, buffer: str) -> Write | None:
        written = [w for w in stated.operation.writes if w.slice.buffer == buffer]
        if len(written) > 1:
            raise NotProved(f"{self.what}: several writes to one buffer")
        return written[0] if written else None

    def _moved(self, write: Write) -> None:
        """Loops over rows and elements."""
        effect = meaning(self.case.targets[self.target].lifted)
        loops = [(loop.index, self.encoded(loop.count)) for loop in effect.stores[0].loops]
        free, fixed = write.slice.indices[: len(loops)], write.slice.indices[len(loops) :]
        extents = [exact(i.extent, self.command.names) for i in free]
        self._counts([count for _, count in loops], extents, self.command.conditions)
        here = [unsigned(variable(f"index {i.name}", INDEX_BITS)) for i in free]
        for extent, index in zip(extents, free, strict=True):
            prove(f"{self.what}: {index.name} has {INDEX_BITS} bits", extent.resized(64) <= 1 << INDEX_BITS, self.command.conditions)
        inside = [self.command.inside(replace(write.slice, indices=(i,)), (k,)) for i, k in zip(free, here, strict=True)]
        at = {loop: k.resized(64) for (loop, _), k in zip(loops, here, strict=True)}
        parts = [tuple(constant(k) for k in point) for point in product(*(range(_constant(self.command, i.extent)) for i in fixed))]
        stores = [self._at(store, at) for store in effect.stores]
        self._stores(self.command, write, [(*here, *p) for p in parts], stores, [*self.command.conditions, *inside])

    def _counts(self, counts: Sequence[z3.BitVecRef], extents: Sequence[Integer], under: Sequence[z3.BoolRef]) -> None:
        for number, (count, extent) in enumerate(zip(counts, extents, strict=True)):
            prove_equal(f"{self.what}: iterations of loop {number}", extent.resized(64), z3.ZeroExt(64 - count.size(), count), under)

    def _at(self, store: Access, at: dict[z3.BitVecRef, z3.BitVecRef]) -> Access:
        found = store.substituted(at)
        return Access(store.array, self.encoded(found.address), self.encoded(found.data), self.encoded(found.condition), ())  # type: ignore[arg-type]

    def _step(self, buffer: str) -> None:
        """One iteration of a macro."""
        loops = nest(self.command)
        self._counts([self.encoded(meaning(count).results[0]) for _, count in self.case.loops], loops.extents, self.command.conditions)
        products, theirs = Products(), Products(name="stated product")
        step = Step(self.command, loops, theirs)
        under = [*self.command.conditions, *loops.inside]
        for clause in step.conditions:
            prove(f"{self.what}: the step is possible", clause, under)
        written = self._written(step, buffer)
        if self.target not in self.case.targets:
            if written is not None:
                raise NotProved(f"{self.what}: it is stated that it is written, and the mode does not")
            return
        stores = [self._of_iteration(loops, s) for s in meaning(self.case.targets[self.target].lifted, of_two=products).stores]
        made = [s for s in stores if not z3.is_false(s.condition)]
        if written is None:
            for store in made:
                prove(f"{self.what}: nothing is stored", z3.Not(store.condition), under)
            return
        parts = [tuple(constant(k) for k in point) for point in product(*(range(_constant(step, i.extent)) for i in written.slice.indices))]
        pairs = [tuple(self._of_iteration_value(loops, f) for f in pair) for pair in products.factors]
        self._stores(step, written, parts, made, under, _Matched(self.what, pairs, theirs))

    def _of_iteration_value(self, loops: Nest, value: z3.ExprRef) -> z3.ExprRef:
        given = [(variable(name, 32), index.resized(32)) for (name, _), index in zip(self.case.loops, loops.indices, strict=True)]
        return z3.substitute(self.encoded(value), *given)

    def _of_iteration(self, loops: Nest, store: Access) -> Access:
        address, data, holds = (self._of_iteration_value(loops, v) for v in (store.address, store.data, z3.simplify(store.condition)))
        return Access(store.array, address, data, holds, ())  # type: ignore[arg-type]

    def _stores(
        self, stated: Command, write: Write, points: Sequence[tuple[Integer, ...]], stores: Sequence[Access], under: list[z3.BoolRef],
        matched: _Matched | None = None,
    ) -> None:  # fmt: skip
        """The elements at `points` are what is stored: an element a store, or all of them in one word."""
        buffer = stated.accelerator.buffers[write.slice.buffer]
        width = width_of(buffer.element)
        joined = len(stores) == 1 and stores[0].data.size() == width * len(points)
        if not joined and len(stores) != len(points):
            raise NotProved(f"{self.what}: {len(stores)} stores for {len(points)} elements")
        for number, point in enumerate(points):
            store = stores[0] if joined else stores[number]
            (place,) = stated.places(write.slice, point)
            prove(f"{self.what}: element {number} is stored", store.condition, under)
            prove_same_sum(f"{self.what}: address of element {number}", place.address, store.address, under)
            if joined and place.lane is not None:
                prove_equal(f"{self.what}: lane of element {number}", place.lane.resized(64), z3.BitVecVal(number, 64), under)
            found = z3.Extract(width * number + width - 1, width * number, store.data) if joined else store.data
            right = stated.tensors.element(write.name, point)
            if matched is not None and matched.lifted:
                found, right = matched.cut(z3.simplify(found), right, under)
            prove_same_choice(f"{self.what}: element {number}", right, found, under)


@dataclass(frozen=True, slots=True)
class _Matched:
    """Products of the lifted function, by number, and those of the text: where the factors are proved equal, one variable stands for both."""

    what: str
    lifted: list[tuple[z3.ExprRef, ...]]
    stated: Products

    def cut(self, found: z3.BitVecRef, right: z3.BitVecRef, under: list[z3.BoolRef]) -> tuple[z3.BitVecRef, z3.BitVecRef]:
        """`right` with its products in the words of those of `found`, a sum with the same ones."""
        ours, theirs = _numbers(found, "product "), _numbers(right, "stated product ")
        if len(ours) != len(theirs):
            raise NotProved(f"{self.what}: {len(ours)} products were lifted, {len(theirs)} are stated")
        pairs = []
        for mine, other in zip(ours, theirs, strict=True):
            for a, b in zip(self.lifted[mine], self.stated.factors[other], strict=True):
                prove_equal(f"{self.what}: a factor", b, a, under)
            pairs.append((variable(f"stated product {other}", 16), variable(f"product {mine}", 16)))
        return found, z3.substitute(right, *pairs) if pairs else right


def _numbers(value: z3.BitVecRef, prefix: str) -> list[int]:
    names = {t.decl().name() for t in subterms([value]) if z3.is_const(t) and z3.is_bv(t) and not z3.is_bv_value(t)}
    return sorted(int(n.removeprefix(prefix)) for n in names if n.startswith(prefix))


def _constant(command: Command, extent: object) -> int:
    found = exact(extent, command.names).constant  # type: ignore[arg-type]
    if found is None:
        raise NotProved("an extent of one iteration that is not constant")
    return found


__all__ = ["COUNT", "Effect", "code_of", "selected", "tokens_are_there"]
