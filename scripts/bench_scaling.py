"""How lifting grows with a parameter of the RTL: seconds of each stage and peak memory of `tensorlift`, cold, for several sizes of one design."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmark import Figures, report, timed, tool
from regenerate import DESIGNS

SHOWN = ("wall_s", "read_s", "execute_s", "extract_s", "passes_s", "prove_s", "assemble_s", "peak_mb", "functions", "proved", "unknown")


def lift_once(folder: str, top: str, parameter: str, size: int, jobs: list[str], limit: float) -> Figures | None:
    """None when it takes more than `limit` seconds, or fails; the command has said why on stderr."""
    with tempfile.TemporaryDirectory() as scratch:
        statistics = Path(scratch) / "statistics.json"
        given = ["-P", f"{parameter}={size}", "-o", str(Path(scratch) / "design.taidl"), "--json", str(statistics), "--allow-partial", "--no-cache", *jobs]
        try:
            found = timed([tool("tensorlift"), folder, "--top", top, *given], statistics, limit)
        except subprocess.TimeoutExpired:
            print(f"{parameter}={size}: not done after {limit:.0f} s", file=sys.stderr)
            return None
        except subprocess.CalledProcessError as error:
            print(f"{parameter}={size}: exit status {error.returncode}", file=sys.stderr)
            return None
        return {column: found[column] for column in SHOWN if column in found}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    folder, top = next(iter(DESIGNS.items()))
    parser.add_argument("sizes", metavar="SIZE", nargs="*", type=int, default=[4, 8, 16], help="values of the parameter (default: 4 8 16)")
    parser.add_argument("--folder", default=folder)
    parser.add_argument("--top", default=top)
    parser.add_argument("--parameter", default="DIM")
    parser.add_argument("--jobs", type=int, help="processes (default: one a processor)")
    parser.add_argument("--limit", type=float, default=600, help="seconds for one size (default: 600)")
    given = parser.parse_args()
    jobs = ["--jobs", str(given.jobs)] if given.jobs else []
    found = {f"{given.parameter}={size}": lift_once(given.folder, given.top, given.parameter, size, jobs, given.limit) for size in given.sizes}
    report("scaling", {name: figures for name, figures in found.items() if figures is not None}, 1)
    return 0 if all(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
