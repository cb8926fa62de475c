"""Instructions that do the same with other registers (one load, three banks of strides) -> the one whose registers need no setting.

Works like a cache: a step takes the variant whose registers already hold what it needs; where none does, the one whose present values
are needed again last (Belady's rule).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from math import inf

from act.backend.alike import Groups, alike
from act.backend.plan import Step
from act.backend.registers import Register, Requirement
from act.generator.model import Selector
from act.records import dataclass, field
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator, Use

Contents = tuple[Requirement, ...]


@dataclass(slots=True)
class Variants:
    """`initial` are the values of registers at the start."""

    accelerator: Accelerator
    selectors: Sequence[Selector]
    initial: Mapping[Register, int | None]
    _same: Groups = field(init=False)

    def __post_init__(self) -> None:
        self._same = alike(self.accelerator, self.selectors)

    def choose(self, steps: Sequence[Step]) -> None:
        """Exchanges instructions of `steps` for variants of them."""
        options = [list(self._options(step)) for step in steps]
        wanted, state = _wanted(options), dict(self.initial)
        for time, step in enumerate(steps):
            found = options[time]
            if len(found) > 1:
                selector, needed = min(found, key=lambda option: self._loss(option[1], state, wanted, time))
                step.match, step.requirements = step.match._replace(selector=selector), needed
            state.update(dict(step.requirements))

    def _options(self, step: Step) -> Iterator[tuple[Selector, Contents]]:
        """The variants of a step with what each needs of its registers."""
        selector, alpha = step.match.selector, dict(step.match.alpha)
        if len(self.variants(selector)) == 1:
            yield selector, step.requirements
            return
        needed = dict(step.requirements)
        for other in self.variants(selector):
            pairs = zip(selector.uses, other.uses, strict=True)
            registers = [(_register(use, alpha), _register(same, alpha)) for use, same in pairs]
            yield other, tuple((new, needed[old]) for old, new in registers if old in needed)

    def _loss(self, needed: Contents, state: Mapping[Register, int | None], wanted: Mapping[Requirement, Sequence[int]], time: int) -> tuple[int, float]:
        """How many registers would be set, and how soon (negated time) what they hold would be missed."""
        stale = [register for register, value in needed if state.get(register) != value]
        if not stale:
            return 0, 0
        held = [wanted.get((register, value), ()) for register in stale if (value := state.get(register)) is not None]
        missed = [times[later] for times in held if (later := bisect_right(times, time)) < len(times)]
        return len(stale), -min(missed, default=inf)

    def variants(self, selector: Selector) -> tuple[Selector, ...]:
        """The instructions that differ from `selector` in name and registers only; itself first."""
        group = self._same[id(selector)]
        return group if group[0] is selector else (selector, *(each for each in group if each is not selector))


def _wanted(options: Sequence[Sequence[tuple[Selector, Contents]]]) -> dict[Requirement, list[int]]:
    """For each value of a register the steps, in order, of which some variant needs it."""
    found: dict[Requirement, list[int]] = {}
    for time, variants in enumerate(options):
        for pair in dict.fromkeys(pair for _, contents in variants for pair in contents):
            found.setdefault(pair, []).append(time)
    return found


def _register(use: Use, alpha: Mapping[str, int]) -> Register:
    return use.state, None if use.index is None else evaluate(use.index, alpha)
