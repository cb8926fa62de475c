"""Tasks with dependencies -> their topological orders that may have room.

How much of each memory is taken depends only on which tasks are done; so a set of done tasks from which no order was completed is never
entered again.  Of two orders whose values are alive together in the same pairs, or in more of them, only the first is given when the
first had no room (paper, section 6.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from act.records import dataclass, field

Amounts = Mapping[str, int]
"""How much of each memory."""


@dataclass(frozen=True, slots=True)
class Task:
    """Comes after `needs` and `after` (positions of tasks).  Its result is in `home`, which takes `size` of `memory`; a home lives until the last task that
    has it among its `needs` is done.  Several tasks that update a value in place have one home.  `extra` is taken while the task runs."""

    needs: tuple[int, ...]
    home: int | None = None
    memory: str = ""
    size: int = 0
    extra: tuple[tuple[str, int], ...] = ()
    after: tuple[int, ...] = ()


class _Exhausted(Exception):
    """The steps are used up."""


@dataclass(slots=True)
class Interference:
    """`limits` of the memories; `steps` bounds how many tasks are placed in all orders together.  Tasks that come first in `tasks` are preferred."""

    tasks: Sequence[Task]
    limits: Amounts
    steps: int
    _uses: dict[int, int] = field(default_factory=dict)
    _makers: dict[int, int] = field(default_factory=dict)
    _dead: set[int] = field(default_factory=set)
    _failed: list[frozenset[tuple[int, int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for position, task in enumerate(self.tasks):
            for home in self._homes_of(task):
                self._uses[home] = self._uses.get(home, 0) | 1 << position
            if task.home is not None:
                self._uses[task.home] = self._uses.get(task.home, 0) | 1 << position
                self._makers[task.home] = self._makers.get(task.home, 0) | 1 << position

    def _homes_of(self, task: Task) -> Iterator[int]:
        for need in task.needs:
            home = self.tasks[need].home
            if home is not None:
                yield home

    def orders(self) -> Iterator[list[int]]:
        """Orders in which no memory overflows.  Asking for another says that the last one had no room."""
        try:
            for order, pairs in self._extend(0, [], set()):
                yield order
                self._failed.append(pairs)
        except _Exhausted:
            return

    def _extend(self, done: int, order: list[int], pairs: set[tuple[int, int]]) -> Iterator[tuple[list[int], frozenset[tuple[int, int]]]]:
        """The ways to go on after the tasks `done` (a bit each), with the pairs of homes that have been alive together."""
        if len(order) == len(self.tasks):
            yield list(order), frozenset(pairs)
            return
        found = False
        for position in self._ready(done):
            after = done | 1 << position
            if after in self._dead:
                continue
            if self.steps <= 0:
                raise _Exhausted
            self.steps -= 1
            more = pairs | self._together(done, position)
            if any(failed <= more for failed in self._failed):
                found = True
                continue
            order.append(position)
            for each in self._extend(after, order, more):
                found = True
                yield each
            order.pop()
        if not found:
            self._dead.add(done)

    def _ready(self, done: int) -> list[int]:
        """The tasks that may come next and for which there is room: those first that leave most room, then in their order."""
        ready = [
            position for position, task in enumerate(self.tasks) if not done >> position & 1 and all(done >> need & 1 for need in (*task.needs, *task.after))
        ]
        fitting = [position for position in ready if self._fits(done, position)]
        return sorted(fitting, key=lambda position: (self._growth(done, position), position))

    def _live(self, done: int) -> list[int]:
        """The homes that hold something after the tasks `done`."""
        return [home for home, uses in self._uses.items() if done & self._makers[home] and uses & ~done]

    def _fits(self, done: int, position: int) -> bool:
        task, taken = self.tasks[position], self._taken(self._with(done, position))
        for memory, size in task.extra:
            taken[memory] = taken.get(memory, 0) + size
        return all(size <= self.limits.get(memory, size) for memory, size in taken.items())

    def _with(self, done: int, position: int) -> set[int]:
        """The homes that are alive while a task runs."""
        home = self.tasks[position].home
        return {*self._live(done), *([] if home is None else [home])}

    def _taken(self, homes: set[int] | list[int]) -> dict[str, int]:
        taken: dict[str, int] = {}
        for home in homes:
            maker = self.tasks[(self._makers[home] & -self._makers[home]).bit_length() - 1]
            taken[maker.memory] = taken.get(maker.memory, 0) + maker.size
        return taken

    def _growth(self, done: int, position: int) -> float:
        """The part of the memories that a task leaves taken, less what was taken before."""
        before, after = self._taken(self._live(done)), self._taken(self._live(done | 1 << position))
        return sum((after.get(memory, 0) - before.get(memory, 0)) / max(limit, 1) for memory, limit in self.limits.items())

    def _together(self, done: int, position: int) -> set[tuple[int, int]]:
        """The pairs of homes in one memory that are alive together while a task runs."""
        homes = sorted(self._with(done, position))
        memory = {home: self.tasks[(self._makers[home] & -self._makers[home]).bit_length() - 1].memory for home in homes}
        return {(first, second) for number, first in enumerate(homes) for second in homes[number + 1 :] if memory[first] == memory[second]}
