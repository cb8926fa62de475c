"""An operation -> the ranges of its attributes and registers: what the fields can hold, the registers' types, and `when`."""

from __future__ import annotations

from collections.abc import Iterator

from act.hlo.dtypes import integer_range
from act.taidl.bounds import Range, refine
from act.taidl.expr import substitute
from act.taidl.model import Accelerator, Binary, Composite, Expr, Index, Instruction, Int, Name


def value_ranges(accelerator: Accelerator, operation: Instruction | Composite) -> dict[str, Range]:
    """A range for each attribute and each register that `use` names; `Range(1, 0)` or the like when `when` can never hold."""
    clauses = operation.operation if isinstance(operation, Composite) else operation
    known = {name: Range() for name in clauses.attributes}
    for use in clauses.uses:
        if use.name and use.state in accelerator.states:
            known[use.name] = Range(*integer_range(accelerator.states[use.state].element))
    return refine(known, [*_encodable(accelerator, operation), *clauses.when])


def _encodable(accelerator: Accelerator, operation: Instruction | Composite) -> Iterator[Expr]:
    if isinstance(operation, Composite):
        for part in operation.parts:
            if part.instruction in accelerator.instructions:
                inner = _encodable(accelerator, accelerator.instructions[part.instruction])
                yield from (substitute(condition, part.arguments) for condition in inner)
        return
    for field in (each for each in operation.encode if each.high >= each.low):
        yield Binary("and", Binary(">=", field.value, Int(0)), Binary("<", field.value, Int(1 << field.high - field.low + 1)))


def with_indices(ranges: dict[str, Range], indices: tuple[Index, ...]) -> dict[str, Range]:
    """`ranges` and those of index variables: 0 <= name < extent."""
    return refine({**ranges, **{index.name: Range(0) for index in indices}}, [Binary("<", Name(index.name), index.extent) for index in indices])
