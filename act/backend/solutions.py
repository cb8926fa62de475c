"""The equations of an instruction -> values of its attributes and registers: found out once for all kernels, since they are about sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from act.backend.equations import Binding, Condition, Match, Values, search
from act.backend.memo import MOST, by_identity, names_of
from act.backend.registers import Requirement
from act.generator.model import Selector
from act.hlo.model import Shape
from act.records import dataclass, field
from act.taidl.model import Binary, Int

Settled = tuple[Values, tuple[Requirement, ...], int]
"""Attributes, what is needed of registers, and a cost."""


@dataclass(slots=True)
class Solutions:
    """What the equations of instructions were found to say: it depends on sizes, not on the kernel.  `solved` are the attributes of a binding,
    `moves` an instruction that moves anything of a shape, `complete` all attributes, `conditions` those that do not depend on addresses,
    `settled` these with the values of registers that
    are needed and the cost, `reached` the values of registers for some strides."""

    solved: dict[tuple, tuple[Values, Values] | None] = field(default_factory=dict)
    moves: dict[tuple[int, Shape], Match | None] = field(default_factory=dict)
    complete: dict[tuple, Values | None] = field(default_factory=dict)
    conditions: dict[str, list[Condition]] = field(default_factory=dict)
    settled: dict[tuple, Settled | None] = field(default_factory=dict)
    reached: dict[tuple, Values | None] = field(default_factory=dict)

    def attributes(self, selector: Selector, binding: Binding) -> tuple[Values, Values] | None:
        """The attributes and registers that a binding says; None where there are none."""
        key = (id(selector), tuple(sorted(binding.alpha.items())), binding.pending)
        if key not in self.solved:
            self.solved[key] = self._solve(selector, binding)
        return self.solved[key]

    def completed(self, found: Match, chosen: Iterable[tuple[str, int]]) -> Match | None:
        """The match with values of its free attributes: `chosen` ones, and the least for others; None when no values fit."""
        selector = found.selector
        if not selector.free:
            return found
        key = (selector.name, found.alpha, *(each for each in chosen if each[0] in selector.free))
        if key not in self.complete:
            self.complete[key] = self._chosen(selector, dict(found.alpha), key[2:])
        alpha = self.complete[key]
        return None if alpha is None else Match(selector, alpha, found.operands, found.registers)

    def _chosen(self, selector: Selector, values: dict[str, int], chosen: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...] | None:
        for name, value in chosen:
            if value < 0 or values.setdefault(name, value) != value:
                return None
        complete = search(self._conditions_of(selector), values, [name for name in selector.alpha if name not in values])
        return None if complete is None else tuple((name, complete[name]) for name in selector.alpha)

    def _solve(self, selector: Selector, binding: Binding) -> tuple[Values, Values] | None:
        """Values of the computational attributes, and of registers, under which the conditions hold; those that nothing determines are the
        least."""
        conditions = [*self._conditions_of(selector)]
        conditions += [(Binary("==", expr, Int(value)), names_of(expr)) for expr, value in binding.pending]
        conditions = [each for each in conditions if not each[1] & set(selector.free)]
        needed = (name for _, known in conditions for name in sorted(known))
        wanted = dict.fromkeys((*(name for name in selector.alpha if name not in selector.free), *needed))
        values = search(conditions, binding.alpha, [name for name in wanted if name not in binding.alpha])
        if values is None or set(values) & set(selector.beta):
            return None
        alpha = tuple((name, values[name]) for name in selector.alpha if name in values)
        return alpha, tuple((name, value) for name, value in values.items() if name not in selector.alpha)

    def _conditions_of(self, selector: Selector) -> list[Condition]:
        """The conditions that do not depend on addresses, with their names."""
        if selector.name not in self.conditions:
            found = [(condition, names_of(condition)) for condition in selector.conditions]
            self.conditions[selector.name] = [each for each in found if not each[1] & set(selector.beta)]
        return self.conditions[selector.name]

    def trimmed(self) -> Solutions:
        """Without what is too much to keep."""
        for each in (self.solved, self.moves, self.complete, self.settled, self.reached):
            if len(each) > MOST:
                each.clear()
        return self


@by_identity
def solutions_of(selectors: Sequence[Selector]) -> Solutions:
    """The same object for the instructions of one backend."""
    return Solutions()
