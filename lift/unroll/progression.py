"""Values that move by a constant from one iteration of a loop to the next."""

from __future__ import annotations

from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.memory import split_offset
from lift.unroll.terms import Term
from lift.unroll.values import Value


def step_between(a: Term, b: Term) -> int | None:
    """b - a when it is a constant."""
    difference = terms.apply("sub", a.width, (b, a))
    if difference.is_const:
        return int(difference.attr)  # type: ignore[arg-type]
    (base_a, offset_a), (base_b, offset_b) = split_offset(a), split_offset(b)
    return offset_b - offset_a if base_a is base_b else None


def moves(a: Value, b: Value) -> bool:
    """Has a counter that reset does not set moved by a constant?"""
    return a is not b and isinstance(a, Term) and isinstance(b, Term) and step_between(a, b) is not None


def last_of(count: Term) -> Term:
    """The index of the last of `count` iterations."""
    return terms.apply("sub", INDEX_WIDTH, (count, terms.const(1, INDEX_WIDTH)))


def progression(first: Term, step: int, index: Term) -> Term:
    """first + step * index, modulo the register's width."""
    width = first.width
    position = terms.extract(index, 0, width) if width < INDEX_WIDTH else terms.apply("zext", width, (index,))
    moved = terms.apply("mul", width, (position, terms.const(step, width)))
    return terms.apply("add", width, (moved, first))
