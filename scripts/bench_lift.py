"""How long lifting takes, stage by stage: medians over several runs of `tensorlift` on every design in the tree; and how much shorter the passes
make the functions of single modules, beside the published figures (public RTL as well, where TENSORLIFT_REAL_RTL names a folder of it)."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import reduction
from benchmark import Figures, medians, report, timed, tool
from regenerate import DESIGNS


def lift_once(folder: str, top: str) -> Figures:
    with tempfile.TemporaryDirectory() as scratch:
        statistics = Path(scratch) / "statistics.json"
        written = ["-o", str(Path(scratch) / "design.taidl"), "--json", str(statistics)]
        return timed([tool("tensorlift"), folder, "--top", top, *written, "--allow-partial", "--no-cache"], statistics)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-prove", action="store_true", help="in the second table, test changes on random values")
    parser.add_argument("--only", choices=("stages", "reduction"))
    options = parser.parse_args()
    if options.only != "reduction":
        stages(options.runs)
    if options.only != "stages":
        report("reduction", reduction.rows(not options.no_prove), 1)


def stages(runs: int) -> None:
    rows = {folder: medians([lift_once(folder, top) for _ in range(runs)]) for folder, top in DESIGNS.items()}
    report("lift", rows, runs)


if __name__ == "__main__":
    main()
