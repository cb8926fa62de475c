"""Random Verilog: a sample of what `make fuzz-frontend` draws without end, and properties of the generator."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lift.verilog import read
from tests.constructs import expressions, fuzz, netlists, suite

SEED = 2005
MODULES = 45


@pytest.mark.parametrize("part", range(3))
def test_readers_agree_with_the_tools_on_random_modules(part: int, tmp_path: Path) -> None:
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog")
    modules = dict(fuzz.sources(SEED + part, MODULES // 3))
    outcome = fuzz.run(modules, tmp_path, tools=("yosys",))
    assert not outcome.wrong, "\n".join(outcome.wrong)
    assert outcome.agreed > len(modules) / 2


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_readers_agree_on_random_expressions(tmp_path_factory: pytest.TempPathFactory, draw: random.Random) -> None:
    file = tmp_path_factory.mktemp("expression") / "m.v"
    file.write_text(expressions.module("m", [(expressions.declaration(draw), expressions.expression(draw, 3, defined=True))]))
    one, two = (read([file], "m", frontend=reader) for reader in suite.READERS)
    rows = suite.rows(one, 0, cycles=4)
    assert netlists.trace(one, rows) == netlists.trace(two, rows)


def test_the_same_seed_gives_the_same_modules() -> None:
    assert list(fuzz.sources(3, 6)) == list(fuzz.sources(3, 9))[:6]
    assert dict(fuzz.sources(3, 6)).values() != dict(fuzz.sources(4, 6)).values()


def test_every_operator_is_drawn() -> None:
    text = " ".join(text for _, text in fuzz.sources(SEED, 300))
    operators = "|| && | ^ ~^ & == != === !== < <= > >= << >> <<< >>> + - * / % ** ?".split()
    assert [o for o in operators if f" {o} " not in text] == []
    assert all(word in text for word in ("casez", "casex", "$signed", "$unsigned", "+:", "-:", "'sh", "{2{", "posedge", "for"))


def test_operands_stand_in_parentheses_only_where_they_must() -> None:
    a, b, c = map(expressions.Expression, "abc")
    total = expressions.Expression("{} + {}", (a, b), (9, 10), 9)
    assert str(expressions.Expression("{} * {}", (total, c), (10, 11), 10)) == "(a + b) * c"
    assert str(expressions.Expression("{} + {}", (total, c), (9, 10), 9)) == "a + b + c"
    assert str(expressions.Expression("{} + {}", (c, total), (9, 10), 9)) == "c + (a + b)"
