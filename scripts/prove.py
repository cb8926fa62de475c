"""The proofs, run anew: build/proofs.json with every claim, a summary by step, and the paper's table of proofs with ours beside it.

Everything after `--` goes to pytest: `scripts/prove.py -- -m "not slow" -k mvin`.  `--stage` keeps to the files that have tests of some stages.  Exit status:
0 everything stands, 1 something does not or is unknown, or nothing was selected, 2 usage.
"""

from __future__ import annotations

import argparse
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

from lift.prove import bitwuzla  # noqa: E402
from proofs.claims import LIFTED, OVERLAP, RTL, STATED, Claim, claims_of, counts, files_of, second_solver, summary  # noqa: E402
from proofs.versions import versions  # noqa: E402

GOOD = ("proved", "tested", "can fail")
STAGES = {"1": RTL, "2": LIFTED, "3": STATED}
# The rows of Table 4 of the paper: accelerator, target, method, scope; which of our claims about that accelerator are about the same; and their sizes where
# the claims do not say them.
PAPER = [
    ("Gemmini", "PE MAC semantics", "Z3 bitvector", "All 2^60 inputs", lambda c: "test_pe" in c["test"], "any"),
    ("Gemmini", "WS dataflow mux", "Z3 SMT", "Control specialization", lambda c: "multiplexer" in c["test"] or "reads_the_mode" in c["test"], "any"),
    ("Gemmini", "DMA copy semantics", "Z3 + arrays", "All addresses/values", lambda c: str(c.get("instruction", "")).startswith("mv"), "any"),
    ("Gemmini", "(assembly: not proved)", "-", "-", lambda c: c["stage"] == STATED and "test_specification" in c["test"], "any"),
    ("Gemmini", "(composition: not proved)", "-", "-", lambda c: "test_composites" in c["test"] or c["stage"] == OVERLAP, "any"),
    ("Gemmini", "(RTL reading: by construction)", "-", "-", lambda c: c["stage"] == RTL, "any"),
    ("VTA", "13 datapath targets", "Z3 bitvector", "4 modules", lambda c: c["stage"] == LIFTED, "blocks of 4"),
    ("VTA", "(assembly: not proved)", "-", "-", lambda c: c["stage"] == STATED, "blocks of 4"),
    ("VTA", "(composition: not proved)", "-", "-", lambda c: c["stage"] == OVERLAP, "any"),
    ("VTA", "(RTL reading: by construction)", "-", "-", lambda c: c["stage"] == RTL, "blocks of 4, 16"),
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
    for accelerator, target, method, scope, belongs, unsaid in PAPER:
        ours = [c for c in claims if c["design"] == accelerator.lower() and belongs(c) and c["kind"] != "can fail"]
        found, sizes = counts(ours), sorted({c["dim"] for c in ours if c.get("dim")})
        size = ", ".join(f"{d}x{d}" for d in sizes) or unsaid
        table.add_row(accelerator, target, method, scope, str(found.get("proved", 0)), str(found.get("tested", 0)), size if ours else "-")
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
    parser.add_argument(
        "--stage", action="append", choices=sorted(STAGES), help="only files with tests of this stage: 1 RTL, 2 passes, 3 text (may be repeated)"
    )
    parser.add_argument(
        "--solver",
        choices=("z3", "bitwuzla"),
        default="z3",
        help="bitwuzla (its package must be installed): is asked what Z3 proves, and what it does not decide",
    )
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("pytest", nargs="*", help="arguments for pytest, after --")
    given = parser.parse_args()
    names = sorted({name for s in given.stage or () for name in files_of(STAGES[s])})
    files = [str(ROOT / "proofs" / f"{name}.py") for name in names] or [str(ROOT / "proofs")]
    workers = ["-n", str(given.jobs), "--dist", "loadfile"] if given.jobs > 1 else []
    if given.solver == "bitwuzla":
        if not bitwuzla.is_installed():
            parser.error("--solver bitwuzla needs the package bitwuzla: pip install -e '.[bitwuzla]'")
        os.environ["PROOFS_SOLVER"] = given.solver
    gatherer, start = Gatherer(), time.perf_counter()
    status = pytest.main([*files, "-q", f"--rootdir={ROOT}", *workers, *given.pytest], plugins=[gatherer])
    given.output.parent.mkdir(parents=True, exist_ok=True)
    data = written(gatherer.claims, time.perf_counter() - start, int(status))
    given.output.write_text(json.dumps(data, indent=1) + "\n")
    console = Console(width=160)
    console.print(step_table(gatherer.claims))
    console.print(paper_table(gatherer.claims))
    console.print(f"{', '.join(f'{n} {r}' for r, n in data['results'].items())}; {data['seconds']} s; {given.output}")
    if asked := second_solver(gatherer.claims):
        console.print(f"{given.solver}: {', '.join(f'{n} {what}' for what, n in asked.items())}")
    doubtful = [c for c in gatherer.claims if c["result"] not in (*GOOD, "not run")]
    for claim in doubtful:
        console.print(f"{claim['result']}: {claim['test']}", markup=False)
        if shown := claim.get("counterexample"):
            console.print(f"{shown['table']}\n{shown['verdict']}{': ' if shown['why'] else ''}{shown['why']}", markup=False, highlight=False)
    return 1 if doubtful or status else 0


if __name__ == "__main__":
    sys.exit(main())
