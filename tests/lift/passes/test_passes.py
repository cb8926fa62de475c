"""The passes together: what they reach on typical functions, and that they keep every bit."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from lift.ir import build, evaluate, functions
from lift.passes import PASSES
from lift.passes.run import run_passes
from lift.prove import Prover
from lift.unroll.terms import Term
from tests.lift.ir import samples
from tests.lift.ir.random_terms import DEPTH, SYMBOLS
from tests.lift.ir.random_terms import terms as random_terms
from tests.lift.ir.test_evaluate import ARGUMENTS

PROVER = Prover()


def lifted(update: samples.UpdateFunction) -> ModuleOp:
    module = build(update)
    run_passes(module, [kind() for kind in PASSES], PROVER)
    module.verify()
    return module


def count(module: ModuleOp, name: str) -> int:
    return sum(op.name == name for op in module.walk())


@settings(max_examples=120, deadline=None)
@given(random_terms(), st.integers(0, 1 << 32))
def test_every_pass_keeps_every_bit(term: Term, seed: int) -> None:
    draw = random.Random(seed)
    values = [draw.choice((0, 1, (1 << width) - 1, 1 << (width - 1), draw.getrandbits(width))) for width in SYMBOLS]
    memory = [draw.getrandbits(8) for _ in range(DEPTH)]
    update = samples.of(term, *ARGUMENTS)
    module = build(update)
    (function,) = functions(module)
    expected = evaluate(function, [*values, memory])
    for kind in PASSES:
        run_passes(module, [kind()], PROVER)
        assert evaluate(function, [*values, memory]) == expected, kind.name


def test_a_processing_element_becomes_one_mac_and_its_multiplexers() -> None:
    module = lifted(samples.pe_step())
    assert count(module, "arith.muli") == count(module, "arith.addi") == 1
    assert count(module, "arith.ori") == count(module, "arith.shli") == 0
    assert len(str(module).splitlines()) <= 24


@pytest.mark.parametrize("size", [2, 4])
def test_a_grid_becomes_one_dot_product_per_lane(size: int) -> None:
    module = lifted(samples.dot_grid(size))
    loops = [op for op in module.walk() if op.name == "scf.for"]
    assert len(loops) == size * size == sum("tensorlift.mac" in op.attributes for op in module.walk())
    assert all(op.attributes["tensorlift.linalg_op"].data == "dot_product" for op in loops)  # type: ignore[attr-defined]
    assert {str(op.attributes["tensorlift.a"].data["stride"].value.data) for op in loops} == {"8"}  # type: ignore[attr-defined]


def test_a_lifted_grid_still_multiplies_matrices() -> None:
    raw, after = build(samples.dot_grid(3)), lifted(samples.dot_grid(3))
    draw = random.Random(3)
    spad = [draw.getrandbits(24) for _ in range(1 << 14)]
    results = []
    for module in (raw, after):
        memory: dict[int, int] = {}
        evaluate(functions(module)[0], [100, 200, 7, spad, memory])
        results.append(memory)
    assert results[0] == results[1]
    assert len(results[0]) == 3


def test_loops_of_stores_stay_loops() -> None:
    module = lifted(samples.copy_rows())
    assert count(module, "scf.for") == 2
    assert count(module, "scf.if") == 1


def test_a_large_grid_needs_only_a_handful_of_lemmas() -> None:
    prover = Prover()
    module = build(samples.dot_grid(6))
    run_passes(module, [kind() for kind in PASSES], prover)
    assert prover.counts["solved"] <= 12
