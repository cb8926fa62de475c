"""A plan that has no room -> the same plan with one more value moved to host memory and back, where instructions can do that.

The value is stored to a tensor of its own as soon as it is there, and loaded again for every use, so that it takes no room in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.backend.allocate import NoRoom
from act.backend.needs import Need, OnChipNeed, StoreNeed, TensorNeed, Way, Ways
from act.backend.plan import Place, Plan, Step, Tensor
from act.backend.views import row_major
from act.generator.model import OnChip
from act.records import dataclass, field
from act.taidl.model import Accelerator


@dataclass(slots=True)
class Spiller:
    """`host` is the memory that spilt values go to."""

    accelerator: Accelerator
    ways: Ways
    host: str
    _spilt: set[Step] = field(default_factory=set)
    _found: dict[Need, list[Way]] = field(default_factory=dict)

    def spill(self, plan: Plan, steps: Sequence[Step], reason: NoRoom) -> bool:
        """Changes `plan`; False when no value can be spilt that is alive, but not used, where there was no room."""
        for value in self._candidates(steps, reason):
            store, load = self._store(value), self._load(value)
            if store is not None and load is not None:
                self._apply(plan, steps, value, store, load)
                return True
            self._spilt.add(value)
        return False

    def _candidates(self, steps: Sequence[Step], reason: NoRoom) -> list[Step]:
        """Values of the memory that are alive across the time of `reason`; first those that are not used for longest."""
        uses: dict[Step, list[int]] = {}
        for time, step in enumerate(steps):
            for operand in step.operands:
                if isinstance(operand, Step):
                    uses.setdefault(operand, []).append(time)
        made = {step: time for time, step in enumerate(steps)}
        across = {
            step: min(time for time in times if time > reason.time)
            for step, times in uses.items()
            if made[step] < reason.time < max(times) and reason.time not in times and self._spillable(step, reason.buffer)
        }
        return sorted(across, key=lambda step: (-across[step], made[step]))

    def _spillable(self, step: Step, buffer: str) -> bool:
        access = step.match.selector.result.access
        return step not in self._spilt and isinstance(access, OnChip) and access.buffer == buffer

    def _need(self, step: Step) -> OnChipNeed:
        access = step.match.selector.result.access
        assert isinstance(access, OnChip)
        return OnChipNeed(step.number, access.buffer, access.axes)

    def _ways(self, need: Need) -> list[Way]:
        if need not in self._found:
            self._found[need] = sorted(self.ways.of(need), key=lambda way: way.cost)
        return self._found[need]

    def _store(self, step: Step) -> Way | None:
        """The cheapest way to write a value to a tensor of its own."""
        strides = row_major(self.ways.graph.shape(step.number))
        ways = self._ways(StoreNeed(step.number, self.host, strides))
        return next((way for way in ways if way.match is not None and way.parts == (self._need(step),)), None)

    def _load(self, step: Step) -> Way | None:
        """The cheapest way to bring it back."""
        ways = self._ways(self._need(step))
        return next((way for way in ways if way.match is not None and way.parts == (TensorNeed(step.number, self.host),)), None)

    def _apply(self, plan: Plan, steps: Sequence[Step], value: Step, store: Way, load: Way) -> None:
        assert store.match is not None and load.match is not None
        tensor = Tensor("scratch", value.number, self.host)
        place = Place(tensor, 0, row_major(self.ways.graph.shape(value.number)))
        stored = Step(value.number, store.match, store.requirements, [value], place)
        tensor.writers.append(stored)
        plan.tensors.append(tensor)
        self._spilt.add(value)
        for user in self._users(steps, value):
            loaded = Step(value.number, load.match, load.requirements, [Place(tensor, view.offset, view.strides) for view in load.views if view])
            self._spilt.add(loaded)
            user.operands = [loaded if operand is value else operand for operand in user.operands]

    def _users(self, steps: Sequence[Step], value: Step) -> Iterator[Step]:
        return (step for step in steps if any(operand is value for operand in step.operands))
