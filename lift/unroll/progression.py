"""Values that move by the same amount from each iteration of a loop to the next."""

from __future__ import annotations

from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.memory import split_offset
from lift.unroll.polynomials import plus, wrapped
from lift.unroll.terms import Term
from lift.unroll.values import Value


def step_between(a: Term, b: Term) -> Term | None:
    """b - a when it is a constant, or what b adds to a."""
    difference = terms.apply("sub", a.width, (b, a))
    if difference.is_const:
        return difference
    (base_a, offset_a), (base_b, offset_b) = split_offset(a), split_offset(b)
    if base_a is base_b:
        return terms.const(offset_b - offset_a, a.width)
    return _added(a, b)


def _added(a: Term, b: Term) -> Term | None:
    """What is left of the sum b without the addends of a."""
    rest = _addends(b)
    for addend in _addends(a):
        if addend not in rest:
            return None
        rest.remove(addend)
    total = rest[0] if rest else terms.const(0, a.width)
    for addend in rest[1:]:
        total = terms.apply("add", a.width, (total, addend))
    return total


def _addends(value: Term) -> list[Term]:
    if value.op == "add":
        return [*_addends(value.args[0]), *_addends(value.args[1])]
    return [] if value.is_const and not value.attr else [value]


def moves(a: Value, b: Value) -> bool:
    """Has a counter that reset does not set moved by a constant?"""
    step = step_between(a, b) if a is not b and isinstance(a, Term) and isinstance(b, Term) else None
    return step is not None and step.is_const


def last_of(count: Term) -> Term:
    """The index of the last of `count` iterations."""
    return terms.apply("sub", INDEX_WIDTH, (count, terms.const(1, INDEX_WIDTH)))


def progression(first: Term, step: Term, index: Term) -> Term:
    """first + step * index, modulo the register's width."""
    width = first.width
    position = terms.extract(index, 0, width) if width < INDEX_WIDTH else terms.apply("zext", width, (index,))
    moved = terms.apply("mul", width, (position, step))
    return terms.apply("add", width, (moved, first))


def same_sum(a: Term, b: Term) -> bool:
    """Are two values equal as sums and products, whatever their parts are?"""
    return a.width == b.width and not plus(wrapped(a, a.width), wrapped(b, b.width), -1)
