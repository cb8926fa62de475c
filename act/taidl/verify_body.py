"""The body of an operation -> type errors, for all attribute values that `when` admits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from act.errors import UserError
from act.hlo.dtypes import integer_range, is_float
from act.hlo.infer import shape_errors
from act.hlo.model import Computation, Dimension, Shape
from act.records import dataclass
from act.taidl.body import body_of
from act.taidl.bounds import Range, always, bounds
from act.taidl.expr import names
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Binary, Expr, Instruction, Int, Slice, Write
from act.taidl.simplify import equal, quotient, simplify
from act.taidl.text import Locations
from act.taidl.verify_clauses import Problem, address_registers


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbolic integer that shows itself as the text of its expression."""

    expr: Expr

    def __str__(self) -> str:
        return f"`{print_expr(self.expr)}`"


def expression_of(size: Dimension) -> Expr:
    return Int(size) if isinstance(size, int) else size.expr


@dataclass(frozen=True, slots=True)
class SymbolicArithmetic:
    """Integer arithmetic for shape inference, over names within `ranges`."""

    ranges: dict[str, Range]

    def _operator(self, op: Any, a: Dimension, b: Dimension) -> Dimension:
        result = simplify(Binary(op, expression_of(a), expression_of(b)))
        return result.value if isinstance(result, Int) else Symbol(result)

    def add(self, a: Dimension, b: Dimension) -> Dimension:
        return self._operator("+", a, b)

    def subtract(self, a: Dimension, b: Dimension) -> Dimension:
        return self._operator("-", a, b)

    def multiply(self, a: Dimension, b: Dimension) -> Dimension:
        return self._operator("*", a, b)

    def divide(self, a: Dimension, b: Dimension) -> Dimension:
        if isinstance(b, Symbol) and always(Binary("<=", Int(1), b.expr), self.ranges):
            found = quotient(expression_of(a), b.expr)
            if found is not None:
                return self.add(Symbol(found), 0)
        return self._operator("/", a, b)

    def equal(self, a: Dimension, b: Dimension) -> bool:
        return equal(expression_of(a), expression_of(b)) or bounds(Binary("-", expression_of(a), expression_of(b)), self.ranges) == Range(0, 0)

    def at_most(self, a: Dimension, b: Dimension) -> bool:
        return always(Binary("<=", expression_of(a), expression_of(b)), self.ranges)


def body_problems(accelerator: Accelerator, operation: Instruction, ranges: dict[str, Range], locations: Locations) -> Iterator[Problem]:
    """Problems of one body; those inside the text carry their location as the clause."""
    if not operation.body:
        return
    filename, line, indent = _place(locations.get((operation.name, "text of body", 0)), operation.name)
    try:
        body = body_of(operation, filename, line, indent, Symbol)
    except UserError as error:
        yield error.location or "body", 0, error.problem, error.advice
        return
    yield from _names(accelerator, operation, body)
    sizes = SymbolicArithmetic(ranges)
    for instruction, text in shape_errors(body, None, sizes):
        yield f"{filename}:{instruction.line}", 0, f"{instruction.opcode} '%{instruction.name}': {text}", None
    yield from _constants(body, sizes, f"{filename}:")
    yield from _operands(accelerator, operation, body, sizes)
    yield from _results(accelerator, operation, body, sizes)


def _place(location: str | None, name: str) -> tuple[str, int, int]:
    if location is None:
        return f"body of {name}", 1, 0
    filename, line, column = location.rsplit(":", 2)
    return filename, int(line), int(column) - 1


def _names(accelerator: Accelerator, operation: Instruction, body: Computation) -> Iterator[Problem]:
    addresses = set(operation.beta) | address_registers(accelerator, operation)
    known = (set(operation.alpha) | {use.name for use in operation.uses if use.name}) - addresses
    for symbol in symbols([(each.shape, tuple(each.attributes.values())) for each in body]):
        for name in sorted(names(symbol.expr) - known):
            why = "is an address" if name in addresses else "is no attribute"
            yield "body", 0, f"'{name}' in {symbol} {why}: a computation depends on alpha attributes and config registers only", None


def symbols(item: Any) -> Iterator[Symbol]:
    match item:
        case Symbol():
            yield item
        case Shape():
            yield from symbols(item.dims)
        case tuple() | list():
            for each in item:
                yield from symbols(each)


def _constants(body: Computation, sizes: SymbolicArithmetic, where: str) -> Iterator[Problem]:
    """A symbolic constant must be in the range of its type."""
    for each in body:
        dtype = each.shape.dtype if isinstance(each.shape, Shape) else "pred"
        if each.opcode == "constant" and not is_float(dtype):
            low, high = integer_range(dtype)
            for symbol in symbols(each.attributes["value"]):
                if not (sizes.at_most(low, symbol) and sizes.at_most(symbol, high)):
                    yield (
                        f"{where}{each.line}",
                        0,
                        f"constant '%{each.name}': {symbol} may be outside of {low}..{high}, the range of {dtype}",
                        "limit it by 'when'",
                    )


def _operands(accelerator: Accelerator, operation: Instruction, body: Computation, sizes: SymbolicArithmetic) -> Iterator[Problem]:
    expected, found = [read.name for read in operation.reads], [parameter.name for parameter in body.parameters]
    if expected != found:
        shown = [" ".join(f"%{name}" for name in group) or "none" for group in (expected, found)]
        yield "body", 0, f"expected the parameters {shown[0]}, as they are read, found {shown[1]}", "number them in the order of 'read'"
        return
    for position, (read, parameter) in enumerate(zip(operation.reads, body.parameters, strict=True)):
        yield from _fits(accelerator, read.slice, parameter.shape, sizes, "read", position, read.name)


def _results(accelerator: Accelerator, operation: Instruction, body: Computation, sizes: SymbolicArithmetic) -> Iterator[Problem]:
    defined = body.by_name
    if body.root not in {write.name for write in operation.writes}:
        yield "body", 0, f"the result '%{body.root}' is not written", f"add 'write BUFFER[...] = %{body.root}'"
    for position, write in enumerate(operation.writes):
        if write.name not in defined:
            yield "write", position, f"'%{write.name}' is not computed by the body", f"known: {', '.join('%' + name for name in defined)}"
        else:
            yield from _fits(accelerator, write.slice, defined[write.name].shape, sizes, "write", position, write.name)
            yield from _mask(write, body, sizes, position)


def _mask(write: Write, body: Computation, sizes: SymbolicArithmetic, position: int) -> Iterator[Problem]:
    if write.mask is None:
        return
    mask, value = body.by_name.get(write.mask), body[write.name].shape
    shape = None if mask is None else mask.shape
    match shape, value:
        case Shape("pred", dims), Shape(_, wanted) if len(dims) == len(wanted) and all(map(sizes.equal, dims, wanted)):
            return
        case _:
            pass
    yield "write", position, f"the predicate '%{write.mask}' must be a tensor of pred with the dimensions of '%{write.name}', found {shape}", None


def _fits(accelerator: Accelerator, piece: Slice, shape: Any, sizes: SymbolicArithmetic, clause: str, position: int, name: str) -> Iterator[Problem]:
    wanted = Shape(accelerator.buffers[piece.buffer].element, tuple(_dimension(index.extent) for index in piece.indices))
    same = isinstance(shape, Shape) and shape.dtype == wanted.dtype and len(shape.dims) == len(wanted.dims)
    if not same or not all(map(sizes.equal, wanted.dims, shape.dims)):
        yield clause, position, f"the slice of {piece.buffer} is {wanted}, but '%{name}' is {shape}", "make element types and extents agree"


def _dimension(extent: Expr) -> Dimension:
    simple = simplify(extent)
    return simple.value if isinstance(simple, Int) else Symbol(extent)
