"""A plan -> its orders other than that of the numbering: those first that leave most room in the memories."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from act.backend.interference import Interference, Task
from act.backend.order import Order, box, step_dims
from act.backend.plan import Plan, Step
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
        search = Interference(tasks(accelerator, first), limits(accelerator, first), steps)
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
    home: dict[Step, int] = {}
    result = []
    for number, step in enumerate(steps):
        needs = tuple(sorted({position[each] for each in step.dependencies()}))
        extra = tuple(_overwritten(accelerator, step, along, most))
        access = step.match.selector.result.access
        if step.target is not None or not isinstance(access, OnChip):
            result.append(Task(needs, extra=extra))
            continue
        tied = [value for operand, value in zip(step.match.selector.operands, step.operands, strict=True) if operand.tied]
        home[step] = home[tied[0]] if tied and isinstance(tied[0], Step) else number
        sizes = box(access, step_dims(step))
        result.append(Task(needs, home[step], access.buffer, prod(sizes[which] for which in along[access.buffer]), extra))
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
