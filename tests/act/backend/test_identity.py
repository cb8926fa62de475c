"""Pieces of a value are computed into their places, and slices read where they are: no instruction is needed for either."""

from dataclasses import replace

import pytest

from act.backend.compile import Compiled, compile_module
from act.backend.homes import Places
from act.backend.plan import Identity, Step
from act.backend.replay import WrongProgram, check
from act.backend.ties import Contradiction, Ties
from act.backend.verify import disagreement
from act.hlo import parse_module
from tests.act.backend.backends import hlo, systolic

WHOLE = hlo(
    "a = s8[8,16] parameter(0)",
    "b = s8[5,16] parameter(1)",
    "c = s8[3,16] parameter(2)",
    "w = s8[16,16] parameter(3)",
    "abc = s8[16,16] concatenate(a, b, c), dimensions={0}",
    "d = s32[16,16] dot(abc, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
)


def compiled(text: str) -> Compiled:
    module = parse_module(text)
    found = compile_module(systolic(), module)
    assert disagreement(systolic().accelerator, module, found.program, rounds=1) is None
    return found


def names(found: Compiled) -> list[str]:
    return [operation.name for operation in found.operations if operation.step is not None]


def test_pieces_are_loaded_side_by_side():
    found = compiled(WHOLE)
    assert [name.startswith("mvin") for name in names(found)] == [True] * 4 + [False] * 2
    assert not found.program.of_kind("scratch")
    rows = [(operation.attributes["row"], operation.attributes["rows"]) for operation in found.operations if operation.name.startswith("mvin")]
    assert {(0, 8), (8, 5), (13, 3)} <= set(rows)


def test_pieces_may_be_computed():
    low = ["low = s32[] constant(-128)", "high = s32[] constant(127)"]
    products = [
        f"{name}{step}"
        for name in "ab"
        for step in (
            f"d = s32[8,16] dot({name}, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}",
            f"l = s32[8,16] clamp(low, {name}d, high)",
            f"n = s8[8,16] convert({name}l)",
        )
    ]
    text = hlo(
        "a = s8[8,16] parameter(0)", "b = s8[8,16] parameter(1)", "w = s8[16,16] parameter(2)", *low, *products,
        "whole = s8[16,16] concatenate(an, bn), dimensions={0}",
        "d = s32[16,16] dot(whole, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    )  # fmt: skip
    found = compiled(text)
    assert not found.program.of_kind("scratch")
    assert names(found).count("matmul_spad") == 2


def identities(found: Compiled) -> list[Identity]:
    steps = [operation.step for operation in found.operations if operation.step is not None]
    return [operand for step in steps for operand in step.operands if isinstance(operand, Identity)]


def test_pieces_in_another_order_are_seen_by_the_replay():
    backend, module = systolic(), parse_module(WHOLE)
    found = compile_module(backend, module)
    (whole,) = identities(found)
    whole.parts.reverse()
    with pytest.raises(WrongProgram, match="made of other parts"):
        check(backend.accelerator, found.graph, found.operations, found.allocation, found.program)


def test_pieces_at_other_places_are_seen_by_the_replay():
    backend = systolic()
    found = compile_module(backend, parse_module(WHOLE))
    (whole,) = identities(found)
    whole.node = replace(whole.node, attributes=(("starts", ((0, 0), (9, 0), (13, 0))),))
    with pytest.raises(WrongProgram, match="taken for another"):
        check(backend.accelerator, found.graph, found.operations, found.allocation, found.program)


class Fake:
    """Steps and identities with the shapes that ties look at."""

    def __init__(self) -> None:
        step = next(operation.step for operation in compiled(WHOLE).operations if operation.step is not None)
        self.step, self.whole = step, identities(compiled(WHOLE))[0]

    def value(self, rows: int) -> Step:
        match = self.step.match._replace(alpha=(("rows", rows), ("cols", 16)))
        return Step(0, match, ())


def placed(ties: Ties, first: Step, second: Step) -> Places:
    """Where the second begins after the first."""
    (root, here), (other, there) = ties.find(first), ties.find(second)
    assert root is other
    return tuple(b - a for a, b in zip(here, there, strict=True))


def test_ties_add_up_whatever_their_order():
    fake = Fake()
    a, b, c, d = (fake.value(rows) for rows in (4, 3, 2, 1))
    ties = Ties({"spad": 2})
    ties._tie(c, d, (1, 0))
    ties._tie(a, b, (4, 0))
    ties._tie(b, d, (7, 0))
    assert placed(ties, a, c) == (10, 0)
    assert placed(ties, d, a) == (-11, 0)
    root, _ = ties.find(a)
    _, sizes = ties.box(root)
    assert sizes == (12, 16)
    with pytest.raises(Contradiction):
        ties._tie(a, d, (12, 0))
