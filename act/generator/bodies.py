"""The body of an instruction -> the same computation with dimensions added, taken away, or divided.

Before --> after, for a leading dimension of n rows, of %x alone:
`%z = s32[16] add(%x, %y)` --> `%y.rows = s32[n, 16] broadcast(%y), dimensions={1} ; %z = s32[n, 16] add(%x, %y.rows)`
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

from act.generator.address import NotSelectable
from act.hlo.instantiate import instantiate
from act.hlo.model import Computation, Instruction, Shape
from act.hlo.opcodes import ELEMENTWISE
from act.hlo.print import print_body
from act.records import dataclass, field, replace
from act.taidl.body import body_of
from act.taidl.expr_text import print_expr
from act.taidl.model import Expr, Int
from act.taidl.model import Instruction as Operation
from act.taidl.simplify import constant, simplify

BY_ELEMENT = ELEMENTWISE | {"bitcast-convert", "copy"}
"""Each element of the result depends on that of each operand; a bitcast may take or give a last dimension of bytes."""


def with_values(operation: Operation, value: Callable[[Expr], Expr]) -> str:
    """The text of the body with `value(e)` for every expression e."""

    def replaced(expr: Expr) -> Any:
        result = simplify(value(expr))
        known = constant(result)
        return result if known is None else known

    return print_body(instantiate(body_of(operation, operation.name), replaced), print_expr) if operation.body else ""


def changed(operation: Operation, change: Callable[[Computation], Computation]) -> str:
    """The text of the body after `change`."""
    return print_body(change(body_of(operation, operation.name)), print_expr) if operation.body else ""


def shape_of(each: Instruction) -> Shape:
    assert isinstance(each.shape, Shape)
    return each.shape


def without_padding(body: Computation) -> Computation:
    """What is padded with nothing is a copy of the operand."""

    def copied(each: Instruction) -> Instruction:
        if each.opcode != "pad" or any(any(each.attributes[side]) for side in ("low", "high", "interior")):
            return each
        return replace(each, opcode="copy", operands=each.operands[:1], attributes={})

    return replace(body, instructions=tuple(map(copied, body)))


def without_dimensions(body: Computation, positions: Collection[int], others: Collection[str] = ()) -> Computation:
    """Without dimensions of size 1 that all tensors have at the same positions, but for the parameters `others` and what is made of these alone."""
    without = _Without(positions)
    return replace(body, instructions=tuple([without.of(each, others) for each in body]))


@dataclass(slots=True)
class _Without:
    """Takes the dimensions at `positions` away; `fewer` are the values that had them."""

    positions: Collection[int]
    fewer: set[str] = field(default_factory=set)

    def of(self, each: Instruction, others: Collection[str]) -> Instruction:
        shape = shape_of(each)
        if not shape.dims or (each.name in others if each.opcode == "parameter" else not self._has(each)):
            return each
        if any(position >= shape.rank or shape.dims[position] != 1 for position in self.positions):
            raise NotSelectable(f"its {each.opcode} has other dimensions than its operands")
        self.fewer.add(each.name)
        return replace(each, shape=replace(shape, dims=self._kept(shape.dims)), attributes=self._attributes(each))

    def _has(self, each: Instruction) -> bool:
        """Whether a value has the dimensions; what is spread to all of a tensor has."""
        return any(operand in self.fewer for operand in each.operands) or (
            each.opcode in ("broadcast", "constant") and shape_of(each).rank > max(self.positions)
        )

    def _kept(self, values: tuple) -> tuple:
        return tuple(value for position, value in enumerate(values) if position not in self.positions)

    def _moved(self, axes: tuple[int, ...]) -> tuple[int, ...]:
        """The axes that stay, as they are numbered then."""
        return tuple(axis - sum(position < axis for position in self.positions) for axis in axes if axis not in self.positions)

    def _keeps_apart(self, each: Instruction) -> bool:
        """Whether what is spread has the dimensions where the result has them, or none of them."""
        dimensions = each.attributes["dimensions"]
        placed = {dimensions[position] for position in self.positions} if each.operands[0] in self.fewer else set[int]()
        return placed == {*dimensions} & {*self.positions}

    def _attributes(self, each: Instruction) -> dict[str, Any]:
        given = dict(each.attributes)
        match each.opcode:
            case "pad":
                return {name: self._kept(value) for name, value in given.items()}
            case "broadcast" if self._keeps_apart(each):
                return {"dimensions": self._moved(given["dimensions"])}
            case "dot" if {*each.operands} <= self.fewer and given["lhs_batch_dims"] == given["rhs_batch_dims"] == (*sorted(self.positions),):
                return {name: self._moved(value) for name, value in given.items()}
            case "reduce" if min(given["dimensions"]) > max(self.positions):
                return {**given, "dimensions": self._moved(given["dimensions"])}
            case opcode if opcode in BY_ELEMENT | {"parameter"}:
                return given
        raise NotSelectable(f"its {each.opcode} is not seen with other dimensions")


def with_split_dimension(body: Computation, position: int, sizes: tuple[int, ...]) -> Computation:
    """With the dimensions `sizes` for the one at `position` of all tensors, which has their product."""
    total = 1
    for size in sizes:
        total *= size

    def dims(each: Instruction) -> tuple:
        found = shape_of(each).dims
        if position >= len(found) or found[position] != total:
            raise NotSelectable(f"its {each.opcode} has other dimensions than its operands")
        return (*found[:position], *sizes, *found[position + 1 :])

    def values(old: tuple) -> tuple:
        if old[position] != 0:
            raise NotSelectable("it pads a dimension that would have to be divided")
        return (*old[:position], *(0 for _ in sizes), *old[position + 1 :])

    return _reshaped(body, dims, values)


def _reshaped(body: Computation, dims: Callable[[Instruction], tuple], values: Callable[[tuple], tuple]) -> Computation:
    """With other dimensions of all tensors but scalars, for operators that keep each dimension."""
    found = []
    for each in body:
        shape = shape_of(each)
        if not shape.dims:
            found.append(each)
            continue
        attributes = dict(each.attributes)
        if each.opcode == "pad":
            attributes = {name: values(value) for name, value in attributes.items()}
        elif each.opcode not in BY_ELEMENT | {"parameter"} and (each.opcode != "broadcast" or attributes["dimensions"]):
            raise NotSelectable(f"its {each.opcode} is not seen with other dimensions")
        found.append(replace(each, shape=replace(shape, dims=dims(each)), attributes=attributes))
    return replace(body, instructions=tuple(found))


@dataclass(slots=True)
class Rows:
    """Makes a body compute `extent` rows at once: of the parameters `moving` each row has its own, all others are the same for all."""

    extent: Expr | int
    moving: Collection[str]
    _found: list[Instruction] = field(default_factory=list)
    _with_rows: set[str] = field(default_factory=set)
    _shapes: dict[str, Shape] = field(default_factory=dict)

    def of(self, body: Computation, results: Collection[str]) -> Computation:
        """The body with rows; also all `results` have them."""
        for each in body:
            self._add(each)
            if each.name in results and each.name not in self._with_rows:
                self._spread_result(each)
        return replace(body, instructions=tuple(self._found))

    def _dims(self, shape: Shape) -> tuple:
        return (self.extent, *shape.dims)

    def _append(self, each: Instruction, rows: bool) -> None:
        self._found.append(each)
        if rows:
            self._with_rows.add(each.name)

    def _add(self, each: Instruction) -> None:
        shape = self._shapes[each.name] = shape_of(each)
        rows = each.name in self.moving or any(operand in self._with_rows for operand in each.operands)
        if not rows:
            self._append(each, False)
            return
        larger = replace(each, shape=replace(shape, dims=self._dims(shape)))
        match each.opcode:
            case "parameter":
                self._append(larger, True)
            case "broadcast":
                self._append(replace(larger, attributes={"dimensions": (0, *(1 + axis for axis in each.attributes["dimensions"]))}), True)
            case "dot":
                self._append(self._dot(each), True)
            case opcode if opcode in BY_ELEMENT:
                self._append(replace(larger, operands=tuple(map(self._spread, each.operands))), True)
            case opcode:
                raise NotSelectable(f"its {opcode} is not known to work on several rows")

    def _spread(self, name: str) -> str:
        """A value with rows; scalars where they are allowed stay."""
        shape = self._shapes[name]
        if name in self._with_rows or not shape.dims:
            return name
        dimensions = tuple(range(1, 1 + shape.rank))
        spread = f"{name}.rows"
        if spread not in self._with_rows:
            source, value = name, next(each for each in self._found if each.name == name)
            if value.opcode == "dot":
                raise NotSelectable("its product is the same for all rows")
            if value.opcode == "broadcast" and not value.attributes["dimensions"]:
                source, dimensions = value.operands[0], ()
            self._append(Instruction(spread, replace(shape, dims=self._dims(shape)), "broadcast", (source,), {"dimensions": dimensions}), True)
        return spread

    def _spread_result(self, each: Instruction) -> None:
        """A result that is the same for all rows."""
        if each.opcode != "broadcast" or each.attributes["dimensions"]:
            raise NotSelectable(f"its {each.opcode} does not depend on the row")
        self._found[-1] = replace(each, shape=replace(shape_of(each), dims=self._dims(shape_of(each))))
        self._with_rows.add(each.name)

    def _dot(self, each: Instruction) -> Instruction:
        """Rows are a further dimension of the left operand, or of the right one when the left has no other than the contracted ones."""
        numbers, shape = dict(each.attributes), shape_of(each)
        left, right = (operand in self._with_rows for operand in each.operands)
        free = self._shapes[each.operands[0]].rank - len(numbers["lhs_contracting_dims"])
        if (left and right) or numbers["lhs_batch_dims"] or (right and free):
            raise NotSelectable("its dot is not a product of matrices when it works on several rows")
        side = "lhs" if left else "rhs"
        numbers[f"{side}_contracting_dims"] = tuple(1 + axis for axis in numbers[f"{side}_contracting_dims"])
        return replace(each, shape=replace(shape, dims=self._dims(shape)), attributes=numbers)


def expressions(body: Computation) -> Iterator[Expr]:
    """Every expression in dimensions and attributes."""
    for each in body:
        for value in (*shape_of(each).dims, *each.attributes.values()):
            yield from _expressions(value)


def _expressions(value: Any) -> Iterator[Expr]:
    if isinstance(value, tuple):
        for part in value:
            yield from _expressions(part)
    elif not isinstance(value, (int, float, str)):
        yield value


def as_size(extent: Expr) -> Expr | int:
    """A dimension: an integer where it is known."""
    return extent.value if isinstance(extent, Int) else extent
