"""How long lifting takes, stage by stage: medians over several runs of `tensorlift` on every design in the tree."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

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
    runs = parser.parse_args().runs
    rows = {folder: medians([lift_once(folder, top) for _ in range(runs)]) for folder, top in DESIGNS.items()}
    report("lift", rows, runs)


if __name__ == "__main__":
    main()
