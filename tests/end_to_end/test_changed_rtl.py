"""An operator changed in a copy of the RTL: the instruction set lifted from the right RTL no longer describes what runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.machines import hardware
from tests.end_to_end.rtl import ROOT, needs_rtl
from tests.end_to_end.streams import compare
from tests.end_to_end.test_streams import in_turn

pytestmark = [needs_rtl, pytest.mark.slow]
DIM = 4


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The instruction set of the RTL in the tree."""
    file = tmp_path_factory.mktemp("lifted") / "gemmini.taidl"
    tensorlift = Path(sys.executable).with_name("tensorlift")
    subprocess.run([tensorlift, "rtl/gemmini", "--top", "Gemmini", "-P", f"DIM={DIM}", "-o", file, "--allow-partial"], cwd=ROOT, check=True)
    return file.read_text()


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [("MacUnit", " * ", " + "), ("LoadController", " + ", " - ")],
)
def test_a_changed_operator_is_found(lifted: str, tmp_path: Path, module: str, right: str, wrong: str) -> None:
    shutil.copytree(ROOT / "rtl", tmp_path / "rtl")
    source = tmp_path / f"rtl/gemmini/{module}.v"
    lines = source.read_text().splitlines(keepends=True)
    number = next(n for n, line in enumerate(lines) if right in line and "assign" in line)
    lines[number] = lines[number].replace(right, wrong, 1)
    source.write_text("".join(lines))
    target = hardware(lifted)
    _, differences = compare(target, in_turn(target, range(92)), 1, tmp_path / "rtl/sim/gemmini")
    assert differences
