"""The numbering of Sethi and Ullman against all orders, on small trees."""

from __future__ import annotations

from itertools import permutations
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from act.backend.order import Order
from act.generator.model import OnChip, Start
from act.taidl.model import Accelerator, Buffer, Int


class Value:
    """A step as far as its order goes: what it needs, and how many rows of which memory its result takes."""

    def __init__(self, operands: list[Value], memory: str = "a", rows: int = 1) -> None:
        self.operands, self.memory, self.rows = operands, memory, rows
        access = OnChip(memory, (Start("row", 1, Int(0)),), (0,))
        self.match = SimpleNamespace(alpha=(), selector=SimpleNamespace(result=SimpleNamespace(access=access, dims=(Int(rows),))))

    def dependencies(self) -> list[Value]:
        return self.operands


def tree(random: Random, size: int, memories: str = "a", rows: int = 1) -> Value:
    """A tree of `size` values, each with at most two operands."""
    memory, taken = random.choice(memories), random.randint(1, rows)
    if size == 1:
        return Value([], memory, taken)
    left = random.randint(1, size - 1) if size > 2 else 1
    sizes = [left, size - 1 - left] if size - 1 - left else [left]
    return Value([tree(random, each, memories, rows) for each in sizes], memory, taken)


def every(value: Value) -> list[Value]:
    return [each for operand in value.operands for each in every(operand)] + [value]


def peaks(order: tuple[Value, ...]) -> dict[str, int]:
    """The rows taken at the worst moment; an operand is there until its user is done."""
    users = {operand: value for value in order for operand in value.operands}
    done, worst = set(), {"a": 0, "b": 0}
    for value in order:
        done.add(value)
        live = [each for each in done if each is value or each not in users or users[each] is value or users[each] not in done]
        for memory in worst:
            worst[memory] = max(worst[memory], sum(each.rows for each in live if each.memory == memory))
    return worst


def topological(values: list[Value]) -> list[tuple[Value, ...]]:
    return [order for order in permutations(values) if all(order.index(operand) < order.index(value) for value in order for operand in value.operands)]


def ordered(root: Value) -> tuple[Value, ...]:
    accelerator = Accelerator("m", buffers={name: Buffer(name, "s8", (8,), (4,)) for name in "ab"})
    plan: Any = SimpleNamespace(outputs=[SimpleNamespace(writers=[root])])
    steps: Any = Order(accelerator).steps(plan)
    return tuple(steps)


@pytest.mark.parametrize("seed", range(40))
def test_the_best_of_all_orders_for_one_memory(seed):
    random = Random(seed)
    root = tree(random, random.randint(2, 7))
    best = min(peaks(order)["a"] for order in topological(every(root)))
    assert peaks(ordered(root))["a"] == best


def depth_first(value: Value) -> list[tuple[Value, ...]]:
    """The orders that finish one operand before they begin the next."""
    found: list[tuple[Value, ...]] = []
    for operands in permutations(value.operands):
        parts: list[tuple[Value, ...]] = [()]
        for operand in operands:
            parts = [(*before, *order) for before in parts for order in depth_first(operand)]
        found += [(*part, value) for part in parts]
    return found


def test_nearly_always_the_best_depth_first_order_for_several_memories():
    """One order cannot be best for all memories at once; where it has no room, others are searched."""
    differing = 0
    for seed in range(80):
        random = Random(seed)
        root = tree(random, random.randint(2, 7), "ab", 3)
        fullest = [max(peaks(order).values()) for order in depth_first(root)]
        found = max(peaks(ordered(root)).values())
        assert min(fullest) <= found <= max(fullest)
        differing += found > min(fullest)
    assert differing <= 8


def test_what_is_shared_is_computed_once():
    shared = Value([])
    root = Value([Value([shared]), Value([shared])])
    assert len(ordered(root)) == len(set(ordered(root))) == 4
