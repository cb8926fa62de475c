"""A program with tokens -> the assurance that units that run side by side do what they would do one after the other.

Takes nothing from what made the tokens but what each operation reads and writes (footprints.py).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence

from act.backend.emit import Operation
from act.backend.footprints import Resource, footprints
from act.errors import UserError
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator, Token, TokenUse

Clock = dict[str, int]
"""For every unit the last of its operations that is known to be done."""


class Unordered(AssertionError):
    """A program would do something else when its units run side by side, or wait for ever."""


def check_order(accelerator: Accelerator, issued: Sequence[Operation], memory: Mapping[str, int]) -> None:
    """Every token that is taken was given before, and two operations of which one writes what the other uses are ordered by tokens.
    Raises `Unordered`; `UserError` where more tokens may be there than the machine counts."""
    if not accelerator.units:
        return
    counts = Counter({name: token.initial for name, token in accelerator.tokens.items()})
    known: dict[str, Clock] = {}
    queues = {name: deque[Clock]({} for _ in range(token.initial)) for name, token in accelerator.tokens.items()}
    givers: dict[str, str] = {}
    users: dict[Resource, dict[tuple[str, bool], int]] = {}
    taken: dict[str, list[tuple[str, int]]] = {name: [] for name in accelerator.tokens}
    given = {name: token.initial for name, token in accelerator.tokens.items()}
    for number, (operation, footprint) in enumerate(zip(issued, footprints(accelerator, issued, memory), strict=True)):
        unit, instruction = footprint.unit or "", accelerator.operation(operation.name)
        clock = later(known.get("", {}), known.get(unit, {}))
        for use in instruction.pops:
            if _moved(use, operation):
                counts[use.token] -= 1
                if counts[use.token] < 0:
                    raise Unordered(f"{operation.name} waits for a token {use.token} that is never given")
                clock = later(clock, queues[use.token].popleft())
                taken[use.token].append((unit, number))
        for resource in footprint.reads | footprint.writes:
            for (other, wrote), last in users.get(resource, {}).items():
                if other not in (unit, "") and (wrote or resource in footprint.writes) and clock.get(other, -1) < last:
                    raise Unordered(f"{operation.name} does not wait for {issued[last].name}, and both use {resource[0]}")
        known[unit] = clock = clock | {unit: number}
        for use in instruction.pushes:
            if _moved(use, operation):
                counts[use.token] += 1
                if givers.setdefault(use.token, unit) != unit:
                    raise Unordered(f"two units give a token {use.token}, in an order that is not known")
                queues[use.token].append(clock)
                given[use.token] += 1
                _check_limit(accelerator.tokens[use.token], given[use.token], taken[use.token], clock)
        for written, resources in ((False, footprint.reads), (True, footprint.writes)):
            for resource in resources:
                users.setdefault(resource, {})[unit, written] = number


def _check_limit(token: Token, given: int, taken: Sequence[tuple[str, int]], clock: Clock) -> None:
    """When so many are given, all but fewer than the limit are known to be taken."""
    if token.limit is None or given < token.limit:
        return
    last = given - token.limit
    if last >= len(taken) or clock.get(taken[last][0], -1) < taken[last][1]:
        reason = f"{token.limit} tokens {token.name} may be there at a time, and the machine counts fewer"
        raise UserError(None, reason, "make the kernel smaller, or compile it in parts")


def _moved(use: TokenUse, operation: Operation) -> bool:
    return use.condition is None or evaluate(use.condition, operation.attributes) != 0


def later(first: Clock, second: Clock) -> Clock:
    """What is known by two."""
    return {unit: max(first.get(unit, -1), second.get(unit, -1)) for unit in {*first, *second}}
