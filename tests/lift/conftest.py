"""The lift of the accelerator at its smallest size, once for all tests of this folder."""

from __future__ import annotations

import pytest

from lift.unroll.extract import Lift
from tests.lift.lifted import RTL, lift_of


@pytest.fixture(scope="session")
def gemmini() -> Lift:
    return lift_of([RTL], "Gemmini", {"DIM": 4})
