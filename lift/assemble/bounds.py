"""Fields that bound indices in templates: of the operand from which a product starts, and those that a composite makes one attribute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lift.assemble.family import Template
from lift.assemble.guards import conjuncts
from lift.assemble.integers import candidate
from lift.assemble.leaves import Part, field_part
from lift.unroll import terms
from lift.unroll.terms import Term


def initial_bounds(value: Term, words: Mapping[str, int]) -> set[Term]:
    """The fields that bound the operand from which a product starts."""
    initials = [t.args[0] for t in terms.walk(value) if t.op == "dot"]
    masks = [t.args[0] for t in terms.walk(*initials) if t.op == "mux"]
    return {leaf for mask in masks for condition in conjuncts(mask) for leaf in field_leaves(condition, words)}


def field_leaves(term: Term, words: Mapping[str, int]) -> Iterator[Term]:
    if field_part(term, words) is not None:
        yield term
        return
    for a in term.args:
        yield from field_leaves(a, words)


def shared_bounds(templates: Mapping[str, Template], words: Mapping[str, int], names: Mapping[Part, str]) -> dict[Part, str]:
    """Fields that bound one index anywhere -> the shortest of their names; it only demands that they are equal."""
    groups: dict[Term, dict[Part, None]] = {}
    for each in templates.values():
        for term in terms.walk(each.guard, each.value):
            if term.op == "ult" and (found := _bounded(term, words)) is not None:
                groups.setdefault(found[0], {})[found[1]] = None
    result: dict[Part, str] = {}
    for parts in groups.values():
        labels = [names.get(p, f"{p[0]}_{p[1]}").replace(".", "_") for p in parts]
        shared = min(labels, key=lambda n: (len(n), labels.index(n)))
        result |= dict.fromkeys(parts, shared)
    return result


def _bounded(condition: Term, words: Mapping[str, int]) -> tuple[Term, Part] | None:
    """(index, field) of `index < field`."""
    left = candidate(condition.args[0])
    parts = [p for leaf in field_leaves(condition.args[1], words) if (p := field_part(leaf, words)) is not None]
    (monomial, _), *more = left.items() or [((), 0)]
    return (monomial[0], parts[0]) if not more and len(monomial) == 1 and len(parts) == 1 else None
