"""What ends of paths show: that a register is state, which subcode matters, what is not known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lift.discover.environment import ANSWER
from lift.unroll import terms
from lift.unroll.machine import Later, State, Value
from lift.unroll.paths import Facts, Path, conditions
from lift.unroll.terms import Term


class Moved(Exception):
    """An instruction was seen to leave registers changed that were taken not to be state; `alike`: those of them that went from one value to one
    value (the two pointers of a queue that is empty again)."""

    def __init__(self, names: frozenset[str], alike: tuple[tuple[str, ...], ...]) -> None:
        super().__init__()
        self.names, self.alike = names, alike


class Split(Exception):
    """An instruction was seen to be decided by its subcode."""


def compares(roots: Iterable[Term], part: Term) -> bool:
    """Is `part` compared with something below `roots`?"""
    return any(t.op == "eq" and t.args[0] is part for t in terms.walk(*roots))


def of_answers(term: Term) -> bool:
    """Is it about the contents of a late answer?"""
    return any(t.op == "sym" and str(t.attr).startswith(ANSWER) for t in terms.walk(term))


def completed(paths: list[Path], control: list[str], idle: dict[str, Term]) -> list[Path]:
    """Of paths that differ in what late answers said, those after which the control is idle: answers complete what was asked for.  The
    contract does not say more of them, so they are no conditions of the instruction."""
    groups: dict[Facts, list[Path]] = {}
    for path in paths:
        facts = tuple(f for f in path.facts if not of_answers(f[0]))
        domain = tuple(d for d in path.domain if not of_answers(d))
        said = tuple(c for c in [*conditions(path.facts), *path.domain] if of_answers(c))
        groups.setdefault(facts, []).append(replace(path, facts=facts, domain=domain, answers=said))
    kept: list[Path] = []
    for group in groups.values():
        comes_back = [n for n in control if any(p.final.value(n) is idle[n] for p in group)]
        complete = [p for p in group if all(p.final.value(n) is idle[n] for n in comes_back)] if any(p.answers for p in group) else group
        kept += complete or group
    return kept


def or_unknown(name: str, value: Value, high: State) -> Value:
    """A final value that nobody computed may depend on the bit after all; as it only passes data on, it is no state, and left unknown."""
    later = isinstance(value, Later) and isinstance(value.known(), Later)
    return terms.sym(f"unused:{name}", high.value(name).width) if later else value
