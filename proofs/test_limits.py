"""Every query of a solver has a limit in resource units, and what a second solver is asked is what the first was."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import z3

from lift.cache.digest import PACKAGES, digest, tool
from lift.prove import bitwuzla
from lift.prove.lemmas import DEFAULT_RLIMIT, Prover
from proofs import second
from proofs.solve import NotProved, Undecided, prove

ROOT = Path(__file__).parents[1]
needs_bitwuzla = pytest.mark.skipif(not bitwuzla.is_installed(), reason="bitwuzla is not installed: no second solver is asked")
SOLVERS = [
    (path.relative_to(ROOT).as_posix(), number, "\n".join(lines[number : number + 4]))
    for folder in ("lift", "act", "proofs")
    for path in sorted((ROOT / folder).rglob("*.py"))
    for lines in [path.read_text().splitlines()]
    for number, line in enumerate(lines)
    if re.search(r"z3\.(SolverFor|Solver|Optimize)\(", line) and path != Path(__file__)
]


@pytest.mark.parametrize(("path", "number", "text"), SOLVERS, ids=[f"{path}-{number}" for path, number, _ in SOLVERS])
def test_every_solver_has_a_limit(path: str, number: int, text: str) -> None:
    assert 'set("rlimit"' in text, f"{path}:{number + 1}"


def test_what_is_not_decided_within_the_limit_is_not_proved() -> None:
    a, b = z3.BitVecs("a b", 64)
    factors = z3.And(z3.UGT(a, 1), z3.UGT(b, 1), z3.ULT(a, 1 << 32), z3.ULT(b, 1 << 32))
    with pytest.raises(Undecided, match="resource units"):
        prove("a prime has no factors", a * b != (1 << 61) - 1, [factors], rlimit=1000)


def test_lemmas_are_remembered_for_one_limit_and_one_version_of_the_solver() -> None:
    assert digest(DEFAULT_RLIMIT, "lemma") != digest(DEFAULT_RLIMIT + 1, "lemma")
    assert "z3-solver" in PACKAGES and len(tool()) == 64
    assert Prover().rlimit == DEFAULT_RLIMIT


def test_lemmas_of_a_second_solver_are_not_those_of_the_first_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitwuzla, "version", lambda name: "1")
    one = Prover(second=True).solvers
    monkeypatch.setattr(bitwuzla, "version", lambda name: "2")
    assert len({Prover().solvers, one, Prover(second=True).solvers}) == 3


@needs_bitwuzla
def test_a_second_solver_agrees_or_raises() -> None:
    a, b = z3.BitVecs("a b", 8)
    second.confirm("commutativity", [a * b != b * a])
    with pytest.raises(second.Disagreement):
        second.confirm("idempotence", [a * a != a])


@needs_bitwuzla
def test_a_second_solver_decides_what_the_first_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = z3.BitVecs("a b", 16)
    square = (a * a) & 2 == 0, [z3.ULT(b, a)]
    with pytest.raises(Undecided):
        prove("a square is 0 or 1 modulo 4", *square, rlimit=10)
    monkeypatch.setenv("PROOFS_SOLVER", "bitwuzla")
    before = second.second.alone
    with pytest.raises(NotProved, match="refuted by the second solver"):
        prove("any product is 1", a * b == 1, [z3.ULT(a, 200), z3.ULT(b, 200)], rlimit=10)
    prove("a square is 0 or 1 modulo 4", *square, rlimit=10)
    assert second.second.alone == before + 2


@needs_bitwuzla
def test_a_second_solver_has_a_limit() -> None:
    a, b = z3.BitVecs("a b", 64)
    factors = [z3.UGT(a, 1), z3.UGT(b, 1), z3.ULT(a, 1 << 32), z3.ULT(b, 1 << 32), a * b == (1 << 61) - 1]
    assert bitwuzla.answer(factors, 100) == "unknown"
