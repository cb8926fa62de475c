"""Which of many conditions bear on a question, and the question in a form that does not depend on the names of loop indices.

Bits are what is shared, not whole symbols: conditions on disjoint part-selects of one command word have nothing to do with each other.
"""

from __future__ import annotations

import re
from typing import Any

from lift.unroll import terms
from lift.unroll.terms import Term

INDEX_NAME = re.compile(r"i\d+'?")
Bits = dict[str, int]  # name of a symbol or memory -> mask of its bits; a memory is one bit

_bits: dict[Term, Bits] = {}
_indices: dict[Term, frozenset[Term]] = {}


def known() -> tuple[dict[Any, Any], ...]:
    """What is remembered here about terms, for `lift.unroll.forget`."""
    return _bits, _indices


def bits(root: Term) -> Bits:
    """The bits of symbols, and the memories, that `root` is a function of."""
    for term in terms.walk_until(root, _bits):
        _bits[term] = _own_bits(term)
    return _bits[root]


def _own_bits(term: Term) -> Bits:
    if term.op == "sym":
        return {f"{term.attr}#{term.serial}": (1 << term.width) - 1}
    if term.op == "extract" and term.args[0].op == "sym":
        symbol = term.args[0]
        return {f"{symbol.attr}#{symbol.serial}": ((1 << term.width) - 1) << int(term.attr or 0)}
    result: Bits = {f"memory {term.attr}": 1} if term.op == "load" else {}
    for arg in term.args:
        for name, mask in _bits[arg].items():
            result[name] = result.get(name, 0) | mask
    return result


def _overlap(a: Bits, b: Bits) -> bool:
    return any(mask & b.get(name, 0) for name, mask in a.items())


def connected(conditions: list[Term], question: Term) -> list[Term]:
    """The conditions that share bits with `question`, directly or through one another."""
    reached, rest, found = dict(bits(question)), [c for c in conditions if not c.is_const or not c.attr], []
    while True:
        near = [c for c in rest if _overlap(bits(c), reached) or c.is_const]
        if not near:
            return found
        found += near
        rest = [c for c in rest if c not in near]
        for condition in near:
            for name, mask in bits(condition).items():
                reached[name] = reached.get(name, 0) | mask


def _indices_of(root: Term) -> frozenset[Term]:
    """The loop indices in a term."""
    for term in terms.walk_until(root, _indices):
        own = {term} if term.op == "sym" and INDEX_NAME.fullmatch(str(term.attr)) else set()
        below = {id(s): s for s in (_indices[a] for a in term.args) if s}
        _indices[term] = next(iter(below.values())) if len(below) == 1 else frozenset(own).union(*below.values())
    return _indices[root]


def canonical(conditions: list[Term]) -> frozenset[Term]:
    """The conditions as a set, loop indices numbered in the order of their age."""
    indices = frozenset[Term]().union(*(_indices_of(c) for c in conditions))
    renamed = {t: terms.sym(f"index#{n}", t.width) for n, t in enumerate(sorted(indices, key=lambda t: t.serial))}
    done: dict[Term, Term] = {}
    return frozenset(terms.substitute(c, renamed, done) if renamed else c for c in conditions)
