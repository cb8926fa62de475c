"""Modes: the conditions on the command and the state, and on nothing else, that decide what an instruction does.

An *atom* is a one-bit value that a store's condition or a multiplexer depends on and that contains neither an index nor data: a field or state
bit, or an equality with a constant.  (Comparisons by order are bounds of indices, not modes.)  Each consistent choice of the atoms is one mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lift.assemble.effects import Effect, Reading
from lift.assemble.errors import NoTemplate
from lift.assemble.guards import has_index
from lift.assemble.rewriting import plain, substitute
from lift.unroll import terms
from lift.unroll.relevance import connected
from lift.unroll.solver import satisfiable
from lift.unroll.terms import FALSE, TRUE, Term

MAX_ATOMS = 8

Choice = tuple[tuple[Term, bool], ...]
IsData = Callable[[str], bool]
Forced = Callable[[Term], bool | None]


@dataclass(frozen=True, slots=True)
class Case:
    """What the functions of one mode do, given `choice`."""

    choice: Choice
    readings: dict[str, Reading]


def cases(readings: dict[str, Reading], is_data: IsData, known: list[Term], forced: Forced) -> Iterator[Case]:
    """Every consistent choice of the atoms with the functions simplified by it.  `forced` may decide an atom beforehand (left out of the choice)."""
    yield from _split(readings, (), is_data, known, forced)


def _split(readings: dict[str, Reading], choice: Choice, is_data: IsData, known: list[Term], forced: Forced) -> Iterator[Case]:
    atom = next(iter(_atoms(readings, is_data)), None)
    if atom is None:
        yield Case(choice, readings)
        return
    if len(choice) == MAX_ATOMS:
        raise NoTemplate(f"a mode that depends on more than {MAX_ATOMS} conditions", *(a for a, _ in choice))
    decided = forced(atom)
    for holds in (False, True) if decided is None else (decided,):
        condition = plain(atom) if holds else terms.negate(plain(atom))
        if not satisfiable([condition, *connected(known, condition)]):
            continue
        yield from _split(_specialise(readings, atom, holds), (*choice, (atom, holds)), is_data, [*known, condition], forced)


def _specialise(readings: dict[str, Reading], atom: Term, holds: bool) -> dict[str, Reading]:
    values = {atom: TRUE if holds else FALSE}
    done: dict[Term, Term] = {}
    result = {}
    for name, reading in readings.items():
        effects = tuple(e for effect in reading.effects if (e := _effect(effect, values, done)) is not None)
        result[name] = Reading(effects, None if reading.result is None else substitute(reading.result, values, done))
    return result


def _effect(effect: Effect, values: dict[Term, Term], done: dict[Term, Term]) -> Effect | None:
    conditions = tuple(substitute(c, values, done) for c in effect.conditions)
    if FALSE in conditions:
        return None
    kept = tuple(c for c in conditions if c is not TRUE)
    return Effect(effect.memory, effect.loops, kept, substitute(effect.address, values, done), substitute(effect.data, values, done))


def _atoms(readings: dict[str, Reading], is_data: Callable[[str], bool]) -> Iterator[Term]:
    """Atoms of store conditions first, then of multiplexers."""
    roots = [c for r in readings.values() for e in r.effects for c in e.conditions]
    yield from (a for root in roots for a in _parts(root) if _free(a, is_data))
    data = [t for r in readings.values() for e in r.effects for t in (e.address, e.data)] + [r.result for r in readings.values() if r.result is not None]
    for term in terms.walk(*data):
        if term.op == "mux":
            yield from (a for a in _parts(term.args[0]) if _free(a, is_data))


def _parts(condition: Term) -> Iterator[Term]:
    """The atoms of a Boolean combination that can be modes."""
    if condition.op in ("and", "or", "not", "xor") and condition.width == 1:
        for a in condition.args:
            yield from _parts(a)
    elif condition.op in ("eq", "extract", "sym", "load"):
        yield condition


def _free(atom: Term, is_data: Callable[[str], bool]) -> bool:
    """No index symbol and no data below it."""
    for term in terms.walk(atom):
        if term.op in ("dot", "lane") or (term.op == "load" and is_data(str(term.attr))):
            return False
    return not atom.is_const and not has_index(atom)
