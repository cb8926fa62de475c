"""A function of the intermediate representation -> its effects as Z3 values, loops with symbolic trip counts included.

`lift.ir.smt` gives a whole function one meaning and therefore refuses such loops.  Here a loop is one iteration at a free index below its trip count, from
arrays about which nothing is known: two functions whose iterations have equal effects are equal by induction over the iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import z3
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import Block, Operation, SSAValue

from lift.ir.operations import INDEX_WIDTH, PURE, constant_value, describe, width_of
from lift.ir.smt import MAX_TRIPS, TRANSLATE
from proofs.solve import NotProved, prove, prove_equal

Value = z3.ExprRef
Product = Callable[[z3.BitVecRef, z3.BitVecRef], z3.BitVecRef]


class Incomparable(NotProved):
    """Two functions whose loops and stores do not correspond one to one; this way of proving says nothing about them."""


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of a loop: its index (64 bits, free) and its trip count."""

    index: z3.BitVecRef
    count: z3.BitVecRef


@dataclass(frozen=True, slots=True)
class Access:
    """One store or load: word `address` (64 bits) of `array`, made when `condition` holds in every iteration of `loops` (outermost first)."""

    array: str
    address: z3.BitVecRef
    data: z3.BitVecRef
    condition: z3.BoolRef
    loops: tuple[Iteration, ...]

    @property
    def reached(self) -> list[z3.BoolRef]:
        """When it happens."""
        return [self.condition, *(z3.ULT(loop.index, loop.count) for loop in self.loops)]

    def substituted(self, values: dict[z3.BitVecRef, z3.BitVecRef]) -> Access:
        """The access with variables replaced."""
        pairs = list(values.items())
        address, data, condition = (z3.substitute(v, *pairs) for v in (self.address, self.data, self.condition))
        loops = tuple(Iteration(z3.substitute(i.index, *pairs), z3.substitute(i.count, *pairs)) for i in self.loops)
        return Access(self.array, address, data, condition, loops)  # type: ignore[arg-type]


@dataclass(slots=True)
class Meaning:
    """Results, and accesses in the order of the program."""

    results: tuple[Value, ...] = ()
    stores: list[Access] = field(default_factory=list)
    loads: list[Access] = field(default_factory=list)


def rtl_name(function: func.FuncOp, index: int) -> str:
    """What the RTL calls an argument."""
    assert function.arg_attrs is not None
    name = function.arg_attrs.data[index].data["rtl.name"]
    assert isinstance(name, StringAttr)
    return name.data


def variable(name: str, bits: int) -> z3.BitVecRef:
    return z3.BitVec(name, bits)


def array(name: str, bits: int) -> z3.ArrayRef:
    return z3.Array(name, z3.BitVecSort(INDEX_WIDTH), z3.BitVecSort(bits))


def product(a: z3.BitVecRef, b: z3.BitVecRef) -> z3.BitVecRef:
    """A product about which nothing is known but its operands."""
    return z3.Function(f"product of {a.size()} bits", a.sort(), a.sort(), a.sort())(a, b)


def arguments(function: func.FuncOp) -> list[Value]:
    """A free variable per argument, by RTL name: a destination begins as its source."""
    found: list[Value] = []
    for index, value in enumerate(function.args):
        name, kind = rtl_name(function, index), value.type
        found.append(array(name, width_of(kind.element_type)) if isinstance(kind, MemRefType) else variable(name, width_of(kind)))
    return found


def meaning(function: func.FuncOp, opaque_products: bool = False, of_two: Product | None = None) -> Meaning:
    """The effects of `function` on free arguments.  With `opaque_products` a product of two variables is an unknown function of them: what is equal then is
    equal for multiplication too.  `of_two` is what to take for a product otherwise."""
    names = {value: rtl_name(function, index) for index, value in enumerate(function.args)}
    walker = _Walker(names, product if opaque_products else of_two)
    walker.result.results = walker.block(function.body.block, dict(zip(function.args, arguments(function), strict=True)), z3.BoolVal(True))
    return walker.result


class _Walker:
    def __init__(self, names: dict[SSAValue, str], product: Product | None) -> None:
        self.names, self.result, self.product = names, Meaning(), product
        self.loops: tuple[Iteration, ...] = ()
        self.serial = 0

    def block(self, block: Block, values: dict[SSAValue, Value], condition: z3.BoolRef) -> tuple[Value, ...]:
        """Walks a block; the operands of its terminator.  `values` are changed where arrays are stored to."""
        for op in block.ops:
            operands = [values[v] for v in op.operands]
            if op.name in PURE:
                values[op.results[0]] = self.pure(op, operands)
            elif op.name in ("scf.yield", "func.return"):
                return tuple(operands)
            else:
                self.structured(op, operands, values, condition)
        raise AssertionError("a block without a terminator")

    def pure(self, op: Operation, operands: list[Value]) -> Value:
        name, attribute, bits = describe(op)
        if self.product is not None and name == "arith.muli" and not any(z3.is_bv_value(z3.simplify(v)) for v in operands):
            return self.product(*operands)  # type: ignore[arg-type]
        return TRANSLATE[name](attribute, bits, operands)  # type: ignore[arg-type]

    def structured(self, op: Operation, operands: list[Value], values: dict[SSAValue, Value], condition: z3.BoolRef) -> None:
        match op.name:
            case "memref.load":
                word = values[op.results[0]] = z3.Select(*operands)
                self.result.loads.append(Access(self.names[op.operands[0]], operands[1], word, condition, self.loops))  # type: ignore[arg-type]
            case "memref.store":
                data, target, address = operands
                values[op.operands[1]] = z3.Store(target, address, data)
                self.result.stores.append(Access(self.names[op.operands[1]], address, data, condition, self.loops))  # type: ignore[arg-type]
            case "scf.if":
                self.branch(op, operands[0], values, condition)
            case "scf.for":
                self.loop(op, operands, values, condition)
            case _:
                raise AssertionError(f"no meaning of {op.name}")

    def branch(self, op: Operation, chosen: Value, values: dict[SSAValue, Value], condition: z3.BoolRef) -> None:
        """Both sides under their conditions; what they stored is chosen between afterwards."""
        assert not op.results, "a conditional with results"
        sides = []
        for region, holds in zip(op.regions, (chosen == 1, chosen == 0), strict=True):
            inner = dict(values)
            if region.blocks:
                self.block(region.block, inner, z3.And(condition, holds))
            sides.append(inner)
        for value, before in list(values.items()):
            then, other = (side[value] for side in sides)
            if then is not before or other is not before:
                values[value] = z3.If(chosen == 1, then, other)

    def loop(self, op: Operation, operands: list[Value], values: dict[SSAValue, Value], condition: z3.BoolRef) -> None:
        low, high, step = (constant_value(v) for v in op.operands[:3])
        body = op.regions[0].block
        if low is not None and high is not None and step is not None and len(range(low, high, step)) <= MAX_TRIPS:
            carried = tuple(operands[3:])
            for index in range(low, high, step):
                values.update(zip(body.args, (z3.BitVecVal(index, INDEX_WIDTH), *carried), strict=True))
                carried = self.block(body, values, condition)
            values.update(zip(op.results, carried, strict=True))
            return
        if (low, step) != (0, 1) or op.results:
            raise Incomparable("a loop with a symbolic trip count does not count from 0 by 1, or carries a value")
        self.symbolic(body, operands[1], values, condition)

    def symbolic(self, body: Block, count: Value, values: dict[SSAValue, Value], condition: z3.BoolRef) -> None:
        """One iteration from unknown contents of what the loop stores to, and unknown contents afterwards."""
        number, self.serial = self.serial, self.serial + 1
        stored = [a for a in self.names if a in _stored(body)]
        values.update({a: array(f"{self.names[a]} in iteration {number}", values[a].sort().range().size()) for a in stored})
        index = variable(f"index {number}", INDEX_WIDTH)
        outside, self.loops = self.loops, (*self.loops, Iteration(index, count))  # type: ignore[arg-type]
        self.block(body, {**values, body.args[0]: index}, condition)
        self.loops = outside
        values.update({a: array(f"{self.names[a]} after loop {number}", values[a].sort().range().size()) for a in stored})


def _stored(block: Block) -> set[SSAValue]:
    return {op.operands[1] for op in block.walk() if op.name == "memref.store"}


def prove_same(what: str, before: func.FuncOp, after: func.FuncOp, assuming: Iterable[z3.BoolRef] = ()) -> None:
    """Both functions make the same stores, in the same order and iterations, and return the same values; first with opaque products, which is quick and
    suffices unless a pass changed a multiplication."""
    assuming = list(assuming)
    try:
        _prove_same(what, meaning(before, True), meaning(after, True), assuming)
    except NotProved:
        _prove_same(what, meaning(before), meaning(after), assuming)


def _prove_same(what: str, first: Meaning, second: Meaning, assuming: list[z3.BoolRef]) -> None:
    for number, (old, new) in enumerate(zip(first.results, second.results, strict=True)):
        prove_equal(f"{what}, result {number}", old, new, assuming)
    if [s.array for s in first.stores] != [s.array for s in second.stores]:
        raise Incomparable(f"{what}: other stores")
    for number, (old, new) in enumerate(zip(first.stores, second.stores, strict=True)):
        _prove_same_store(f"{what}, store {number} to {old.array}", old, new, assuming)


def _prove_same_store(what: str, old: Access, new: Access, assuming: list[z3.BoolRef]) -> None:
    if [loop.index for loop in old.loops] != [loop.index for loop in new.loops]:
        raise Incomparable(f"{what}: in other loops")
    for depth, (before, after) in enumerate(zip(old.loops, new.loops, strict=True)):
        prove_equal(f"{what}: trip count of loop {depth}", before.count, after.count, assuming)
    prove(f"{what}: condition", old.condition == new.condition, assuming)
    reached = [*assuming, *old.reached]
    prove_equal(f"{what}: address", old.address, new.address, reached)
    prove_equal(f"{what}: data", old.data, new.data, reached)
