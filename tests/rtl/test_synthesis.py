"""Every module of rtl/gemmini and rtl/vta is synthesisable: yosys reads and checks it without a warning and infers no latch."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from model_build import REPOSITORY

SOURCES = sorted(path for design in ("gemmini", "vta") for path in (REPOSITORY / "rtl" / design).glob("*.v"))
SMALL = {"DIM": 4, "BLOCK_IN": 4, "BLOCK_OUT": 4}
COMPLAINT = re.compile(r"^.*(?:Warning|ERROR|Latch inferred).*$", re.MULTILINE)

pytestmark = pytest.mark.skipif(shutil.which("yosys") is None, reason="yosys is not installed")


def complaints(source: Path, folder: Path) -> list[str]:
    """What yosys says against the module of a file, elaborated small where it has such parameters."""
    text = source.read_text()
    size = "".join(f"chparam -set {name} {value} {source.stem}; " for name, value in SMALL.items() if f"parameter {name} =" in text)
    script = (f"read_verilog {source}; {size}hierarchy -check -libdir {folder} -top {source.stem}; "
              "proc; check -assert -initdrv")
    result = subprocess.run(["yosys", "-p", script], capture_output=True, text=True)
    found = COMPLAINT.findall(result.stdout + result.stderr)
    return found if found or result.returncode == 0 else [f"exit status {result.returncode}"]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_yosys_accepts(source: Path) -> None:
    assert complaints(source, source.parent) == []


@pytest.mark.parametrize(("name", "body"), [
    ("latch", "reg q; always @* if (a) q = b; assign y = q;"),
    ("drivers", "assign y = a; assign y = b;"),
    ("loop", "wire x; assign x = y & a; assign y = x | b;"),
    ("width", "wire [3:0] w; sub s (.i(w)); assign w = {4{a}}; assign y = b;"),
])
def test_the_check_finds(name: str, body: str, tmp_path: Path) -> None:
    source = tmp_path / f"{name}.v"
    source.write_text(f"module {name} (input a, input b, output y); {body} endmodule\n"
                      "module sub (input [1:0] i); endmodule\n")
    assert complaints(source, tmp_path)
