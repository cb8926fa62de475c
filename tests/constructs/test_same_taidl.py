"""The instruction set does not depend on the reader: both give the same TAIDL, byte for byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

RTL = Path(__file__).parents[2] / "rtl" / "gemmini"


def lifted(reader: str, folder: Path) -> bytes:
    """What tensorlift writes for the smallest array."""
    file = folder / f"{reader}.taidl"
    options = ["--top", "Gemmini", "-P", "DIM=4", "--frontend", reader, "--no-prove", "--allow-partial", "-o", str(file)]
    subprocess.run([Path(sys.executable).with_name("tensorlift"), RTL, *options], check=True, capture_output=True, timeout=300)
    return file.read_bytes()


def test_both_readers_lift_the_rtl_to_the_same_bytes(tmp_path: Path) -> None:
    assert lifted("pyverilog", tmp_path) == lifted("slang", tmp_path)
