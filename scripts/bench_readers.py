"""What the readers make of public suites of Verilog: modules that agree with a simulator, are refused, or are wrong, and how long big designs take."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "lift" / "verilog"))

from suites.collect import suites, table
from suites.run import AGREED, WRONG, Verdict, judge_file

from lift.errors import UserError
from lift.verilog import read

# folder below the root -> top modules that are read whole
DESIGNS = {"chipyard": ("Gemmini", "ExecuteController", "Mesh", "LoadController", "StoreController", "PE_256"), "custom": ("Gemmini",), "aurras": ("Gemmini",)}


def judge_suites(root: Path, pattern: str) -> dict[str, list[Verdict]]:
    results: dict[str, list[Verdict]] = {}
    for suite in suites(root):
        if pattern in suite.name:
            results[suite.name] = [v for file in suite.files for v in judge_file(file)]
            print(f"{suite.name}: done", file=sys.stderr)
    return results


def time_designs(root: Path) -> list[dict[str, object]]:
    """Seconds and sizes of the netlists, or the reason why there is none."""
    rows: list[dict[str, object]] = []
    for folder, tops in DESIGNS.items():
        for top in tops:
            start = time.perf_counter()
            try:
                netlist = read([root / folder], top)
            except UserError as error:
                rows.append({"design": folder, "top": top, "refused": str(error).splitlines()[0]})
                continue
            seconds = round(time.perf_counter() - start, 2)
            sizes = {"registers": len(netlist.registers), "memories": len(netlist.memories), "instances": len(netlist.modules)}
            rows.append({"design": folder, "top": top, "seconds": seconds, **sizes})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", default=os.environ.get("TENSORLIFT_REAL_RTL"), help="folder with iverilog, yosys and sv-tests")
    parser.add_argument("--suite", default="", help="only suites whose name contains this")
    parser.add_argument("--json", type=Path, help="also write the results here")
    arguments = parser.parse_args()
    if arguments.root is None:
        parser.error("name the folder, or set TENSORLIFT_REAL_RTL")
    results = judge_suites(Path(arguments.root), arguments.suite)
    designs = [] if arguments.suite else time_designs(Path(arguments.root))
    print(table(results))
    for verdict in (v for verdicts in results.values() for v in verdicts if v.status != AGREED):
        print(f"{verdict.status}: {verdict.file} {verdict.module}: {verdict.reason}")
    for row in designs:
        print("  ".join(f"{key} {value}" for key, value in row.items()))
    if arguments.json:
        arguments.json.write_text(json.dumps({"suites": {n: [asdict(v) for v in vs] for n, vs in results.items()}, "designs": designs}, indent=1) + "\n")
    return int(any(v.status == WRONG for verdicts in results.values() for v in verdicts))


if __name__ == "__main__":
    sys.exit(main())
