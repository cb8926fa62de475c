"""A macro of one step in loops -> what one command of it does, for loops that run once, or of which one runs over rows.

Before --> after, for `for i < n { add(word = w, row = i * s) }` where add writes `acc[uop[w] + row][j]`:
rows of their own for every i, with s = 1 --> `add(n, w)` that writes `acc[uop[w] + i][j : i < n, j < 16]`

The rows must be independent of each other: a row that is written is read by none but itself.  Where that depends on addresses, the
allocator keeps what is read and what is written apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from act.generator.address import NotSelectable, attribute_ranges, index_ranges, resolve_blocks
from act.generator.bodies import Rows, as_size, changed, with_values
from act.generator.forms import Form, changed_slice, pinned, with_slices
from act.records import dataclass, replace
from act.taidl.expr import conjuncts, lookups, names, substitute
from act.taidl.model import Accelerator, Binary, Branch, Expr, Index, Instruction, Int, Loop, Name, Part, Slice, Step
from act.taidl.simplify import Monomial, polynomial, simplify

MATRIX = 2
"""The dimensions of a matrix."""


@dataclass(frozen=True, slots=True)
class Call:
    """The only step of a macro, in `loops` (outermost first), under `conditions`."""

    part: Part
    conditions: tuple[Expr, ...] = ()
    loops: tuple[Index, ...] = ()


def without_steps(accelerator: Accelerator, macro: Instruction) -> Iterator[Form]:
    """The only step of a macro, once for each way to get to it, with the values of its attributes put in.  A step of which there is a form
    for rows has no other."""
    if not macro.steps:
        yield Form(macro)
        return
    for call in _calls(macro.steps):
        rows = (list(_rows(accelerator, macro, call, loop)) for loop in reversed(call.loops))
        yield from next(filter(None, rows), [_once(accelerator, macro, call, {loop.name for loop in call.loops})])


def _calls(steps: Sequence[Step]) -> Iterator[Call]:
    if len(steps) != 1:
        raise NotSelectable(f"it is a macro of {len(steps)} steps")
    match steps[0]:
        case Part():
            yield Call(steps[0])
        case Loop(index, inner):
            yield from (replace(call, loops=(index, *call.loops)) for call in _calls(inner))
        case Branch(condition, then, otherwise):
            yield from (replace(call, conditions=(condition, *call.conditions)) for call in _calls(then))
            if otherwise:
                yield from (replace(call, conditions=(Binary("==", condition, Int(0)), *call.conditions)) for call in _calls(otherwise))


def _once(accelerator: Accelerator, macro: Instruction, call: Call, loops: set[str]) -> Form:
    """The step for loops of which those in `loops` run once; the variables of the others are left as names."""
    called = accelerator.instructions.get(call.part.instruction)
    if called is None or called.steps or called.opaque:
        raise NotSelectable(f"it is a macro of '{call.part.instruction}'")
    if called.sets or called.pops or called.pushes or macro.sets:
        raise NotSelectable("it is a macro of steps that set registers or exchange tokens")
    first: dict[str, Expr] = dict.fromkeys(loops, Int(0))
    arguments = {name: simplify(substitute(value, first)) for name, value in call.part.arguments.items()}

    def value(expr: Expr) -> Expr:
        return simplify(substitute(expr, arguments))

    once = (Binary("==", substitute(loop.extent, first), Int(1)) for loop in call.loops if loop.name in loops)
    decided = (part for each in call.conditions for part in conjuncts(substitute(each, first)))
    operation = with_slices(called, lambda piece: changed_slice(piece, value))
    operation = replace(
        macro,
        when=tuple(dict.fromkeys((*macro.when, *once, *decided, *map(value, called.when)))),
        uses=(*macro.uses, *called.uses),
        reads=operation.reads,
        writes=operation.writes,
        clobbers=operation.clobbers,
        body=with_values(called, value),
        cost=macro.cost or called.cost,
        steps=(),
    )
    return Form(operation)


def _rows(accelerator: Accelerator, macro: Instruction, call: Call, loop: Index) -> Iterator[Form]:
    """The step for all values of one loop variable at once, for each choice of 0 and 1 for the attributes that it is multiplied with."""
    operation = _once(accelerator, macro, call, {each.name for each in call.loops} - {loop.name}).operation
    if any(loop.name in names(each) for each in (*operation.when, loop.extent)):
        return
    ranges = index_ranges((loop,), attribute_ranges(operation.alpha, operation.when))
    operation = with_slices(operation, lambda piece: replace(piece, coordinates=tuple(simplify(resolve_blocks(each, ranges)) for each in piece.coordinates)))
    if any(loop.name in names(each) for piece in operation.slices for coordinate in piece.coordinates for each in lookups(coordinate)):
        return
    factors = _factors(operation, loop.name)
    if factors is None:
        return
    fixed, chosen = factors
    for values in product((1, 0), repeat=len(chosen)):
        try:
            yield _together(pinned(Form(operation), {**fixed, **dict(zip(chosen, map(Int, values), strict=True))}), loop)
        except NotSelectable:
            continue


def _factors(operation: Instruction, variable: str) -> tuple[dict[str, Expr], list[str]] | None:
    """The attributes that a loop variable is multiplied with in coordinates: those that must be 1, since rows are written next to each other,
    or 0, since there is more than a product (`f * (r % 16)`); and the others.  None where there is no attribute that decides."""
    written = [*(each.slice for each in operation.writes), *operation.clobbers]
    fixed: dict[str, Expr] = {}
    free: dict[str, None] = {}
    for piece in operation.slices:
        for monomial in (monomial for coordinate in piece.coordinates for monomial in polynomial(coordinate)):
            moving = [each for each in monomial if variable in names(each)]
            factors = [each.name for each in monomial if isinstance(each, Name) and each.name in operation.alpha]
            if not moving:
                continue
            if len(factors) != 1 or len(moving) + len(factors) != len(monomial):
                if moving != list(monomial) or moving != [Name(variable)]:
                    return None
            elif moving != [Name(variable)]:
                fixed[factors[0]] = Int(0)
            elif piece in written:
                fixed.setdefault(factors[0], Int(1))
            else:
                free[factors[0]] = None
    return fixed, [name for name in free if name not in fixed]


def _together(form: Form, loop: Index) -> Form:
    """All values of the loop variable as a further dimension, the first."""
    operation = form.operation
    index = _fresh(loop, operation)
    moving = {each.name for each in operation.reads if _moves(each.slice, loop.name)}
    written = [*(each.slice for each in operation.writes), *operation.clobbers]
    if not all(_moves(piece, loop.name) for piece in written):
        raise NotSelectable("several rows are written to one place")
    for each in operation.reads:
        if each.slice.buffer in {piece.buffer for piece in written} and each.slice not in written and _shares(each.slice, written, loop.name):
            raise NotSelectable("a row may be read that another one has written")
    if any(len(each.slice.indices) >= MATRIX and each.name in moving for each in operation.reads):
        raise NotSelectable("every row has a matrix of its own")
    results = {each.name for each in operation.writes}
    rows = Rows(as_size(index.extent), moving)
    operation = with_slices(operation, lambda piece: _with_index(piece, loop.name, index))
    return replace(form, operation=replace(operation, body=changed(operation, lambda body: rows.of(body, results))))


def _fresh(loop: Index, operation: Instruction) -> Index:
    taken = {index.name for piece in operation.slices for index in piece.indices} | {*operation.attributes}
    name = loop.name
    while name in taken:
        name += "_"
    return Index(name, loop.extent)


def _moves(piece: Slice, variable: str) -> bool:
    """Whether a slice begins one place further, along one coordinate, for the next value of the variable; False when it stays."""
    steps = [number for coordinate in piece.coordinates for monomial, number in polynomial(coordinate).items() if Name(variable) in monomial]
    if any(step != 1 for step in steps) or len(steps) > 1:
        raise NotSelectable(f"rows of {piece.buffer} are not next to each other")
    return bool(steps)


def _shares(piece: Slice, others: Sequence[Slice], variable: str) -> bool:
    """Whether the first place of a slice and that of another are found in the same way, up to constants."""
    return any(other.buffer == piece.buffer and _found_by(other, variable) & _found_by(piece, variable) for other in others)


def _found_by(piece: Slice, variable: str) -> set[Monomial]:
    """The terms of the first place of the first row."""
    first: Mapping[str, Expr] = {**{index.name: Int(0) for index in piece.indices}, variable: Int(0)}
    return {monomial for coordinate in piece.coordinates for monomial in polynomial(substitute(coordinate, first)) if monomial}


def _with_index(piece: Slice, variable: str, index: Index) -> Slice:
    if not _moves(piece, variable):
        return piece
    renamed: Mapping[str, Expr] = {variable: Name(index.name)}
    coordinates = tuple(simplify(substitute(coordinate, renamed)) for coordinate in piece.coordinates)
    return Slice(piece.buffer, coordinates, (index, *piece.indices))
