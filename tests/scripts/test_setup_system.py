"""scripts/setup_system.sh: silent when all is there, advice when it is not, and never a failure."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import which

SCRIPT = Path(__file__).parents[2] / "scripts" / "setup_system.sh"
BASH = which("bash") or "bash"


def setup(tools: Path, *packages: str) -> subprocess.CompletedProcess[str]:
    """Run with nothing but `tools` on the path, so without apt-get."""
    return subprocess.run([BASH, SCRIPT, *packages], env={"PATH": str(tools)}, capture_output=True, text=True)


def install(tools: Path, *names: str) -> None:
    for name in names:
        (tools / name).write_text("")
        (tools / name).chmod(0o755)


def test_silent_when_nothing_is_missing(tmp_path: Path) -> None:
    install(tmp_path, "verilator", "g++")
    outcome = setup(tmp_path, "verilator", "g++")
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "", "")


def test_names_what_is_missing_and_how_to_get_it(tmp_path: Path) -> None:
    install(tmp_path, "g++")
    outcome = setup(tmp_path, "verilator", "g++", "yosys")
    assert outcome.returncode == 0
    assert "apt-get install verilator yosys" in outcome.stdout
