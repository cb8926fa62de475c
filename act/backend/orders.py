"""A plan -> its orders other than that of the numbering: those first that leave most room in the memories."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from act.backend.interference import Interference, Task
from act.backend.order import Order
from act.backend.plan import Plan, Step, Value
from act.backend.ties import Contradiction, Ties, buffer_of
from act.generator.model import OnChip
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator

LONGEST = 400
"""Plans with more instructions have too many orders for a search."""


def orders(accelerator: Accelerator, plan: Plan, steps: int) -> Iterator[list[Step]]:
    """Orders in which no memory is overfull at any time, found by placing at most `steps` instructions.  Asking for another says that the
    last one had no room."""
    first = Order(accelerator).steps(plan)
    if len(first) <= LONGEST:
        try:
            search = Interference(tasks(accelerator, first), limits(accelerator, first), steps)
        except Contradiction:
            return
        yield from ([first[position] for position in order] for order in search.orders())


def chosen(steps: list[Step]) -> dict[str, list[int]]:
    """For each memory the coordinates along which the places of values are chosen."""
    found: dict[str, set[int]] = {}
    for step in steps:
        for operand in (*step.match.selector.operands, step.match.selector.result):
            if isinstance(operand.access, OnChip):
                places = (which for which, start in enumerate(operand.access.starts) if start.attribute is not None)
                found.setdefault(operand.access.buffer, set()).update(places)
    return {buffer: sorted(places) or [0] for buffer, places in found.items()}


def limits(accelerator: Accelerator, steps: list[Step]) -> dict[str, int]:
    """The places of each memory along those coordinates."""
    sizes = {name: accelerator.buffers[name].access + accelerator.buffers[name].unit for name in accelerator.buffers}
    return {buffer: prod(sizes[buffer][which] for which in places) for buffer, places in chosen(steps).items()}


def tasks(accelerator: Accelerator, steps: list[Step]) -> list[Task]:
    """The steps, which depend only on steps before them, with what they take of the memories."""
    position = {step: number for number, step in enumerate(steps)}
    along, most = chosen(steps), limits(accelerator, steps)
    ties = Ties({name: len(buffer.access + buffer.unit) for name, buffer in accelerator.buffers.items()})
    ties.add(steps)
    number_of: dict[Value, int] = {}
    result = []
    for step in steps:
        after = tuple(sorted({position[each] for each in step.after}))
        needs = tuple(sorted({position[each] for each in step.dependencies() if each not in step.after}))
        extra = tuple(_overwritten(accelerator, step, along, most))
        if step.target is not None:
            result.append(Task(needs, extra=extra, after=after))
            continue
        root, _ = ties.find(step)
        sizes, memory = ties.box(root)[1], buffer_of(root)
        home = number_of.setdefault(root, len(number_of))
        result.append(Task(needs, home, memory, prod(sizes[which] for which in along[memory]), extra, after))
    return result


def _overwritten(accelerator: Accelerator, step: Step, along: dict[str, list[int]], most: dict[str, int]) -> Iterator[tuple[str, int]]:
    """What a step overwrites besides its result, of memories that hold values."""
    for clobber in step.match.selector.clobbers:
        if clobber.buffer in along:
            buffer = accelerator.buffers[clobber.buffer]
            limit = (buffer.access + buffer.unit)[clobber.coordinate]
            part = clobber.coordinate in along[clobber.buffer]
            size = evaluate(clobber.size, dict(step.match.alpha))
            yield clobber.buffer, most[clobber.buffer] * size // limit if part else most[clobber.buffer]
