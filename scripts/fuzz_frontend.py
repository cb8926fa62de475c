"""Random Verilog modules without end: both readers against Icarus Verilog, Verilator and yosys.

    make fuzz-frontend SEED=7 TIME=300      as much as five minutes allow
    make fuzz-frontend SEED=7 COUNT=45      these 45 modules, again

Whatever goes wrong is written to build/fuzz, reduced where it is an expression, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import time
import types
from pathlib import Path

from rich.console import Console

ROOT = Path(__file__).parents[1]
BATCH = 45
FOLDER = ROOT / "build" / "fuzz"


def import_fuzz() -> types.ModuleType:
    """`tests` is no installed package, and one of another project may be."""
    tests = types.ModuleType("tests")
    tests.__path__ = [str(ROOT / "tests")]
    sys.modules["tests"] = tests
    return importlib.import_module("tests.constructs.fuzz")


def report(fuzz: types.ModuleType, wrong: list[str], modules: dict[str, str], console: Console) -> None:
    """Print each failure once and keep its module, reduced if that can be done."""
    for name in sorted({word for text in wrong for word in modules if f"{word}," in text or f" {word}:" in text}):
        smaller = fuzz.reduced(name, FOLDER) if "always" not in modules[name] else None
        (FOLDER / f"wrong_{name}.v").write_text(smaller or modules[name])
        console.print(f"kept {FOLDER / f'wrong_{name}.v'}", highlight=False, soft_wrap=True)
    for text in wrong:
        console.print(f"WRONG {text}", markup=False, highlight=False, soft_wrap=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=None, help="of the first batch; the next has the next number")
    parser.add_argument("--count", type=int, default=None, help="so many modules, whatever the time")
    parser.add_argument("--time", type=float, default=60, help="seconds after which no batch is begun")
    parser.add_argument("--tools", default="verilator,yosys", help="beside Icarus Verilog, which is the reference")
    options = parser.parse_args()
    fuzz, console = import_fuzz(), Console()
    FOLDER.mkdir(parents=True, exist_ok=True)
    seed = random.SystemRandom().randrange(1 << 30) if options.seed is None else options.seed
    begin, failed, left = time.monotonic(), False, options.count
    while (left is None and time.monotonic() - begin < options.time) or (left or 0) > 0:
        modules = dict(fuzz.sources(seed, min(BATCH, left or BATCH)))
        outcome = fuzz.run(modules, FOLDER, [t for t in options.tools.split(",") if t])
        counts = f"{outcome.modules} modules, {outcome.agreed} agreed by all, {outcome.refused} refusals, {len(outcome.differing)} differences of tools"
        console.print(f"SEED={seed} COUNT={len(modules)}: {counts}, {len(outcome.wrong)} wrong", highlight=False, soft_wrap=True)
        for text in outcome.differing:
            if text.startswith(fuzz.suite.READERS):
                console.print(f"Icarus Verilog stands alone: {text}", markup=False, highlight=False, soft_wrap=True)
        report(fuzz, outcome.wrong, modules, console)
        failed, seed, left = failed or bool(outcome.wrong), seed + 1, None if left is None else left - BATCH
    sys.exit(failed)


if __name__ == "__main__":
    main()
