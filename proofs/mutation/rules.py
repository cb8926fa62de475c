"""Rewrite rules -> rules that are wrong in one thing, and whether the checks of rules find them out.

Equations are changed as equations; rules that are functions, in their source.  A changed equation is no error when Z3 proves it for small integers and no
sample of floats differs.  A changed function that no kernel tells from the right one survives: that is no proof.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from types import ModuleType
from typing import Any

from own_tests import from_tests

test_altered, test_mutants, equations = (from_tests(f"act.rewrites.{name}") for name in ("test_altered", "test_mutants", "equations"))


@dataclass(frozen=True, slots=True)
class ChangedRule:
    """`file` is the rule or the module; `judge` gives outcome and evidence."""

    file: str
    kind: str
    id: str
    judge: Callable[[], tuple[str, str]]


def every() -> Iterator[ChangedRule]:
    for rule in test_mutants.IDENTITIES:
        for what, wrong, left in equations.mutants(rule):
            side = what.partition(" ")[0]
            yield ChangedRule(rule.name, side, f"{rule.name}:{what}", lambda wrong=wrong, left=left: of_equation(wrong, left))
    times: Counter[str] = Counter()
    for module, function, what, make in test_altered.everything():
        name = f"{module.__name__.rpartition('.')[2]}.{function}"
        identifier = f"{name}:{what}"
        times[identifier] += 1
        number = f" #{times[identifier]}" if times[identifier] > 1 else ""
        yield ChangedRule(name, "function", f"{identifier}{number}", lambda make=make, function=function: of_function(make, function))


def drawn(seed: int, count: int) -> list[ChangedRule]:
    """The kinds take turns."""
    draw = Random(seed)
    by_kind: dict[str, list[ChangedRule]] = {}
    for each in every():
        by_kind.setdefault(each.kind, []).append(each)
    for each in by_kind.values():
        draw.shuffle(each)
    found: list[ChangedRule] = []
    while len(found) < count and any(by_kind.values()):
        found += [each.pop() for each in by_kind.values() if each][: count - len(found)]
    return found


def of_equation(wrong: Any, left: Any) -> tuple[str, str]:
    match test_mutants.judged(wrong, left):
        case "found":
            return "found out", ""
        case "no error":
            return "no error", "equal for small integers by Z3, or for floats on samples"
    return "survived", "neither a difference nor a proof"


def of_function(make: Callable[[], ModuleType], function: str) -> tuple[str, str]:
    if test_altered.found_out(make(), function):
        return "found out", ""
    return "survived", "no kernel of the checks tells it from the right one"
