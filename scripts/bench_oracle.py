"""How many instructions a second the oracle executes: a blocked matrix product on the hand-written 16x16 machine.

python scripts/bench_oracle.py [BLOCKS] [--profile]     BLOCKS x BLOCKS x BLOCKS tiles of 16 x 16, 8 by default
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from act.oracle import Executor, Machine
from act.taidl import load
from act.taidl.encode import Issue, expand

SPEC = Path(__file__).parents[1] / "isas" / "reference" / "systolic16.taidl"
TILE = 16
RESULT = 1 << 18
"""Where the result goes; the operands lie before it."""


def commands(machine: Machine, blocks: int) -> Iterator[Issue]:
    """Operands in, products of tiles, results out as 32 bits."""
    size, isa = blocks * TILE, machine.accelerator
    yield "config_ld", {"stride": size, "shrink": 0, "block_stride": TILE, "bank": 0}
    yield "config_ex", {"activation": 0, "a_stride": 1, "c_stride": 1}
    yield "config_st", {"stride": 4 * size, "activation": 0}
    for which in (0, 1):
        for i in range(blocks):
            for j in range(blocks):
                row = (which * blocks * blocks + i * blocks + j) * TILE
                yield "mvin", {"rows": TILE, "cols": TILE, "addr": 64 + which * size * size + i * TILE * size + j * TILE, "row": row}
    for i in range(blocks):
        for j in range(blocks):
            for k in range(blocks):
                a, b = (i * blocks + k) * TILE, (blocks * blocks + k * blocks + j) * TILE
                yield from expand(isa, "matmul_accumulate" if k else "matmul", {"m": TILE, "k": TILE, "n": TILE, "a": a, "b": b, "c": 0})
            yield "mvout_acc_full", {"rows": TILE, "cols": TILE, "addr": RESULT + 4 * (i * TILE * size + j * TILE), "row": 0}


def main() -> None:
    numbers = [int(each) for each in sys.argv[1:] if each.isdigit()]
    blocks = numbers[0] if numbers else 8
    size = blocks * TILE
    machine = Machine(load(SPEC.read_text(), str(SPEC)))
    memory = np.random.default_rng(0).integers(0, 256, RESULT + 4 * size * size, dtype=np.uint8)
    machine.attach({"dram": memory})
    stream = list(commands(machine, blocks))
    profile = cProfile.Profile() if "--profile" in sys.argv else None
    start = time.process_time()
    if profile:
        profile.enable()
    Executor(machine).execute(stream)
    elapsed = time.process_time() - start
    if profile:
        profile.disable()
        pstats.Stats(profile).sort_stats("tottime").print_stats(18)
    a, b = (memory[64 + which * size * size :][: size * size].view(np.int8).reshape(size, size).astype(np.int32) for which in (0, 1))
    assert np.array_equal(memory[RESULT:].view(np.int32).reshape(size, size), a @ b)
    print(f"{len(stream)} instructions in {elapsed:.3f} s of processor time: {len(stream) / elapsed:,.0f} a second")


if __name__ == "__main__":
    main()
