"""An instruction whose tensor runs along one coordinate by several indices -> forms for one of them at a time, and without padding; tensors of
more than two dimensions -> matrices.

Before --> after, for `acc[i * m + j + row][l : i < n, j < m, l < 16]` with m = 1 and with n = 1:
`acc[i + row][l : i < n, l < 16]`; `acc[j + row][l : j < m, l < 16]`
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from act.generator.address import NotSelectable
from act.generator.bodies import changed, expressions, with_values, without_dimensions, without_padding
from act.generator.forms import Form, pinned, with_slices
from act.records import replace
from act.taidl.body import body_of
from act.taidl.expr import names, substitute
from act.taidl.model import Accelerator, Binary, Expr, Index, Instruction, Int, Name, Slice
from act.taidl.simplify import equal, polynomial, simplify

RANK = 2
"""Tensors of more dimensions are not selected."""


def without_pads(form: Form) -> Form:
    """The form that pads nothing."""
    operation = form.operation
    if "pad(" not in operation.body:
        return form
    amounts = {
        name
        for each in body_of(operation, operation.name)
        if each.opcode == "pad"
        for side in ("low", "high", "interior")
        for amount in each.attributes[side]
        if not isinstance(amount, int)
        for name in names(amount)
    }
    form = pinned(form, dict.fromkeys(sorted(amounts & {*operation.alpha}), Int(0)))
    return replace(form, operation=replace(form.operation, body=changed(form.operation, without_padding)))


def with_one_index(accelerator: Accelerator, form: Form) -> Iterator[Form]:
    """The form, if no two indices run along one coordinate on chip; else one for each of them that is kept, all others being one element;
    or one for none where that would still be more than a matrix."""
    together = list(_together(accelerator, form.operation))
    if not together:
        yield form
        return
    rank = len(form.operation.writes[0].slice.indices) if form.operation.writes else 0
    kept: Sequence[Index | None] = together if rank - len(together) < RANK else [None]
    for one in kept:
        yield _only(form, one, together)


def _together(accelerator: Accelerator, operation: Instruction) -> Iterator[Index]:
    """The indices that share a coordinate of a memory on chip with others; each tensor of the operation has them, of the same extents."""
    for piece in operation.slices:
        if accelerator.buffers[piece.buffer].hbm:
            continue
        for coordinate in piece.coordinates:
            factors = {factor for monomial in polynomial(coordinate) for factor in monomial}
            along = [index for index in piece.indices if Name(index.name) in factors]
            if len(along) > 1:
                yield from along
                return


def _only(form: Form, kept: Index | None, together: Sequence[Index]) -> Form:
    values: dict[str, Expr] = {}
    for index in (each for each in together if each != kept):
        if not isinstance(index.extent, Name) or index.extent.name not in form.operation.alpha:
            raise NotSelectable(f"two indices run along one coordinate, and no attribute makes '{index.name}' one element")
        values[index.extent.name] = Int(1)
    return without_ones(pinned(form, values))


def as_matrices(accelerator: Accelerator, form: Form) -> Form:
    """The form with one element along each dimension but the last two, where what lies on chip has more and attributes say how many."""
    pieces = [piece for piece in form.operation.slices if not accelerator.buffers[piece.buffer].hbm]
    largest = max(pieces, key=lambda piece: len(piece.indices), default=None)
    if largest is None or len(largest.indices) <= RANK:
        return form
    outer = [index.extent for index in largest.indices[:-RANK]]
    if not all(extent == Int(1) or (isinstance(extent, Name) and extent.name in form.operation.alpha) for extent in outer):
        raise NotSelectable(f"a tensor in {largest.buffer} has {len(largest.indices)} dimensions, and no attributes make the first of them one element")
    form = pinned(form, {extent.name: Int(1) for extent in outer if isinstance(extent, Name)})
    places = {each.name: each.slice for each in (*form.operation.reads, *form.operation.writes)}
    others = {name for name, piece in places.items() if len(piece.indices) <= RANK}
    return _without_positions(form, range(len(outer)), others)


def without_ones(form: Form) -> Form:
    """The form without dimensions of size 1 that everything it reads and writes has at the same positions."""
    operation = form.operation
    pieces = [each.slice for each in (*operation.reads, *operation.writes)]
    rank = min((len(piece.indices) for piece in pieces), default=0)
    positions = [position for position in range(rank) if all(piece.indices[position].extent == Int(1) for piece in pieces)]
    return _without_positions(form, positions) if positions else form


def _without_positions(form: Form, positions: Sequence[int], others: Collection[str] = ()) -> Form:
    """Without the dimensions at these positions, which are of size 1, of everything but the operands `others`."""
    kept = [each.slice for each in (*form.operation.reads, *form.operation.writes) if each.name in others]
    body = changed(form.operation, lambda body: without_dimensions(body, positions, others))
    operation = with_slices(form.operation, lambda piece: piece if piece in kept else _without(piece, positions))
    return replace(form, operation=replace(operation, body=body))


def _without(piece: Slice, positions: Sequence[int]) -> Slice:
    zeros: dict[str, Expr] = {piece.indices[position].name: Int(0) for position in positions}
    coordinates = tuple(simplify(substitute(coordinate, zeros)) for coordinate in piece.coordinates)
    return Slice(piece.buffer, coordinates, tuple(index for position, index in enumerate(piece.indices) if position not in positions))


def with_chosen_strides(accelerator: Accelerator, form: Form) -> Form:
    """Address attributes that are strides in host memory are attributes that may have any value."""
    operation = form.operation
    strides = {
        factor.name
        for piece in operation.slices
        if accelerator.buffers[piece.buffer].hbm
        for coordinate in piece.coordinates
        for monomial in polynomial(coordinate)
        if len(monomial) > 1
        for factor in monomial
        if isinstance(factor, Name) and factor.name in operation.beta
    }
    if not strides:
        return form
    alpha = (*operation.alpha, *(name for name in operation.beta if name in strides))
    return replace(form, operation=replace(operation, alpha=alpha, beta=tuple(name for name in operation.beta if name not in strides)))


def with_signed_fields(form: Form) -> Form:
    """Attributes that are numbers of n bits with a sign, `(a + 2 ** (n - 1)) % 2 ** n - 2 ** (n - 1)`, are these numbers."""
    for name in form.operation.alpha:
        form = _with_signed(form, name)
    return form


def _with_signed(form: Form, name: str) -> Form:
    operation = form.operation
    if not operation.body or any(name in names(coordinate) for piece in operation.slices for coordinate in piece.coordinates):
        return form
    used = [each for each in expressions(body_of(operation, operation.name)) if name in names(each)]
    half = _half(used[0], name) if used else None
    if half is None or not all(equal(each, _signed(name, half)) for each in used):
        return form
    limits = [Binary("<=", Int(-half), Name(name)), Binary("<=", Name(name), Int(half - 1))]
    field: dict[str, Expr] = {name: Binary("%", Name(name), Int(2 * half))}
    given = {key: simplify(substitute(each, field)) for key, each in form.given.items()}
    others = tuple(each for each in operation.when if names(each) != {name})
    if not all(_is_range(each, name, half) for each in operation.when if name in names(each)):
        return form
    return Form(replace(operation, when=(*others, *limits), body=_with_name(operation, name, half)), {**field, **given})


def _signed(name: str, half: int) -> Expr:
    return Binary("-", Binary("%", Binary("+", Name(name), Int(half)), Int(2 * half)), Int(half))


def _half(expr: Expr, name: str) -> int | None:
    match simplify(expr):
        case Binary("-", Binary("%", Binary("+", Name(found), Int(half)), Int(period)), Int(again)) if found == name and period == 2 * half == 2 * again:
            return half
    return None


def _is_range(condition: Expr, name: str, half: int) -> bool:
    """Whether a condition only says that the field has so many bits."""
    within = (Binary("<=", Int(0), Name(name)), Binary("<", Name(name), Int(2 * half)), Binary("<=", Name(name), Int(2 * half - 1)))
    return condition in within or condition in (Binary(">=", Name(name), Int(0)),)


def _with_name(operation: Instruction, name: str, half: int) -> str:
    signed = simplify(_signed(name, half))
    return with_values(operation, lambda expr: Name(name) if simplify(expr) == signed else expr)
