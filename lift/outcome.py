"""What a run has come to: the files of one unit or of several, the counts, and what was done in part only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from lift.files import write_text
from lift.options import Options
from lift.progress import Progress
from lift.results import Results, write


@dataclass(frozen=True, slots=True)
class Outcome:
    """`counts` as --json says them; `shortcomings`: what was done in part only, one line each; `checked`: what a cross-check found."""

    counts: dict[str, int | float]
    shortcomings: list[str]
    checked: str = ""


def written(results: Results, options: Options, progress: Progress) -> Outcome:
    return Outcome(write(results, options, progress.seconds), list(results.shortcomings))


def together(outcomes: Mapping[str, Outcome | str], options: Options) -> Outcome:
    """The outcomes of units, or why there is none, as one."""
    total: dict[str, int | float] = {}
    checks: list[str] = []
    short = [f"{options.top} is lifted in {len(outcomes)} units; that commands reach them unchanged is assumed, and their effects are not composed"]
    for name, outcome in outcomes.items():
        if isinstance(outcome, str):
            short.append(f"{name}: {outcome}")
            continue
        short += [f"{name}: {line}" for line in outcome.shortcomings]
        checks += [f"{name}: {line}" for line in outcome.checked.splitlines()]
        for key, number in outcome.counts.items():
            total[key] = max(total.get(key, 0), number) if key == "peak_mb" or key.endswith("_s") else total.get(key, 0) + number
    if options.json is not None:
        write_text(options.json, json.dumps(total, indent=2) + "\n")
    return Outcome(total, short, "\n".join(checks))
