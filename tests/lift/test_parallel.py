"""Several processes lift what one process lifts."""

from __future__ import annotations

import pytest

import lift.parallel
from lift.functions import TimedProver
from lift.parallel import lift_shapes
from lift.passes import PASSES
from lift.passes.reuse import Lifter
from lift.progress import Progress
from lift.prove.session import UnsoundPass
from lift.unroll.machine import with_deep_recursion
from tests.lift.ir import samples

FUNCTIONS = [samples.pe_step(), samples.dot_grid(2), samples.dot_grid(4), samples.copy_rows(), samples.dot_grid(4)]


@pytest.fixture(autouse=True)
def always_worthwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lift.parallel, "WORTHWHILE", 0)


def lifter() -> Lifter:
    return Lifter(tuple(kind() for kind in PASSES), TimedProver())


def test_two_processes_lift_what_one_does() -> None:
    alone, together = lifter(), lifter()
    seconds = with_deep_recursion(lambda: lift_shapes(FUNCTIONS, together, 2, Progress()))
    assert seconds is not None and seconds > 0 and len(together.seen) == len(FUNCTIONS) - 1
    for function in FUNCTIONS:
        one, other = alone.lift(function), together.lift(function)
        other.module.verify()
        assert str(one.module) == str(other.module)
        assert [(r.name, r.proved, r.unknown, r.refuted) for r in one.reports] == [(r.name, r.proved, r.unknown, r.refuted) for r in other.reports]
        assert one.operations_raw == other.operations_raw


def test_one_job_forks_nothing() -> None:
    alone = lifter()
    assert lift_shapes(FUNCTIONS, alone, 1, Progress()) is None
    assert alone.seen == {}


def test_a_failure_in_a_worker_is_a_failure_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def unsound(self: Lifter, function: object) -> None:
        raise UnsoundPass("it changed without a proof")

    monkeypatch.setattr(Lifter, "lift", unsound)
    with pytest.raises(UnsoundPass, match="without a proof"):
        with_deep_recursion(lambda: lift_shapes(FUNCTIONS, lifter(), 2, Progress()))
