"""Instructions without loops: the stores of the lifted function, row by row or element by element, are the elements of the specification's write.

Memories get one store a row, arrays one an element.  Elements of one form are proved at once, for symbolic i and j (`grids`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import z3
from xdsl.dialects import func

from act.taidl import Write
from lift.ir.subterms import subterms
from proofs.forms import Evaluation, Form, Store, form, lanes, stores, value_of
from proofs.grids import Family, families
from proofs.integers import Integer, constant, unsigned
from proofs.meaning import Incomparable, array, variable
from proofs.products import Products, cut_sum
from proofs.solve import NotProved, prove, prove_equal
from proofs.specification import BUFFERS, Command

Points = dict[tuple[int, int], Form]


@dataclass(frozen=True, slots=True)
class Goal:
    """The function that was lifted, the write that is to be the same, and what is known."""

    what: str
    function: func.FuncOp
    command: Command
    write: Write
    under: list[z3.BoolRef]

    def encoded(self, value: z3.ExprRef) -> z3.ExprRef:
        return z3.substitute(value, *self.command.words)


def prove_rows(goal: Goal) -> int:
    """Store r is of row i = r of the write, or of row r from the last: its address, when it is made, and each lane.  Returns the number of families of
    lanes."""
    made = _first_row_first(goal, stores(goal.function))
    lane_forms: Points = {}
    for row, store in enumerate(made):
        width = goal.command.accelerator.buffers[goal.write.slice.buffer].unit[0]
        parts = lanes(store.data, _bits(store) // width)
        _prove_joined(goal, store, parts)
        _prove_row(goal, store, row, width)
        lane_forms |= {(row, lane): form(goal.function, value) for lane, value in parts.items()}
    _prove_nothing_beyond(goal, len(made))
    found = families(lane_forms)
    for family in found:
        _prove_lane(goal, family)
    return len(found)


def _first_row_first(goal: Goal, made: list[Store]) -> list[Store]:
    """What is proved of each store afterwards says whether this was right."""
    if not made:
        return made
    try:
        _prove_made(goal, made[0], 0)
    except NotProved:
        return made[::-1]
    return made


def _bits(store: Store) -> int:
    return store.data.type.width.data  # type: ignore[attr-defined]


def _prove_joined(goal: Goal, store: Store, parts: Mapping[int, object]) -> None:
    """The word is its lanes side by side."""
    names = {value: f"lane {lane}" for lane, value in parts.items()}
    whole = value_of(form(goal.function, store.data, names))  # type: ignore[arg-type]
    width = whole.size() // len(parts)
    joined = z3.Concat(*(variable(f"lane {lane}", width) for lane in reversed(range(len(parts)))))
    prove_equal(f"{goal.what}: a word of {len(parts)} lanes", joined, whole)


def _prove_row(goal: Goal, store: Store, row: int, width: int) -> None:
    """The store is made exactly for a row that is written, and whatever is written of it is at the address of the store."""
    column = variable("column", 8)
    index = (constant(row), unsigned(column))
    inside = [*goal.under, goal.command.inside(goal.write.slice, index)]
    (place,) = goal.command.places(goal.write.slice, index)
    assert place.lane is not None
    _prove_made(goal, store, row)
    prove_equal(f"{goal.what}: address of row {row}", place.address, goal.encoded(value_of(form(goal.function, store.address))), goal.under)
    prove(f"{goal.what}: lane of row {row}", z3.And(place.lane.resized(64) == z3.ZeroExt(56, column), z3.ULT(column, width)), inside)


def _prove_made(goal: Goal, store: Store, row: int) -> None:
    made = z3.BoolVal(True) if store.condition is None else goal.encoded(value_of(form(goal.function, store.condition))) == 1
    prove(f"{goal.what}: row {row} is stored", made == _is_row(goal, constant(row)), goal.under)


def _is_row(goal: Goal, row: Integer) -> z3.BoolRef:
    slice_ = goal.write.slice
    return goal.command.inside(replace(slice_, indices=slice_.indices[:1]), (row,))


def _prove_nothing_beyond(goal: Goal, rows: int) -> None:
    i, j = unsigned(variable("i", 32)), unsigned(variable("j", 32))
    inside = goal.command.inside(goal.write.slice, (i, j))
    prove(f"{goal.what}: nothing is written beyond row {rows - 1}", z3.ULT(i.bits, rows), [*goal.under, inside])


def _prove_lane(goal: Goal, family: Family) -> None:
    """The lane becomes the element where one is written, and otherwise keeps what it had."""
    what = f"{goal.what}: {family.size} elements of one form"
    index = (family.i, family.j)
    under = [*goal.under, *family.under, _is_row(goal, family.i)]
    old = goal.command.read(goal.write.slice, index)
    after, products, loops = _lifted(goal, family)
    stated, theirs = _stated(goal, family)
    right = z3.If(goal.command.inside(goal.write.slice, index), stated, old)
    after, right = _same_products(what, after, products, loops, right, theirs, under)
    prove_equal(what, right, _same_loads(after, right, under), under)


def _lifted(goal: Goal, family: Family) -> tuple[z3.BitVecRef, Products, list[z3.BitVecRef]]:
    products = Products()
    evaluation = Evaluation(family.parameters, products)
    value = goal.encoded(evaluation.of(family.form))
    products.factors = [tuple(goal.encoded(f) for f in pair) for pair in products.factors]  # type: ignore[misc]
    return value, products, [goal.encoded(s) for s in evaluation.sums]  # type: ignore[return-value]


def _stated(goal: Goal, family: Family) -> tuple[z3.BitVecRef, Products]:
    products = Products()
    fresh = Command(goal.command.accelerator, goal.command.operation, products)
    return fresh.tensors.element(goal.write.name, (family.i, family.j)), products


def _same_products(
    what: str, after: z3.BitVecRef, ours: Products, loops: list[z3.BitVecRef], right: z3.BitVecRef, theirs: Products, under: list[z3.BoolRef]
) -> tuple[z3.BitVecRef, z3.BitVecRef]:
    """Both sides after the cut; factor by factor the products are the same."""
    if len(ours.factors) != len(theirs.factors):
        raise NotProved(f"{what}: {len(ours.factors)} products were lifted, {len(theirs.factors)} are stated")
    for number, (found, stated) in enumerate(zip(ours.factors, theirs.factors, strict=True)):
        for side, left, other in zip(("left", "right"), found, stated, strict=True):
            prove_equal(f"{what}: {side} factor {number}", other, _same_loads(left, other, under), under)
    if not ours.factors:
        return after, right
    if len(loops) != 1:
        raise Incomparable(f"{what}: {len(loops)} sums in one element")
    return cut_sum(what, after, loops, _same_loads(right, loops[0], under), len(ours.factors), under)


def _same_loads(left: z3.BitVecRef, right: z3.BitVecRef, under: list[z3.BoolRef]) -> z3.BitVecRef:
    """`left` with each load in the words of an equal load of `right`, where there is one."""
    there = [t for t in subterms([right]) if z3.is_select(t)]
    pairs = []
    for load in (t for t in subterms([left]) if z3.is_select(t)):
        for other in there:
            if load.arg(0).eq(other.arg(0)) and not load.eq(other) and _same_address(load.arg(1), other.arg(1), under):
                pairs.append((load, other))
                break
    return z3.substitute(left, *pairs) if pairs else left


def _same_address(a: z3.BitVecRef, b: z3.BitVecRef, under: list[z3.BoolRef]) -> bool:
    try:
        prove_equal("", a, b, under)
    except NotProved:
        return False
    return True


def prove_elements(goal: Goal, which: str) -> int:
    """The stores to array `which` of the buffer, one an element, are the elements of the write; none is left out.  Returns the number of families."""
    made = stores(goal.function)
    rows, columns = goal.command.accelerator.buffers[goal.write.slice.buffer].unit
    points: dict[tuple[int, int], Form] = {}
    for store in made:
        assert store.condition is None and store.array == which
        address = z3.simplify(value_of(form(goal.function, store.address))).as_long()
        points[divmod(address, columns)] = form(goal.function, store.data)
    if sorted(points) != [(i, j) for i in range(rows) for j in range(columns)] or len(points) != len(made):
        raise NotProved(f"{goal.what}: not every element is stored to once")
    found = families(points)
    for family in found:
        index = (family.i, family.j)
        under = [*goal.under, *family.under]
        place = next(p for p in goal.command.places(goal.write.slice, index) if p.name == which)
        flat = family.i.resized(64) * columns + family.j.resized(64)
        what = f"{goal.what}: {family.size} elements of one form"
        prove(f"{what}: where", z3.And(place.when, place.address == flat, goal.command.inside(goal.write.slice, index)), under)
        after, products, loops = _lifted(goal, family)
        stated, theirs = _stated(goal, family)
        after, stated = _same_products(what, after, products, loops, stated, theirs, under)
        prove_equal(what, stated, _same_loads(after, stated, under), under)
    i, j = unsigned(variable("i", 32)), unsigned(variable("j", 32))
    inside = goal.command.inside(goal.write.slice, (i, j))
    prove(f"{goal.what}: nothing else is written", z3.And(z3.ULT(i.bits, rows), z3.ULT(j.bits, columns)), [*goal.under, inside])
    return len(found)


def prove_untouched(what: str, function: func.FuncOp, command: Command, under: list[z3.BoolRef]) -> None:
    """No store of the function is made."""
    for number, store in enumerate(stores(function)):
        if store.condition is None:
            raise NotProved(f"{what}: store {number} is made always")
        condition = z3.substitute(value_of(form(function, store.condition)), *command.words)
        prove(f"{what}: store {number} is not made", condition == 0, under)


__all__ = ["BUFFERS", "Goal", "array", "prove_elements", "prove_rows", "prove_untouched"]
