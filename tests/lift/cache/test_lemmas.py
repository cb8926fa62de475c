"""Lemmas of earlier runs: proved ones are not proved again, nothing else is believed."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from lift.cache import Store
from lift.cache.functions import kept
from lift.cache.lemmas import RememberingProver
from lift.functions import TimedProver
from lift.passes import PassReport
from lift.passes.reuse import Lifted
from lift.prove.cone import Cone
from lift.prove.lemmas import Lemma
from lift.unroll import terms
from lift.unroll.function import UpdateFunction


def total(wrong: bool = False, bits: int = 8) -> tuple[SSAValue, SSAValue]:
    """a + b and (a ^ b) + 2 (a & b), or a ^ b alone."""
    a, b = test.TestOp(result_types=[IntegerType(bits)] * 2).results
    different, both = arith.XOrIOp(a, b).result, arith.AndIOp(a, b).result
    carried = arith.AddiOp(different, arith.AddiOp(both, both).result).result
    return arith.AddiOp(a, b).result, different if wrong else carried


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[Cone]:
    """What the solver is asked."""
    asked: list[Cone] = []
    verdict = TimedProver._verdict

    def noted(self: TimedProver, both: Cone) -> Lemma:
        asked.append(both)
        return verdict(self, both)

    monkeypatch.setattr(TimedProver, "_verdict", noted)
    return asked


def test_what_was_proved_is_not_proved_again(store: Store, solved: list[Cone]) -> None:
    for _ in range(2):
        assert RememberingProver(store).equal(*total())[0].verdict == "proved"
    assert len(solved) == 1


def test_what_was_refuted_is_refuted_again_with_its_counterexample(store: Store, solved: list[Cone]) -> None:
    for _ in range(2):
        lemma = RememberingProver(store).equal(*total(wrong=True))[0]
        assert lemma.verdict == "refuted" and lemma.counterexample is not None
    assert len(solved) == 2


def test_what_could_not_be_decided_is_not_taken_for_proved(store: Store, solved: list[Cone]) -> None:
    weak = RememberingProver(store)
    weak.rlimit = 1
    assert weak.equal(*total(bits=64))[0].verdict == "unknown"
    again = RememberingProver(store)
    again.rlimit = 1
    assert again.equal(*total(bits=64))[0].verdict == "unknown"
    assert len(solved) == 2


def test_a_proof_under_one_limit_is_none_under_another(store: Store, solved: list[Cone]) -> None:
    RememberingProver(store).equal(*total())
    other = RememberingProver(store)
    other.rlimit += 1
    other.equal(*total())
    assert len(solved) == 2


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: data[:-1] + bytes([data[-1] ^ 1]), lambda data: bytes([data[0] ^ 1]) + data[1:]])
def test_a_record_that_was_spoilt_is_none(store: Store, solved: list[Cone], spoil: object) -> None:
    prover = RememberingProver(store)
    prover.equal(*total())
    prover.path.write_bytes(spoil(prover.path.read_bytes()))  # type: ignore[operator]
    assert RememberingProver(store).known == set()


def test_a_function_of_which_something_was_not_decided_is_not_kept(store: Store) -> None:
    from xdsl.dialects.builtin import ModuleOp

    function = UpdateFunction("unit", "run", "r", (), (), terms.const(0, 8))
    for unknown in (1, 0):
        kept(store, True).keep(function, Lifted(ModuleOp([]), (PassReport("a1", "run", 3, unknown, 0, 1, 0.0),), 1))
        assert any(p.is_file() for p in store.directory.rglob("*")) == (unknown == 0)
