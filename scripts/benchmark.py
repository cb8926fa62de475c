"""What the benchmarks share: run a command several times, take medians of its figures, print a table and write JSON to build/bench."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

REPOSITORY = Path(__file__).parents[1]
OUTPUT = REPOSITORY / "build" / "bench"
Figures = dict[str, float]


def tool(name: str) -> str:
    """The console command `name` of the environment that runs this script."""
    return str(Path(sys.executable).with_name(name))


def timed(command: Sequence[str], statistics: Path, limit: float | None = None) -> Figures:
    """Run `command`, which writes a flat JSON object to `statistics`: its numbers and the wall time of the whole process as `wall_s`.
    Ended, with TimeoutExpired, after `limit` seconds."""
    begin = perf_counter()
    subprocess.run(command, cwd=REPOSITORY, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=limit)
    wall = perf_counter() - begin
    numbers = {key: value for key, value in json.loads(statistics.read_text()).items() if isinstance(value, int | float)}
    return {"wall_s": wall, **numbers}


def medians(runs: Sequence[Figures]) -> Figures:
    return {key: median(run[key] for run in runs if key in run) for key in runs[0]}


def shown(value: float | None) -> str:
    match value:
        case None: return ""
        case int(): return str(value)
        case _: return f"{value:.0f}" if value == int(value) else f"{value:.3f}"


def report(name: str, rows: Mapping[str, Figures], runs: int) -> None:
    """Print one row per subject and write build/bench/<name>.json. Columns ending in `_s` are seconds."""
    columns = list(dict.fromkeys(key for figures in rows.values() for key in figures))
    table = Table(title=f"{name}: medians of {runs} runs")
    table.add_column("", no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right")
    for subject, figures in rows.items():
        table.add_row(subject, *(shown(figures.get(column)) for column in columns))
    Console(width=None if sys.stdout.isatty() else 240).print(table)
    OUTPUT.mkdir(parents=True, exist_ok=True)
    record = {"runs": runs, "python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count(), "medians": dict(rows)}
    (OUTPUT / f"{name}.json").write_text(json.dumps(record, indent=2) + "\n")
