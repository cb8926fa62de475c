"""The instruction set that lift wrote for the RTL in the tree, and what the simulator calls its memories."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from act.taidl import Accelerator, parse
from tests.end_to_end.rtl import ROOT

GENERATED = Path(os.environ.get("END_TO_END_ISA", ROOT / "isas/generated/gemmini.taidl"))
"""Another file, such as one lifted with another DIM, by the environment variable."""
REFERENCE = ROOT / "isas/reference/systolic16.taidl"
ROWS = {"spad.bin": 16384, "acc.bin": 1024}
"""Files of the simulator and the rows of the local memories that are in them."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """`host` is the host memory's buffer, `local` the buffers that the simulator loads and dumps, by the names of its files."""

    accelerator: Accelerator
    host: str
    local: dict[str, str]
    dim: int


@cache
def hardware(text: str) -> Hardware:
    accelerator = parse(text)
    (host,) = [name for name, buffer in accelerator.buffers.items() if buffer.hbm]
    local = {}
    for file, rows in ROWS.items():
        (local[file],) = [name for name, buffer in accelerator.buffers.items() if buffer.access == (rows,) and len(buffer.unit) == 1]
    return Hardware(accelerator, host, local, accelerator.buffers[local["spad.bin"]].unit[0])
