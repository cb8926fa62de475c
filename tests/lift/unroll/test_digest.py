"""What is lifted from the accelerator at its smallest size stays what it is, term by term."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lift.unroll.extract import Lift
from tests.lift.unroll.digest import text


def test_the_lift_is_the_one_kept(gemmini: Lift, golden: Callable[[Path | str, str], None]) -> None:
    golden("gemmini_dim4.txt", text(gemmini))
