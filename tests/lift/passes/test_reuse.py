"""Functions that differ only in names are lifted once, and the copy is what lifting it would have given."""

from __future__ import annotations

from dataclasses import replace

from lift.passes import PASSES
from lift.passes.reuse import Lifter, shape
from lift.prove import Prover
from lift.unroll.function import Argument, Store, UpdateFunction
from lift.unroll.terms import const, extract, load, sym
from tests.lift.ir import samples


def dot(weights: str, scale: int = 8, instruction: str = "compute") -> UpdateFunction:
    """A chain of three MACs over the array `weights`, added to a word of `acc`."""
    row, total = sym("row", 24), extract(load("acc", 32, sym("at", 4)), 0, 20)
    for k in range(3):
        total = samples.multiply_add(extract(row, scale * k, 8), load(weights, 8, const(k, 2)), total)
    arguments = (
        *samples.scalars(("row", 24), ("at", 4)),
        Argument(weights, 8, 4, "array", "mesh.v:7"),
        Argument("acc", 32, 16, "memory"),
    )
    return UpdateFunction("unit", instruction, "acc", arguments, (Store("acc", sym("at", 4), samples.sext(total, 32), None, None),), location="unit.v:3")


def lifter() -> Lifter:
    return Lifter(tuple(kind() for kind in PASSES), Prover())


def test_the_copy_equals_what_lifting_gives() -> None:
    both = lifter()
    first, second = both.lift(dot("c1")), both.lift(dot("c2", instruction="again"))
    assert (first.reused, second.reused) == (False, True)
    assert str(second.module) == str(lifter().lift(dot("c2", instruction="again")).module)
    assert str(first.module) == str(lifter().lift(dot("c1")).module)


def test_the_reports_are_those_of_the_shape() -> None:
    both = lifter()
    first, second = both.lift(dot("c1")), both.lift(dot("c2"))
    assert [(r.name, r.proved) for r in first.reports] == [(r.name, r.proved) for r in second.reports]
    assert first.operations_raw == second.operations_raw


def test_a_difference_in_a_constant_is_another_shape() -> None:
    assert shape(dot("c1")) == shape(dot("c2"))
    assert shape(dot("c1", scale=7)) != shape(dot("c1"))


def test_a_difference_in_width_depth_or_place_is_another_shape() -> None:
    one = dot("c1")
    deeper = replace(one, arguments=tuple(replace(a, depth=8) if a.name == "c1" else a for a in one.arguments))
    moved = replace(one, arguments=(one.arguments[1], one.arguments[0], *one.arguments[2:]))
    assert len({shape(one), shape(deeper), shape(moved)}) == 3


def test_loops_are_part_of_the_shape() -> None:
    one = samples.copy_rows()
    assert shape(one) == shape(samples.copy_rows())
    assert shape(replace(one, body=())) != shape(one)
