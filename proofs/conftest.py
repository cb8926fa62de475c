"""Every test gets what it takes to record its claims; what it recorded, its time and the solver's resource units go with its report.

A counterexample is shown as waves and replayed on Icarus Verilog when its test fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, replace
from time import perf_counter
from typing import Any

import pytest

from proofs import second, solve
from proofs.recording import Claims
from proofs.replay import explained
from proofs.workers import scope_of


@pytest.fixture
def recorder(record_property) -> Iterator[Claims]:
    claims = Claims()
    yield claims
    record_property("claims", claims.made)


@pytest.fixture(autouse=True)
def _resources(record_property, request: pytest.FixtureRequest) -> Iterator[None]:
    before, queries, start = solve.count.rlimit, solve.count.queries, perf_counter()
    asked = replace(second.second)
    yield
    parameters = getattr(request.node, "callspec", None)
    record_property("parameters", {} if parameters is None else {k: v for k, v in parameters.params.items() if isinstance(v, (int, str))})
    record_property("seconds", round(perf_counter() - start, 3))
    record_property("rlimit", solve.count.rlimit - before)
    record_property("queries", solve.count.queries - queries)
    if second.is_asked():
        before_and_after = zip(astuple(asked), astuple(second.second), strict=True)
        record_property("second", dict(zip(("agreed", "unknown", "alone"), (after - before for before, after in before_and_after), strict=True)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """The scheduler of `--dist loadfile`, with a long file divided."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling  # only there is its hook called

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope_of(nodeid)

    return Scheduling(config, log)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome: Any = yield
    error = call.excinfo.value if call.excinfo else None
    if not isinstance(error, solve.Refuted) or call.when != "call":
        return
    if error.subject is None:  # what the test is about, of its arguments
        error.subject = next((v.subject for v in getattr(item, "funcargs", {}).values() if hasattr(v, "subject")), None)
    if (replay := explained(error)) is not None:
        report = outcome.get_result()
        report.sections.append(("Counterexample", str(replay)))
        report.user_properties.append(("counterexample", {"verdict": replay.verdict, "why": replay.why, "table": replay.table}))
