"""Every pass leaves every bit of random functions as it was, on extremes and on random values."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from lift.ir import evaluate, functions
from lift.passes import PASSES
from lift.passes.run import run_passes
from lift.prove import Prover
from tests.lift.passes.random_ir import arguments, random_function

PROVER = Prover()
CASES = 6


def outcomes(module: ModuleOp) -> list[tuple[tuple[int, ...], list[int]]]:
    """Results and what is in the written array, for several arguments."""
    found = []
    for case in range(CASES):
        scalars, source = arguments(case)
        target = list(range(32))
        results = evaluate(functions(module)[0], [*scalars, source, target])
        found.append((results, target))
    return found


@settings(max_examples=40)
@given(st.integers(0, 1 << 32))
def test_passes_keep_every_bit(seed: int) -> None:
    module = random_function(seed)
    module.verify()
    expected = outcomes(module)
    for kind in PASSES:
        run_passes(module, [kind()], PROVER)
        module.verify()
        assert outcomes(module) == expected, kind.name


@settings(max_examples=15)
@given(st.integers(0, 1 << 32), st.integers(0, 31), st.integers(0, 1))
def test_a_mode_is_the_function_with_these_arguments(seed: int, q: int, p: int) -> None:
    general, special = random_function(seed), random_function(seed)
    for module in (general, special):
        for name, argument in zip("pqrst", functions(module)[0].args, strict=False):
            argument.name_hint = name
    run_passes(special, [_SPECIALIZE((f"p={p}", f"q={q}"))], PROVER)
    for case in range(CASES):
        (_, _, *others), source = arguments(case)
        arrays = [source, list(range(32))], [source, list(range(32))]
        results = [evaluate(functions(m)[0], [p, q, *others, *a]) for m, a in zip((general, special), arrays, strict=True)]
        assert results[0] == results[1] and arrays[0] == arrays[1]
    assert not any(argument.uses for argument in functions(special)[0].args[:2])


_SPECIALIZE = next(kind for kind in PASSES if kind.name.startswith("b4"))


def test_the_random_functions_are_such_that_every_rewriting_pass_applies() -> None:
    reports = [report for seed in range(12) for report in run_passes(random_function(seed), [kind() for kind in PASSES], PROVER)]
    assert {report.name[:2] for report in reports if report.proved} >= {"a1", "a2", "b3", "b5"}
