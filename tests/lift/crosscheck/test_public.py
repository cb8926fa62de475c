"""Public RTL, unpacked in the folder TENSORLIFT_REAL_RTL: every definition agrees with yosys, or is tested where yosys does not read it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lift.crosscheck import Given, compare_definitions
from lift.verilog import read
from tests.lift.crosscheck.small import needs_icarus, needs_yosys

FOLDER = os.environ.get("TENSORLIFT_REAL_RTL")
pytestmark = [
    needs_yosys,
    needs_icarus,
    pytest.mark.slow,
    pytest.mark.skipif(FOLDER is None, reason="TENSORLIFT_REAL_RTL is not set: public RTL is not read"),
]

TOPS = [("chipyard", "PE"), ("chipyard", "LoadController"), ("chipyard", "StoreController"), ("chipyard", "MeshWithDelays"), ("vta", "Core")]


@pytest.mark.parametrize(("design", "top"), TOPS, ids=[f"{design}-{top}" for design, top in TOPS])
def test_every_definition_is_proved_or_tested(design: str, top: str) -> None:
    found = list(compare_definitions(read([Path(str(FOLDER)) / design], top), Given()))
    assert found
    assert [v for v in found if v.status not in ("agreed", "tested")] == []
    assert sum(v.status == "tested" for v in found) <= len(found) // 20
