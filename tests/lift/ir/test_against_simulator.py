"""The interpreter of the IR gives what a simulator of Verilog gives, on random functions."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lift.ir import build, functions
from lift.ir.evaluate import EVALUATE, evaluate
from lift.unroll.terms import Term
from tests.lift.ir import samples, verilog
from tests.lift.ir.random_terms import DEPTH, SYMBOLS, terms
from tests.lift.ir.test_evaluate import ARGUMENTS

needs_simulator = pytest.mark.skipif(bool(verilog.MISSING), reason=f"not installed: {', '.join(verilog.MISSING)}")


def drawn(draw: random.Random) -> tuple[dict[str, int], list[int]]:
    symbols = {name: draw.choice((0, 1, (1 << w) - 1, 1 << (w - 1), draw.getrandbits(w))) for w, name in SYMBOLS.items()}
    return symbols, [draw.getrandbits(8) for _ in range(DEPTH)]


def interpreted(term: Term, symbols: dict[str, int], words: list[int]) -> int:
    (function,) = functions(build(samples.of(term, *ARGUMENTS)))
    return evaluate(function, [*(symbols[name] for name in SYMBOLS.values()), words])[0]


@needs_simulator
@settings(max_examples=5, deadline=None, phases=(Phase.generate,), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(terms(), min_size=20, max_size=20), st.integers(0, 1 << 32))
def test_a_simulator_gives_the_same_values(batch: list[Term], seed: int) -> None:
    draw = random.Random(seed)
    given_values = [drawn(draw) for _ in batch]
    with tempfile.TemporaryDirectory() as folder:
        found = verilog.values(batch, given_values, Path(folder))
    assert found == [interpreted(term, *values) for term, values in zip(batch, given_values, strict=True)]


@needs_simulator
@pytest.mark.parametrize(("wrong", "by"), [("arith.shrsi", "arith.shrui"), ("arith.subi", "arith.addi"), ("arith.muli", "arith.addi")])
def test_a_wrong_interpretation_is_found(wrong: str, by: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    r = samples.sym("r", 8)
    product = samples.apply("mul", 8, (r, samples.const(5, 8)))
    term = samples.apply("ashr", 8, (samples.apply("sub", 8, (product, samples.zext(samples.sym("q", 5), 8))), samples.const(1, 8)))
    symbols, words = drawn(random.Random(1))
    symbols |= {"r": 0x21, "q": 0x13}
    (found,) = verilog.values([term], [(symbols, words)], tmp_path)
    assert interpreted(term, symbols, words) == found
    monkeypatch.setitem(EVALUATE, wrong, EVALUATE[by])
    assert interpreted(term, symbols, words) != found
