"""Instructions that can never be placed: their operands and their result alone take more of a memory than there is."""

from __future__ import annotations

from math import prod

from act.backend.extract import Extraction
from act.backend.matching import Match
from act.backend.needs import Need, Way
from act.backend.order import box
from act.generator.model import OnChip, Operand
from act.records import dataclass, field
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator


@dataclass(slots=True)
class Possible:
    accelerator: Accelerator
    _known: dict[tuple[object, ...], bool] = field(default_factory=dict)

    def has_room(self, match: Match) -> bool:
        """Whether the memories hold the operands of an instruction, each once, and its result."""
        key = match.selector.name, match.alpha, match.operands
        if key not in self._known:
            taken = dict(self._amounts(match))
            memories: dict[str, int] = {}
            for (buffer, *_), amount in taken.items():
                memories[buffer] = memories.get(buffer, 0) + amount
            self._known[key] = all(amount <= self._limit(buffer, match) for buffer, amount in memories.items())
        return self._known[key]

    def _amounts(self, match: Match) -> list[tuple[tuple[str, int, tuple[int, ...]], int]]:
        alpha, found = dict(match.alpha), []
        pairs = [*zip(match.selector.operands, match.operands, strict=True), (match.selector.result, -1)]
        for operand, number in pairs:
            access = operand.access
            if isinstance(access, OnChip) and not operand.tied:
                sizes = box(access, tuple(evaluate(size, alpha) for size in operand.dims))
                along = self._along(access.buffer, match)
                found.append(((access.buffer, number, access.axes), prod(sizes[which] for which in along)))
        return found

    def _along(self, buffer: str, match: Match) -> list[int]:
        """The coordinates along which values of a memory can be apart in this instruction."""
        operands: tuple[Operand, ...] = (*match.selector.operands, match.selector.result)
        accesses = [each.access for each in operands if isinstance(each.access, OnChip) and each.access.buffer == buffer]
        return sorted({which for access in accesses for which, start in enumerate(access.starts) if start.attribute is not None})

    def _limit(self, buffer: str, match: Match) -> int:
        memory = self.accelerator.buffers[buffer]
        return prod((memory.access + memory.unit)[which] for which in self._along(buffer, match))

    def without(self, extraction: Extraction, roots: list[Need]) -> Extraction | None:
        """The same search without impossible instructions; None if there are none, so that nothing changes."""

        def keep(way: Way) -> bool:
            return way.match is None or self.has_room(way.match)

        expanded = {need: [way for way in ways if keep(way)] for need, ways in extraction.expanded.items()}
        if all(len(ways) == len(expanded[need]) for need, ways in extraction.expanded.items()):
            return None
        found = Extraction(extraction.ways, extraction.budget, expanded)
        found.solve(roots)
        return found
