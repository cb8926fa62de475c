"""isas/generated is what lift makes of the RTL in the tree, byte for byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def test_generated_instruction_sets_are_up_to_date() -> None:
    outcome = subprocess.run([sys.executable, "scripts/regenerate.py", "--check"], cwd=REPOSITORY, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
