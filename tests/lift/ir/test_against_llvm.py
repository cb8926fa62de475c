"""A third implementation of the operations: LLVM executes random functions to what the interpreter and the translation to Z3 say."""

from __future__ import annotations

import random

import pytest
import z3
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith, func

from lift.ir import build, functions
from lift.ir.evaluate import EVALUATE, evaluate
from lift.ir.smt import TRANSLATE, translate
from lift.unroll.terms import Term
from tests.lift.ir import samples
from tests.lift.ir.llvm import MISSING, Call, execute
from tests.lift.ir.random_terms import DEPTH, SYMBOLS, terms
from tests.lift.ir.test_evaluate import ARGUMENTS
from tests.lift.ir.test_smt import array

needs_llvm = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
BATCH = 15


def drawn(draw: random.Random) -> list[int | list[int]]:
    """A value for each symbol, of which many are at the ends of their types, and an array."""
    values = [draw.choice((0, 1, (1 << w) - 1, 1 << (w - 1), draw.getrandbits(w))) for w in SYMBOLS]
    return [*values, [draw.getrandbits(8) for _ in range(DEPTH)]]


def by_z3(function: func.FuncOp, values: list[int | list[int]]) -> int:
    constants = [z3.BitVecVal(v, width) for v, width in zip(values[:-1], SYMBOLS, strict=True)]
    (result,), _ = translate(function, [*constants, array(values[-1], 8)])  # type: ignore[arg-type]
    return z3.simplify(result).as_long()  # type: ignore[union-attr]


# A failing batch is not shrunk: it names its function, and each attempt is two processes.
@needs_llvm
@settings(max_examples=5, deadline=None, phases=(Phase.generate,), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(terms(), min_size=BATCH, max_size=BATCH), st.integers(0, 1 << 32))
def test_llvm_computes_what_the_interpreter_and_z3_say(batch: list[Term], seed: int) -> None:
    draw = random.Random(seed)
    built = [functions(build(samples.of(term, *ARGUMENTS)))[0] for term in batch]
    calls = [Call(function, drawn(draw)) for function in built]
    for call, (found, *_) in zip(calls, execute(calls), strict=True):
        assert found == evaluate(call.function, list(call.arguments))[0], str(call.function)
        assert found == by_z3(call.function, list(call.arguments)), str(call.function)


@needs_llvm
@pytest.mark.parametrize("seed", range(3))
def test_llvm_leaves_in_memory_what_the_interpreter_leaves(seed: int) -> None:
    """Loops with trip counts that are arguments, masks, conditions."""
    draw = random.Random(seed)
    (function,) = functions(build(samples.copy_rows()))
    dram, before = ([draw.getrandbits(16) for _ in range(size)] for size in (1 << 10, 64))
    scalars = [draw.randint(0, 5), draw.randint(0, 3), draw.randint(0, 15), draw.randint(0, 100), draw.getrandbits(16), draw.randint(0, 3) and 1, 30]
    after = list(before)
    evaluate(function, [*scalars, dram, before, after])
    (found,) = execute([Call(function, [*scalars, dram, before, list(before)])])
    assert found[-64:] == after


@needs_llvm
def test_a_wrong_operation_is_found() -> None:
    """What is compared is the function: with another operator LLVM gives another value."""
    (function,) = functions(build(samples.of(samples.add(samples.sym("q", 5), samples.const(3, 5)), *ARGUMENTS)))
    values = drawn(random.Random(1))
    wrong = function.clone()
    op = next(op for op in wrong.walk() if op.name == "arith.addi")
    other = arith.SubiOp.create(operands=op.operands, result_types=[op.results[0].type])
    op.parent_block().insert_op_before(other, op)  # type: ignore[union-attr]
    op.results[0].replace_all_uses_with(other.results[0])
    op.detach()
    right, changed = execute([Call(function, values), Call(wrong, values)])
    assert right[0] == evaluate(function, values)[0] != changed[0]


R, Q = samples.sym("r", 8), samples.sym("q", 5)
WRONG = {
    "arith.shrsi": samples.apply("ashr", 8, (R, samples.const(2, 8))),
    "arith.extsi": samples.sext(Q, 8),
    "arith.subi": samples.apply("sub", 8, (R, samples.zext(Q, 8))),
    "arith.andi": samples.apply("and", 8, (R, samples.zext(Q, 8))),
}


@needs_llvm
@pytest.mark.parametrize(
    ("wrong", "by"), [("arith.shrsi", "arith.shrui"), ("arith.extsi", "arith.extui"), ("arith.subi", "arith.addi"), ("arith.andi", "arith.ori")]
)
def test_a_wrong_translation_is_found(wrong: str, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (function,) = functions(build(samples.of(WRONG[wrong], *ARGUMENTS)))
    values = [0, 0b10011, 0b10100101, 0, 0, [0] * DEPTH]
    ((found, *_),) = execute([Call(function, values)])
    assert by_z3(function, values) == evaluate(function, values)[0] == found
    monkeypatch.setitem(TRANSLATE, wrong, TRANSLATE[by])
    monkeypatch.setitem(EVALUATE, wrong, EVALUATE[by])
    assert by_z3(function, values) != found != evaluate(function, values)[0]
