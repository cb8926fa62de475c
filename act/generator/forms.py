"""An instruction with values for some of its attributes -> a simpler instruction over those that are left.

Before --> after:  `load(ypad, rows | at)` with ypad = 0 --> `load(rows | at)`, which is issued as `load(ypad = 0, rows = rows, at = at)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from act.generator.bodies import with_values
from act.records import dataclass, field, replace
from act.taidl.expr import conjuncts, names, substitute
from act.taidl.model import Expr, Index, Instruction, Int, Slice
from act.taidl.simplify import simplify


@dataclass(frozen=True, slots=True)
class Form:
    """What an instruction does when its attributes in `given` have these values, which may depend on the attributes of `operation`."""

    operation: Instruction
    given: Mapping[str, Expr] = field(default_factory=dict)


def with_slices(operation: Instruction, change: Callable[[Slice], Slice]) -> Instruction:
    return replace(
        operation,
        reads=tuple(replace(each, slice=change(each.slice)) for each in operation.reads),
        writes=tuple(replace(each, slice=change(each.slice)) for each in operation.writes),
        clobbers=tuple(map(change, operation.clobbers)),
    )


def changed_slice(piece: Slice, change: Callable[[Expr], Expr]) -> Slice:
    """With `change(e)` for every coordinate and extent."""
    indices = tuple(Index(index.name, change(index.extent)) for index in piece.indices)
    return Slice(piece.buffer, tuple(map(change, piece.coordinates)), indices)


def pinned(form: Form, values: Mapping[str, Expr]) -> Form:
    """The form for these values of some attributes; conditions that hold then are left out."""

    def value(expr: Expr) -> Expr:
        return simplify(substitute(expr, values)) if names(expr) & values.keys() else expr

    operation = with_slices(form.operation, lambda piece: changed_slice(piece, value))
    conditions = (part for condition in operation.when for part in conjuncts(value(condition)))
    operation = replace(
        operation,
        alpha=tuple(name for name in operation.alpha if name not in values),
        beta=tuple(name for name in operation.beta if name not in values),
        when=tuple(dict.fromkeys(each for each in conditions if not (isinstance(each, Int) and each.value))),
        uses=tuple(replace(use, index=_optional(use.index, value), equals=_optional(use.equals, value)) for use in operation.uses),
        sets=tuple(replace(each, index=_optional(each.index, value), value=value(each.value)) for each in operation.sets),
        cost=_optional(operation.cost, value),
        body=with_values(operation, value),
        pops=tuple(replace(use, condition=_optional(use.condition, value)) for use in operation.pops),
        pushes=tuple(replace(use, condition=_optional(use.condition, value)) for use in operation.pushes),
    )
    given = {name: value(each) for name, each in form.given.items()}
    return Form(operation, {**{name: each for name, each in values.items() if name in form.operation.attributes}, **given})


def _optional(expr: Expr | None, value: Callable[[Expr], Expr]) -> Expr | None:
    return None if expr is None else value(expr)
