"""Places that instructions relate to each other -> places that satisfy all of them, found by the constraint solver.

One address attribute may begin several operands, and a `when` clause may compare several attributes.  First fit looks at one home at a
time; where its places break such a relation, all homes of all memories are placed together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from act.backend.homes import Home, holds
from act.backend.memo import names_of
from act.backend.plan import Place, Step
from act.backend.solve import solve_related
from act.generator.model import InHost, OnChip, Start
from act.records import dataclass
from act.taidl.expr import conjuncts, evaluate, names
from act.taidl.model import Binary, Expr, Int, Name

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

    from act.backend.allocate import Allocation

COMPARED = frozenset(["==", "!=", "<", "<=", ">", ">="])


@dataclass(frozen=True, slots=True)
class Anchor:
    """A coordinate of an operand: it begins at coordinate `which` of `home`, `shift` after its beginning; in host memory (no home) at `shift`."""

    start: Start
    home: Home | None
    which: int
    shift: int

    @property
    def place(self) -> int:
        return self.shift + (self.home.at[self.which] if self.home else 0)


def anchors(step: Step, allocation: Allocation) -> Iterator[Anchor]:
    """The coordinates of everything that a step reads, writes and overwrites."""
    operands = [*zip(step.match.selector.operands, step.operands, strict=True), (step.match.selector.result, step.target or step)]
    for operand, value in operands:
        if isinstance(value, Place):
            assert isinstance(operand.access, InHost)
            yield Anchor(operand.access.start, None, 0, allocation.address[value.tensor] + value.offset)
            continue
        assert isinstance(operand.access, OnChip)
        for which, start in enumerate(operand.access.starts):
            yield Anchor(start, allocation.home[value], which, allocation.offset[value][which])
    for which, start, home in allocation.clobbered.get(step, ()):
        yield Anchor(start, home, which, 0)


def is_broken(step: Step, allocation: Allocation) -> bool:
    """Whether a step has no attributes that address its operands where they are, or a condition does not hold for them."""
    alpha = dict(step.match.alpha)
    values = dict(alpha)
    for start, place in _places(step, allocation):
        offset, name, scale = start.offset, start.attribute, start.scale
        rest = place - (offset.value if isinstance(offset, Int) else evaluate(offset, alpha))
        if name is None:
            if rest:
                return True
        elif rest < 0 or rest % scale or values.setdefault(name, rest // scale) != rest // scale:
            return True
    return not all(holds(condition, values) for condition in _about_addresses(step, allocation))


def _places(step: Step, allocation: Allocation) -> Iterator[tuple[Start, int]]:
    """The coordinates of everything that a step reads, writes and overwrites, with the place of each."""
    for operand, value in zip(step.match.selector.operands, step.operands, strict=True):
        yield from allocation.starts(operand, value)
    yield from allocation.starts(step.match.selector.result, step.target if step.target is not None else step)
    for which, start, home in allocation.clobbered.get(step, ()):
        yield start, home.at[which]


def _about_addresses(step: Step, allocation: Allocation) -> tuple[Expr, ...]:
    """The conditions of an instruction that name addresses; all others were met when it was selected."""
    selector, known = step.match.selector, allocation.conditions
    if selector.name not in known:
        known[selector.name] = tuple(each for each in selector.conditions if names_of(each) & {*selector.beta})
    return known[selector.name]


def place_together(steps: Sequence[Step], allocation: Allocation, homes: Sequence[Home]) -> bool:
    """Gives all homes new places for which no step is broken; False when none were found."""
    groups = [[home for home in homes if home.buffer == buffer] for buffer in dict.fromkeys(home.buffer for home in homes)]

    def relate(model: cp_model.CpModel, starts: Mapping[Home, list[Any]]) -> None:
        for step in steps:
            _relate(model, starts, step, allocation)

    def broken() -> list[list[Home]]:
        found = [step for step in steps if is_broken(step, allocation)]
        return [[anchor.home for anchor in anchors(step, allocation) if anchor.home] for step in found]

    return solve_related(groups, relate, broken)


def _relate(model: cp_model.CpModel, starts: Mapping[Home, list[Any]], step: Step, allocation: Allocation) -> None:
    """One variable for each attribute; the conditions that are linear."""
    alpha = dict(step.match.alpha)
    values: dict[str, Any] = dict(alpha)
    for anchor in anchors(step, allocation):
        place = anchor.shift + (starts[anchor.home][anchor.which] if anchor.home else 0) - evaluate(anchor.start.offset, alpha)
        name = anchor.start.attribute
        if name is not None:
            if name not in values:
                values[name] = model.new_int_var(0, 1 << 40, "")
            model.add(place == anchor.start.scale * values[name])
        elif anchor.home:
            model.add(place == 0)
    for condition in (each for whole in _about_addresses(step, allocation) for each in conjuncts(whole)):
        if names(condition) <= values.keys() and names(condition) - alpha.keys():
            _add(model, condition, values)


def _add(model: cp_model.CpModel, condition: Expr, values: Mapping[str, Any]) -> None:
    """A comparison of linear expressions; all others are checked when there is an answer."""
    if isinstance(condition, Binary) and condition.op in COMPARED:
        left, right = _linear(condition.left, values), _linear(condition.right, values)
        if left is None or right is None or (isinstance(left, int) and isinstance(right, int)):
            return
        match condition.op:
            case "==":
                model.add(left == right)
            case "!=":
                model.add(left != right)
            case "<":
                model.add(left < right)
            case "<=":
                model.add(left <= right)
            case ">":
                model.add(left > right)
            case _:
                model.add(left >= right)


def _linear(expr: Expr, values: Mapping[str, Any]) -> Any:
    """The expression over variables; None when it is not linear."""
    match expr:
        case Int(value):
            return value
        case Name(name):
            return values[name]
        case Binary("+" | "-" | "*" as op, left, right):
            first, second = _linear(left, values), _linear(right, values)
            if first is None or second is None:
                return None
            if op == "*":
                return first * second if isinstance(first, int) or isinstance(second, int) else None
            return first + second if op == "+" else first - second
    return None
