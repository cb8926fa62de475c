"""`scripts/demo.py` from the RTL to a result that the oracle and the same RTL agree on."""

from __future__ import annotations

import subprocess
import sys

from tests.end_to_end.rtl import ROOT, needs_rtl


@needs_rtl
def test_the_demo_ends_with_equal_results_on_the_oracle_and_on_the_rtl() -> None:
    done = subprocess.run([sys.executable, "scripts/demo.py"], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    results = done.stdout.split("\nResults after ")[1]
    for where in ("oracle", "rtl/sim/gemmini"):
        assert f"{where}: equals the HLO reference in all " in results
