"""The public suites: which files they have, and their verdicts as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .run import AGREED, REFUSED, UNCOMPARED, WRONG, Verdict

ORDER = (WRONG, REFUSED, UNCOMPARED, AGREED)


@dataclass(frozen=True, slots=True)
class Suite:
    name: str
    files: tuple[Path, ...]


def suites(root: Path) -> list[Suite]:
    """Those below `root`, which holds `iverilog`, `yosys` and `sv-tests`."""
    chapters = [root / "sv-tests" / "tests" / f"chapter-{n}" for n in (10, 11, 12)]
    simple = root / "yosys" / "tests" / "simple"
    return [
        Suite("ivtest regress-synth", tuple(_regressions(root / "iverilog" / "ivtest"))),
        Suite("yosys tests/simple", tuple(sorted([*simple.glob("*.v"), *simple.glob("*.sv")]))),
        *(Suite(f"sv-tests {folder.name}", tuple(sorted(folder.rglob("*.sv")))) for folder in chapters),
    ]


def _regressions(folder: Path) -> Iterable[Path]:
    for line in (folder / "regress-synth.list").read_text().splitlines():
        words = line.split("#")[0].split()
        if len(words) >= 3:
            yield folder / words[2] / f"{words[0]}.v"


def verdict_of(modules: Iterable[str]) -> str:
    """The verdict about a file: the worst about one of its modules."""
    found = set(modules)
    return next(v for v in ORDER if v in found)


def files_by_verdict(verdicts: Sequence[Verdict]) -> Counter[str]:
    """How many files have which verdict."""
    by_file: dict[str, list[str]] = {}
    for v in verdicts:
        by_file.setdefault(v.file, []).append(v.status)
    return Counter(verdict_of(statuses) for statuses in by_file.values())


def table(results: dict[str, list[Verdict]]) -> str:
    """One line a suite: files and modules by verdict, and the number of bits compared."""
    head = ("suite", "files", *(f"{v}" for v in ORDER[::-1]), "modules", *ORDER[::-1], "bits")
    rows = [head]
    for name, verdicts in results.items():
        files, modules = files_by_verdict(verdicts), Counter(v.status for v in verdicts)
        counts = [sum(files.values()), *(files[v] for v in ORDER[::-1]), len(verdicts), *(modules[v] for v in ORDER[::-1])]
        rows.append((name, *map(str, counts), str(sum(v.bits for v in verdicts))))
    widths = [max(len(row[k]) for row in rows) for k in range(len(head))]
    return "\n".join("  ".join(f"{cell:<{w}}" if not k else f"{cell:>{w}}" for k, (cell, w) in enumerate(zip(row, widths, strict=True))) for row in rows)
