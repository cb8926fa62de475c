"""The proofs, run anew: build/proofs.json with every claim, a summary by step, and the paper's table of proofs with ours beside it.

Everything after `--` goes to pytest: `scripts/prove.py -- -m "not slow" -k mvin`.  `--stage` keeps to some stages.  Exit status: 0 everything stands, 1
something does not or is unknown, or nothing was selected, 2 usage.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from proofs.claims import Claim, claims_of, counts, summary  # noqa: E402
from proofs.versions import versions  # noqa: E402

GOOD = ("proved", "tested", "can fail")
STAGES = {
    "1": ["test_definitions.py", "test_yosys.py", "test_rest.py"],
    "2": ["test_passes.py", "test_pe.py"],
    "3": [
        "test_specification.py", "test_composites.py", "test_addresses.py", "test_compute.py", "test_configuration.py", "test_controllers.py",
        "test_overlap.py", "test_vta.py",
    ],
}  # fmt: skip
# The rows of Table 4 of the paper: accelerator, target, method, scope; and which of our claims are about the same.
PAPER = [
    ("Gemmini", "PE MAC semantics", "Z3 bitvector", "All 2^60 inputs", lambda c: "test_pe" in c["test"]),
    ("Gemmini", "WS dataflow mux", "Z3 SMT", "Control specialization", lambda c: "multiplexer" in c["test"] or "reads_the_mode" in c["test"]),
    ("Gemmini", "DMA copy semantics", "Z3 + arrays", "All addresses/values", lambda c: str(c.get("instruction", "")).startswith("mv")),
    ("Gemmini", "(assembly: not proved)", "-", "-", lambda c: c["stage"] == "3 specification" and "test_specification" in c["test"]),
    ("Gemmini", "(composition: not proved)", "-", "-", lambda c: "test_composites" in c["test"] or c["stage"] == "overlap"),
    ("Gemmini", "(RTL reading: by construction)", "-", "-", lambda c: c["stage"] == "1 RTL"),
    ("VTA", "13 datapath targets", "Z3 bitvector", "4 modules", lambda c: c["design"] == "vta" and c["stage"] == "2 passes"),
    ("VTA", "(encodings: not proved)", "-", "-", lambda c: c["design"] == "vta" and c["stage"] == "3 specification"),
]


class Gatherer:
    """A pytest plugin: the claims of every test that has run, here or in a worker."""

    def __init__(self) -> None:
        self.claims: list[Claim] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "teardown" or report.outcome != "passed":
            self._add(report)

    def _add(self, report: Any) -> None:
        known = {c["test"] for c in self.claims}
        if report.nodeid in known:
            return
        self.claims += claims_of(report.nodeid, report.outcome, self._seconds(report), dict(report.user_properties), str(report.longrepr or ""))

    @staticmethod
    def _seconds(report: Any) -> float:
        return dict(report.user_properties).get("seconds", report.duration)


def paper_table(claims: list[Claim]) -> Table:
    table = Table(title="Proofs: the paper's (Table 4), and these")
    for column in ("accelerator", "proof target", "method", "scope", "these: proved", "tested", "sizes"):
        table.add_column(column)
    for accelerator, target, method, scope, belongs in PAPER:
        ours = [c for c in claims if belongs(c) and c["kind"] != "can fail"]
        found, sizes = counts(ours), sorted({c["dim"] for c in ours if c.get("dim")})
        table.add_row(
            accelerator, target, method, scope, str(found.get("proved", 0)), str(found.get("tested", 0)), ", ".join(f"{d}x{d}" for d in sizes) or "any"
        )
    return table


def step_table(claims: list[Claim]) -> Table:
    table = Table(title="Claims by step")
    for column in ("stage", "step", "results", "seconds", "resource units"):
        table.add_column(column, justify="right" if column in ("seconds", "resource units") else "left")
    for stage, step, results, seconds, rlimit in summary(claims):
        table.add_row(stage, step, ", ".join(f"{n} {r}" for r, n in results.items()), f"{seconds:.1f}", f"{rlimit:,}")
    return table


def written(claims: list[Claim], seconds: float, status: int) -> dict[str, Any]:
    return {"format": 1, "versions": versions(), "seconds": round(seconds, 1), "status": status, "results": counts(claims), "claims": claims}


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the proofs; write every claim to a JSON file and print them by step.")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "proofs.json")
    parser.add_argument("--stage", action="append", choices=sorted(STAGES), help="only this stage (may be repeated)")
    parser.add_argument(
        "--solver", choices=("z3", "bitwuzla"), default="z3", help="bitwuzla: what Z3 proves is asked of bitwuzla too (its package must be installed)"
    )
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    given = parser.parse_args()
    files = [str(ROOT / "proofs" / f) for s in given.stage or () for f in STAGES[s] if (ROOT / "proofs" / f).exists()] or [str(ROOT / "proofs")]
    workers = ["-n", str(given.jobs), "--dist", "loadfile"] if given.jobs > 1 else []
    if given.solver == "bitwuzla":
        if importlib.util.find_spec("bitwuzla") is None:
            parser.error("--solver bitwuzla needs the package bitwuzla: pip install -e '.[bitwuzla]'")
        os.environ["PROOFS_SOLVER"] = "bitwuzla"
    gatherer, start = Gatherer(), time.perf_counter()
    status = pytest.main([*files, "-q", f"--rootdir={ROOT}", *workers, *given.pytest], plugins=[gatherer])
    given.output.parent.mkdir(parents=True, exist_ok=True)
    data = written(gatherer.claims, time.perf_counter() - start, int(status))
    given.output.write_text(json.dumps(data, indent=1) + "\n")
    console = Console(width=160)
    console.print(step_table(gatherer.claims))
    console.print(paper_table(gatherer.claims))
    console.print(f"{', '.join(f'{n} {r}' for r, n in data['results'].items())}; {data['seconds']} s; {given.output}")
    doubtful = [c for c in gatherer.claims if c["result"] not in (*GOOD, "not run")]
    for claim in doubtful:
        console.print(f"{claim['result']}: {claim['test']}", markup=False)
        if shown := claim.get("counterexample"):
            console.print(f"{shown['table']}\n{shown['verdict']}{': ' if shown['why'] else ''}{shown['why']}", markup=False, highlight=False)
    return 1 if doubtful or status else 0


if __name__ == "__main__":
    sys.exit(main())
