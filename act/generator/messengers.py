"""Instructions that do nothing but take and give tokens -> those that take one, or none, and give another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from act.records import dataclass
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator, Instruction, TokenUse

MOST_ATTRIBUTES = 6


@dataclass(frozen=True, slots=True)
class Messenger:
    """`instruction` with these values of its attributes, on `unit`, takes `taken` (nothing: None) and gives `given`."""

    instruction: str
    attributes: tuple[tuple[str, int], ...]
    unit: str
    taken: str | None
    given: str


def messengers(accelerator: Accelerator) -> list[Messenger]:
    """The first for each unit and pair of tokens."""
    found: dict[tuple[str, str | None, str], Messenger] = {}
    for instruction in accelerator.instructions.values():
        for each in _of(instruction):
            found.setdefault((each.unit, each.taken, each.given), each)
    return list(found.values())


def _of(instruction: Instruction) -> Iterator[Messenger]:
    if not _does_nothing(instruction) or instruction.unit is None or len(instruction.attributes) > MOST_ATTRIBUTES:
        return
    for bits in product((0, 1), repeat=len(instruction.attributes)):
        values = dict(zip(instruction.attributes, bits, strict=True))
        if not all(evaluate(condition, values) for condition in instruction.when):
            continue
        taken, given = (_moved(uses, values) for uses in (instruction.pops, instruction.pushes))
        if len(taken) <= 1 and len(given) == 1:
            yield Messenger(instruction.name, tuple(values.items()), instruction.unit, taken[0] if taken else None, given[0])


def _does_nothing(instruction: Instruction) -> bool:
    """Whether it has no effect but on tokens, and may stand anywhere."""
    effects = (instruction.reads, instruction.writes, instruction.clobbers, instruction.sets, instruction.steps, instruction.uses)
    order = (instruction.after, instruction.before, instruction.exclusive)
    return bool(instruction.encode) and not any((*effects, *order, instruction.opaque, instruction.part_only))


def _moved(uses: Sequence[TokenUse], values: Mapping[str, int]) -> list[str]:
    return [use.token for use in uses if use.condition is None or evaluate(use.condition, values)]
