"""The orders in which the tasks of a plan may run, compared with trying all of them."""

from itertools import permutations
from random import Random

import pytest

from act.backend.interference import Interference, Task

MANY = 1_000_000


def tasks_of(seed: int, count: int = 6) -> list[Task]:
    random = Random(seed)
    tasks: list[Task] = []
    for number in range(count):
        needs = tuple(sorted(random.sample(range(number), min(number, random.randint(0, 2)))))
        tasks.append(Task(needs, number, random.choice("ab"), random.randint(1, 3)) if random.random() < 0.8 else Task(needs))
    return tasks


def live(tasks: list[Task], order: tuple[int, ...]) -> list[set[int]]:
    """The homes that are alive while each task of an order runs."""
    time = {task: number for number, task in enumerate(order)}
    last = {home: max([time[home], *(time[user] for user, task in enumerate(tasks) if home in task.needs)]) for home in range(len(tasks))}
    return [{home for home in time if tasks[home].home is not None and time[home] <= now <= last[home]} for now in range(len(order))]


def fits(tasks: list[Task], order: tuple[int, ...], limits: dict[str, int]) -> bool:
    rows = [{memory: sum(tasks[home].size for home in homes if tasks[home].memory == memory) for memory in limits} for homes in live(tasks, order)]
    return all(taken[memory] <= limits[memory] for taken in rows for memory in limits)


def topological(tasks: list[Task]) -> list[tuple[int, ...]]:
    def right(order: tuple[int, ...]) -> bool:
        return all(order.index(need) < order.index(task) for task in order for need in tasks[task].needs)

    return [order for order in permutations(range(len(tasks))) if right(order)]


def pairs(tasks: list[Task], order: tuple[int, ...]) -> set[tuple[int, int]]:
    return {(a, b) for homes in live(tasks, order) for a in homes for b in homes if a < b and tasks[a].memory == tasks[b].memory}


@pytest.mark.parametrize("seed", range(60))
def test_an_order_is_found_exactly_when_there_is_one(seed):
    tasks = tasks_of(seed)
    for limit in (3, 4, 5, 6):
        limits = {"a": limit, "b": limit}
        found = next(Interference(tasks, limits, MANY).orders(), None)
        assert (found is not None) == any(fits(tasks, order, limits) for order in topological(tasks))
        assert found is None or fits(tasks, tuple(found), limits)


@pytest.mark.parametrize("seed", range(40))
def test_every_order_is_given_or_has_the_pairs_of_one_that_failed(seed):
    tasks = tasks_of(seed)
    limits = {"a": 6, "b": 6}
    given = [tuple(order) for order in Interference(tasks, limits, MANY).orders()]
    seen = [pairs(tasks, order) for order in given]
    for order in topological(tasks):
        if fits(tasks, order, limits):
            assert any(failed <= pairs(tasks, order) for failed in seen)
    assert not any(seen[first] <= seen[second] for second in range(len(seen)) for first in range(second))


def test_a_value_that_is_updated_in_place_takes_its_place_once():
    tasks = [Task((), 0, "a", 2), Task((0,), 0, "a", 2), Task((1,))]
    assert next(Interference(tasks, {"a": 2}, MANY).orders()) == [0, 1, 2]


def test_what_a_task_overwrites_besides_needs_room_while_it_runs():
    tasks = [Task((), 0, "a", 1), Task((), None, "", 0, (("a", 2),)), Task((0,))]
    assert next(Interference(tasks, {"a": 2}, MANY).orders()) in ([1, 0, 2], [0, 2, 1])


def test_steps_are_bounded():
    search = Interference([Task(()) for _ in range(8)], {}, 8)
    assert len(list(search.orders())) == 1
