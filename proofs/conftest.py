"""Every test gets what it takes to record its claims; what it recorded, its time and the solver's resource units go with its report."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import pytest

from proofs import second, solve
from proofs.recording import Claims


@pytest.fixture
def recorder(record_property) -> Iterator[Claims]:
    claims = Claims()
    yield claims
    record_property("claims", claims.made)


@pytest.fixture(autouse=True)
def _resources(record_property, request: pytest.FixtureRequest) -> Iterator[None]:
    before, queries, start = solve.count.rlimit, solve.count.queries, perf_counter()
    agreed, unknown = second.second.agreed, second.second.unknown
    yield
    parameters = getattr(request.node, "callspec", None)
    record_property("parameters", {} if parameters is None else {k: v for k, v in parameters.params.items() if isinstance(v, (int, str))})
    record_property("seconds", round(perf_counter() - start, 3))
    record_property("rlimit", solve.count.rlimit - before)
    record_property("queries", solve.count.queries - queries)
    if second.is_asked():
        record_property("second", {"agreed": second.second.agreed - agreed, "unknown": second.second.unknown - unknown})
