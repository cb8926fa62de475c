"""Random streams of instructions that a machine allows, for comparing the oracle with hardware that should do the same.

Values are drawn from the ranges that fields and `when` leave, with a preference for small values and for the ends of a range; what the
machine refuses in its present state is drawn again.  So the stream is valid by construction, whatever the accelerator.
"""

from __future__ import annotations

from random import Random

from act.oracle.machine import Machine, MachineError
from act.taidl.bounds import Range
from act.taidl.encode import Issue, expand
from act.taidl.model import Accelerator, Instruction, Int, Name
from act.taidl.ranges import value_ranges

ATTEMPTS = 200
"""How often an operation is drawn before the stream ends early."""


class Streams:
    """Draws operations for `machine` and executes them on it."""

    def __init__(self, machine: Machine, seed: int) -> None:
        self.machine, self.random = machine, Random(seed)
        accelerator = machine.accelerator
        alone = [each for each in accelerator.instructions.values() if not (each.opaque or each.part_only)]
        operations = {each.name: (each, value_ranges(accelerator, each)) for each in alone}
        operations |= {name: (each.operation, value_ranges(accelerator, each)) for name, each in accelerator.composites.items()}
        self.wanted = _wanted(accelerator)
        self.moves = {name: each for name, each in operations.items() if each[0].writes}
        self.settings = {name: each for name, each in operations.items() if not each[0].writes}

    def draw(self, count: int) -> list[tuple[str, dict[str, int]]]:
        """Up to `count` operations, each executed; fewer when the machine allows nothing that was drawn."""
        found = []
        for _ in range(count):
            operation = self._next()
            if operation is None:
                break
            found.append(operation)
        return found

    def _next(self) -> tuple[str, dict[str, int]] | None:
        for _ in range(ATTEMPTS):
            kinds = self.settings if self.settings and (self.random.random() < 0.3 or not self.moves) else self.moves
            name = self.random.choice(sorted(kinds))
            attributes = self._attributes(*kinds[name])
            try:
                self.machine.step(name, attributes)
                return name, attributes
            except MachineError:
                continue
        return None

    def _attributes(self, operation: Instruction, ranges: dict[str, Range]) -> dict[str, int]:
        values = {name: self._value(ranges[name]) for name in operation.attributes}
        for item in operation.sets:
            choices = self.wanted.get(item.state)
            if choices and isinstance(item.value, Name) and item.value.name in values and self.random.random() < 0.6:
                values[item.value.name] = self.random.choice(choices)
        return values

    def _value(self, limits: Range) -> int:
        low = limits.low if limits.low is not None else 0
        high = limits.high if limits.high is not None else low + (1 << 16)
        spread = self.random.choice([1, 2, 16, 64, 1 << 12, 1 << 14, high - low])
        near_the_end = self.random.random() < 0.2 and high - low < 1 << 16
        distance = self.random.randint(0, min(spread, high - low))
        return high - distance if near_the_end else low + distance


def _wanted(accelerator: Accelerator) -> dict[str, list[int]]:
    """For each register the values that some operation demands of it."""
    found: dict[str, list[int]] = {}
    for operation in (*accelerator.instructions.values(), *(each.operation for each in accelerator.composites.values())):
        for use in operation.uses:
            if isinstance(use.equals, Int):
                found.setdefault(use.state, []).append(use.equals.value)
    return found


def random_stream(machine: Machine, seed: int, count: int) -> list[Issue]:
    """The commands of up to `count` random operations; `machine` is left in the state after them."""
    drawn = Streams(machine, seed).draw(count)
    return [issue for name, attributes in drawn for issue in expand(machine.accelerator, name, attributes)]
