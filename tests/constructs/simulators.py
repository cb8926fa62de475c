"""Cases to the traces that Icarus Verilog and Verilator compute; each compiles all of them at once."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.constructs import bench
from tests.constructs.bench import Case, Trace

TIMEOUT = 300
_ICARUS = """module drive;
  reg clock; reg [{inputs}:0] rows [0:{last}]; reg [{inputs}:0] in; wire [{outputs}:0] out; integer cycle;
  bench bench(clock, in, out);
  initial begin
    $readmemb("rows.bits", rows); clock = 0;
    for (cycle = 0; cycle <= {last}; cycle = cycle + 1) begin
      in = rows[cycle]; #2 $display("%b", out); clock = 1; #2 clock = 0; #2;
    end
  end
endmodule
"""
# Verilator gives vectors of more than 64 bits as arrays of 32-bit words, and shorter ones as numbers: the bench is padded beyond that.
_VERILATOR = """#include "Vpadded.h"
#include "verilated.h"
#include <cstdio>
#include <fstream>
#include <string>
double sc_time_stamp() {{ return 0; }}
int main() {{
  Vpadded top;
  std::ifstream rows("rows.bits");
  top.clock = 0; top.eval();
  for (std::string row; rows >> row;) {{
    for (int k = 0; k < {inputs}; k++) {{
      if (k % 32 == 0) top.in[k / 32] = 0;
      top.in[k / 32] |= (row[{inputs} - 1 - k] - '0' + 0u) << k % 32;
    }}
    top.eval();
    for (int k = {outputs}; k--;) putchar('0' + (top.out[k / 32] >> k % 32 & 1));
    putchar('\\n');
    top.clock = 1; top.eval(); top.clock = 0; top.eval();
  }}
}}
"""
_PADDED = "module padded(input clock, input [{i}+70:0] in, output [{o}+70:0] out);\n  bench bench(clock, in[{i}:0], out[{o}:0]);\nendmodule\n"


class ToolError(Exception):
    """A tool that does not take its input, with what it printed."""


def icarus(cases: Sequence[Case], sources: Sequence[Path], folder: Path) -> dict[str, Trace]:
    """Four-valued traces."""
    inputs, outputs = bench.widths(cases)
    _write(cases, folder)
    (folder / "drive.v").write_text(_ICARUS.format(inputs=inputs - 1, outputs=outputs - 1, last=len(cases[0].rows) - 1))
    files = ["bench.v", "drive.v", *map(str, sources)]
    _run(["iverilog", "-g2005", "-s", "drive", "-o", "drive.vvp", *files], folder)
    return bench.unpacked(cases, _run(["vvp", "-n", "drive.vvp"], folder).split())


def verilator(cases: Sequence[Case], sources: Sequence[Path], folder: Path) -> dict[str, Trace]:
    """Two-valued traces; what is undefined has some value."""
    inputs, outputs = bench.widths(cases)
    _write(cases, folder)
    (folder / "padded.v").write_text(_PADDED.format(i=inputs - 1, o=outputs - 1))
    (folder / "main.cpp").write_text(_VERILATOR.format(inputs=inputs, outputs=outputs))
    files = ["padded.v", "bench.v", *map(str, sources), "main.cpp"]
    options = ["--cc", "--exe", "--build", "-Wno-fatal", "-Wno-lint", "-Wno-style", "-O1", "--top-module", "padded", "--default-language", "1364-2005"]
    _run(["verilator", *options, "-CFLAGS", "-O0", "-MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0", *files], folder)
    return bench.unpacked(cases, _run(["obj_dir/Vpadded"], folder).split())


def _write(cases: Sequence[Case], folder: Path) -> None:
    (folder / "bench.v").write_text(bench.text(cases))
    (folder / "rows.bits").write_text("\n".join(bench.packed(cases)) + "\n")


def _run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise ToolError(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout
