"""Rules -> the instructions that no program of the compiler has, with the reasons, as one message."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from act.generator.fences import is_fence
from act.generator.messengers import messengers
from act.generator.model import Rules, Selector
from act.taidl.model import Accelerator

SHOWN = 6
"""Names in one line."""


def message(accelerator: Accelerator, rules: Rules) -> str:
    """Lines for the reasons, each with the instructions that it is about; nothing where every instruction can be used."""
    reasons = dict(unusable(accelerator, rules))
    if not reasons:
        return ""
    lines = [f"{len(reasons)} of {len(accelerator.instructions)} instructions are in no program of this compiler:"]
    for reason in dict.fromkeys(reasons.values()):
        found = [name for name, why in reasons.items() if why == reason]
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        lines.append(f"{', '.join(found[:SHOWN])}{more}: {reason}")
    return "\n  ".join(lines)


def unusable(accelerator: Accelerator, rules: Rules) -> Iterator[tuple[str, str]]:
    """Each instruction that is never issued, with the reason."""
    parts = {each.operation.name: [part.instruction for part in each.parts] for each in (*accelerator.composites.values(), *rules.derived)}
    apart = cut_off(accelerator, rules.selectors)
    reasons = dict(_of_instructions(parts, [*((each.name, reason) for each, reason in apart), *rules.unused]))
    alone = {id(each) for each, _ in apart}
    used = {name for each in rules.selectors if id(each) not in alone for name in parts.get(each.name, [each.name])}
    used |= {each.name for each in rules.setters} | {each.instruction for each in messengers(accelerator)}
    for name, instruction in accelerator.instructions.items():
        if name not in used and not is_fence(instruction) and (instruction.encode or not instruction.part_only):
            yield name, reasons.get(name, "it does nothing that a kernel asks for")


def _of_instructions(parts: Mapping[str, Sequence[str]], named: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What is said of a composite, or of a form `name_0`, of what is issued for it; what is said of an instruction itself comes last, and counts."""
    for name, reason in named:
        yield from ((each, reason) for each in parts.get(name, [re.sub(r"_\d+_*$", "", name)]))
    yield from named


def cut_off(accelerator: Accelerator, selectors: Iterable[Selector]) -> list[tuple[Selector, str]]:
    """The selectors between whose memories and host memory nothing goes, with the reason."""
    selectors = list(selectors)
    host = {each.name for each in accelerator.buffers.values() if each.hbm}
    filled, drained = _reached(selectors, host, True), _reached(selectors, host, False)
    drained |= {word.table for each in selectors for word in each.words}
    found = []
    for each in selectors:
        empty = sorted({operand.access.buffer for operand in each.operands} - filled)
        if empty:
            found.append((each, f"it reads {empty[0]}, and nothing that can be used brings anything there"))
        elif each.result.access.buffer not in drained:
            found.append((each, f"what it leaves in {each.result.access.buffer}, nothing that can be used brings to host memory"))
    return found


def _reached(selectors: Iterable[Selector], host: Iterable[str], forward: bool) -> set[str]:
    """The memories that values come to from host memory, or (not `forward`) from which they come there."""
    found, before = {*host}, -1
    while len(found) != before:
        before = len(found)
        for each in selectors:
            sources, target = {operand.access.buffer for operand in each.operands}, each.result.access.buffer
            if forward and sources <= found:
                found.add(target)
            elif not forward and target in found:
                found |= sources
    return found
