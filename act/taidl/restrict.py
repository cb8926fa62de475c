"""The body of an instruction that is not well-typed for all attribute values -> conditions under which it is."""

from __future__ import annotations

from act.errors import UserError
from act.hlo.dtypes import integer_range, is_float
from act.hlo.infer import check_one, shape_errors
from act.hlo.model import Computation, Dimension, Shape
from act.hlo.model import Instruction as Operator
from act.records import dataclass, field
from act.taidl.body import body_of
from act.taidl.bounds import Range, always, never
from act.taidl.expr import names, substitute
from act.taidl.model import Accelerator, Binary, Expr, Instruction, Int, Slice
from act.taidl.ranges import value_ranges
from act.taidl.simplify import simplify
from act.taidl.verify_body import Symbol, SymbolicArithmetic, expression_of, symbols


@dataclass(frozen=True, slots=True)
class Assuming(SymbolicArithmetic):
    """Takes for true, and notes, what cannot be shown but may hold."""

    taken: dict[Expr, None] = field(default_factory=dict)

    def equal(self, a: Dimension, b: Dimension) -> bool:
        return SymbolicArithmetic.equal(self, a, b) or self._take("==", a, b)

    def at_most(self, a: Dimension, b: Dimension) -> bool:
        return SymbolicArithmetic.at_most(self, a, b) or self._take("<=", a, b)

    def _take(self, op: str, a: Dimension, b: Dimension) -> bool:
        condition = Binary(op, simplify(expression_of(a)), simplify(expression_of(b)))  # type: ignore[arg-type]
        if never(condition, self.ranges):
            return False
        self.taken[condition] = None
        return True


def restrictions(accelerator: Accelerator, instruction: Instruction) -> tuple[Expr, ...] | None:
    """Conditions on the attributes that make all shapes fit, in the order of the body; empty when they fit always, None when they cannot."""
    if not instruction.body:
        return ()
    ranges = value_ranges(accelerator, instruction)
    try:
        body = body_of(instruction, instruction.name, wrap=Symbol)
    except UserError:
        return None
    found = _of_body(body, ranges)
    slices = [(read.name, read.slice) for read in instruction.reads] + [(write.name, write.slice) for write in instruction.writes]
    for name, piece in slices:
        if found is not None and name in body.by_name and piece.buffer in accelerator.buffers:
            found = _of_slice(accelerator, piece, body[name].shape, ranges, found)
    return None if found is None or never_together(found, ranges) else tuple(found)


def within_buffers(accelerator: Accelerator, instruction: Instruction) -> tuple[Expr, ...]:
    """What slices say by being within their buffers, of coordinates that depend on no address and run along one index variable."""
    ranges, found = value_ranges(accelerator, instruction), []
    for piece in (*(read.slice for read in instruction.reads), *(write.slice for write in instruction.writes)):
        buffer = accelerator.buffers[piece.buffer]
        extents = {index.name: index.extent for index in piece.indices}
        for coordinate, size in zip(piece.coordinates, buffer.access + buffer.unit, strict=True):
            last = substitute(coordinate, {name: Binary("-", extent, Int(1)) for name, extent in extents.items()})
            condition = Binary("<", simplify(last), Int(size))
            if names(condition) <= set(instruction.alpha) and not always(condition, ranges):
                found.append(Binary("<=", simplify(Binary("+", last, Int(1))), Int(size)))
    return tuple(dict.fromkeys(found))


def never_together(conditions: dict[Expr, None], ranges: dict[str, Range]) -> bool:
    joined: Expr = Int(1)
    for condition in conditions:
        joined = Binary("and", joined, condition)
    return never(joined, ranges)


def _of_body(body: Computation, ranges: dict[str, Range]) -> dict[Expr, None] | None:
    found: dict[Expr, None] = {}
    for instruction, _ in shape_errors(body, None, SymbolicArithmetic(ranges)):
        assuming = Assuming(ranges)
        if not check_one(instruction, [body[operand].shape for operand in instruction.operands], assuming):
            return None
        found |= assuming.taken
    for each in (each for each in body if each.opcode == "constant"):
        found |= _of_constant(each, ranges)
    return found


def _of_constant(constant: Operator, ranges: dict[str, Range]) -> dict[Expr, None]:
    assuming = Assuming(ranges)
    if isinstance(constant.shape, Shape) and not is_float(constant.shape.dtype):
        low, high = integer_range(constant.shape.dtype)
        for value in symbols(constant.attributes["value"]):
            _ = assuming.at_most(low, value) and assuming.at_most(value, high)
    return assuming.taken


def _of_slice(accelerator: Accelerator, piece: Slice, shape: object, ranges: dict[str, Range], found: dict[Expr, None]) -> dict[Expr, None] | None:
    extents = [simplify(index.extent) for index in piece.indices]
    if not isinstance(shape, Shape) or shape.dtype != accelerator.buffers[piece.buffer].element or shape.rank != len(extents):
        return None
    assuming = Assuming(ranges)
    fits = all(assuming.equal(Symbol(extent), size) for extent, size in zip(extents, shape.dims, strict=True))
    return found | _oriented(assuming.taken) if fits else None


def _oriented(conditions: dict[Expr, None]) -> dict[Expr, None]:
    """`64 == n` as `n == 64`."""
    turned = (Binary(c.op, c.right, c.left) if isinstance(c, Binary) and c.op == "==" and isinstance(c.left, Int) else c for c in conditions)
    return dict.fromkeys(turned)
