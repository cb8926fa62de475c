"""A second implementation of the operations: mlir-opt folds a function of constants to what the interpreter says."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lift.ir import build, evaluate, functions
from lift.unroll.terms import Term, signed, walk
from tests.lift.ir import samples
from tests.lift.ir.random_terms import SYMBOLS, terms

_INSTALLED = Path("/usr/lib/llvm-16/bin/mlir-opt")
MLIR_OPT = str(_INSTALLED) if _INSTALLED.exists() else shutil.which("mlir-opt")


def without_loads(term: Term) -> bool:
    return all(t.op != "load" for t in walk(term))


def closed(term: Term, number: int, values: dict[str, int]) -> tuple[str, int]:
    """(a function without arguments that gives the value of `term` for these values, the value as the interpreter has it)."""
    arguments = samples.scalars(*((name, width) for width, name in SYMBOLS.items()))
    (function,) = functions(build(samples.of(term, *arguments)))
    (expected,) = evaluate(function, list(values.values()))
    head, *body = str(function).splitlines()
    kind = head.split("->")[1].split()[0]
    constants = [f"  %v_{name} = arith.constant {signed(values[name], width)} : i{width}" for width, name in SYMBOLS.items() if width > 1]
    constants.append(f"  %v_p = arith.constant {'true' if values['p'] else 'false'}")
    return "\n".join([f"func.func @f{number}() -> {kind} {{", *constants, *body]), expected


# A failing batch is not shrunk: it names its function, and each attempt is a process.
@settings(max_examples=6, deadline=None, phases=(Phase.generate,), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(terms(depth=3).filter(without_loads), min_size=15, max_size=15), st.integers(0, 1 << 32))
@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
def test_mlir_opt_folds_to_the_same_values(batch: list[Term], seed: int) -> None:
    draw = random.Random(seed)
    values = [{name: draw.choice((0, 1, (1 << w) - 1, 1 << (w - 1), draw.getrandbits(w))) for w, name in SYMBOLS.items()} for _ in batch]
    texts, expected = zip(*(closed(term, k, v) for k, (term, v) in enumerate(zip(batch, values, strict=True))), strict=True)
    result = subprocess.run([str(MLIR_OPT), "--canonicalize"], input="\n".join(texts), capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    for number, body in enumerate(re.split(r"func\.func @f\d+\(\)", result.stdout)[1:]):
        folded = re.search(r"-> i(\d+) \{\s+%\S+ = arith\.constant (\S+)(?: : i\d+)?\s+return", body)
        assert folded, f"not folded: {body}"
        found = {"true": 1, "false": 0}.get(folded[2])
        value = int(folded[2]) if found is None else found
        assert value % (1 << int(folded[1])) == expected[number]
