"""Random streams of instructions that a machine allows, for comparing the oracle with hardware that should do the same.

Values are drawn from the ranges that fields and `when` leave, with a preference for small values, for the ends of a range, and, where a
register is set, for what some operation wants to find in it.  What the machine refuses in its present state is drawn again, after an
operation that changes that state.  So the stream is valid by construction, whatever the accelerator.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from act.oracle.machine import Machine, MachineError
from act.taidl.bounds import Range
from act.taidl.encode import Issue, expand
from act.taidl.model import Accelerator, Instruction, Int, Name
from act.taidl.ranges import value_ranges

Wanted = Mapping[str, list[tuple[Range | None, Range]]]
"""For registers the indices (None: any) and the values that are of use."""
ATTEMPTS = 1000
"""How often an operation is prepared for before it is given up."""
TRIES = 8
"""How often attributes are drawn for one operation."""
PREPARED = 3
"""At most so many preparations come before the first attempt."""
MOST_ELEMENTS = 1 << 12
"""What takes or makes larger tensors is drawn again: it shows no more, and takes long."""
SMALL = (1, 2, 3, 4, 8, 16)
"""How far from the end of their range values are drawn where larger ones did not do."""
FLAGS = 30
"""Addresses of so many bits are often an address of fewer and flags above."""


class Operations:
    """What is drawn from, with the ranges of attributes: instructions and composites; with `parts` also the parts of composites alone."""

    def __init__(self, accelerator: Accelerator, parts: bool = False) -> None:
        alone = [each for each in accelerator.instructions.values() if not each.opaque and (parts or not each.part_only)]
        self.ranges = {each.name: (each, value_ranges(accelerator, each)) for each in alone}
        self.ranges |= {name: (each.operation, value_ranges(accelerator, each)) for name, each in accelerator.composites.items()}
        self.wanted = _wanted(self.ranges.values())


class Streams:
    """Draws operations for `machine` and executes them on it; those of its accelerator, if there are none given.  `full` is how often a value of a small
    range is one from its end; where that is the rule, very near it."""

    def __init__(self, machine: Machine, seed: int, parts: bool = False, operations: Operations | None = None, full: float = 0.2) -> None:
        self.machine, self.random, self.full = machine, Random(seed), full
        self._particular, self._small = False, False
        given = operations or Operations(machine.accelerator, parts)
        self.operations, self.wanted = given.ranges, given.wanted

    def draw(self, count: int) -> list[Issue]:
        """`count` operations or a few more, each executed; fewer when the machine allows nothing that was drawn."""
        found: list[Issue] = []
        names = sorted(self.operations)
        while len(found) < count:
            before = len(found)
            found += self.reach(self.random.choice(names), TRIES)
            if len(found) == before:
                break
        return found

    def reach(self, name: str, attempts: int = ATTEMPTS) -> list[Issue]:
        """Operations, each executed, of which the last is `name`, unless it could not be made possible."""
        found: list[Issue] = []
        helpers, wanted = self._helpers(name), _wanted([self.operations[name]])
        self._particular = self._small = False
        for _ in range(self.random.randint(0, PREPARED) if helpers else 0):
            self._try(self.random.choice(helpers), wanted, found)
        for attempt in range(attempts):
            # Operations on something first; small values where others did not do.
            self._particular, self._small = attempt < attempts * 3 // 4, attempt > TRIES
            if self._try(name, self.wanted, found):
                return found
            if helpers:
                self._try(self.random.choice(helpers), wanted, found)
        return found

    def _try(self, name: str, wanted: Wanted, found: list[Issue]) -> bool:
        for _ in range(TRIES):
            attributes = self._attributes(*self.operations[name], wanted)
            try:
                smallest, largest = self.machine.elements(name, attributes)
                if largest > MOST_ELEMENTS or (self._particular and smallest == 0):
                    continue
                self.machine.step(name, attributes)
            except MachineError:
                continue
            found.append((name, attributes))
            return True
        return False

    def _helpers(self, name: str) -> list[str]:
        """Instructions that set a register which `name` uses; those that it must come after as often as all others."""
        wanting, accelerator = self.operations[name][0], self.machine.accelerator
        used = {use.state for use in wanting.uses}
        setting = [each for each in accelerator.instructions if each in self.operations and used & {item.state for item in self.operations[each][0].sets}]
        before = [each for each in wanting.after if each in self.operations]
        return setting + before * (len(setting) // max(1, len(before)))

    def _attributes(self, operation: Instruction, ranges: Mapping[str, Range], wanted: Wanted) -> dict[str, int]:
        values = {name: self._value(ranges[name]) for name in operation.attributes}
        for item in operation.sets:
            choices = wanted.get(item.state)
            if choices and self.random.random() < 0.7:
                index, limits = self.random.choice(choices)
                pairs = [(item.value, limits)] + ([(item.index, index)] if item.index is not None and index is not None else [])
                for target, range_ in pairs:
                    if isinstance(target, Name) and target.name in values and not (range_ & ranges[target.name]).empty:
                        values[target.name] = self._value(range_ & ranges[target.name])
        return values

    def _value(self, limits: Range) -> int:
        low = limits.low if limits.low is not None else 0
        high = limits.high if limits.high is not None else low + (1 << 16)
        spread = self.random.choice(SMALL if self._small else [1, 2, 16, 64, 1 << 12, 1 << 14, high - low])
        distance = self.random.randint(0, min(spread if self.full < 0.5 else 2, high - low))
        if high - low < 1 << 16:
            return high - distance if self.random.random() < self.full else low + distance
        flags = self.random.randint(0, high >> FLAGS) << FLAGS if self.random.random() < 0.5 else 0
        return low + distance | flags if low <= (low + distance | flags) <= high else low + distance


def _wanted(operations: Iterable[tuple[Instruction, Mapping[str, Range]]]) -> Wanted:
    """For each register the indices and values that operations demand of it, or allow in it."""
    found: dict[str, list[tuple[Range | None, Range]]] = {}
    for operation, ranges in operations:
        for use in operation.uses:
            index = Range(use.index.value, use.index.value) if isinstance(use.index, Int) else None
            if isinstance(use.equals, Int):
                found.setdefault(use.state, []).append((index, Range(use.equals.value, use.equals.value)))
            elif use.name is not None:
                found.setdefault(use.state, []).append((index, ranges[use.name]))
    return found


def commands(accelerator: Accelerator, operations: list[Issue]) -> list[Issue]:
    """The real instructions of these operations, in the order in which they are issued."""
    return [issue for name, attributes in operations for issue in expand(accelerator, name, attributes)]


def random_stream(machine: Machine, seed: int, count: int, parts: bool = False) -> list[Issue]:
    """`count` random operations or a few more; `machine` is left in the state after them.  `commands` gives their instructions."""
    return Streams(machine, seed, parts).draw(count)
