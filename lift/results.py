"""What a run makes: texts and numbers, and how they are written, all files whole or not at all."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from act.taidl import parse
from lift.diff.completeness import comparison
from lift.diff.files import read
from lift.files import write_text
from lift.options import Options

STAGES = ("read", "discover", "execute", "extract", "passes", "prove", "assemble")


@dataclass(frozen=True, slots=True)
class Results:
    """`taidl` and `report` are texts, empty when nothing was lifted; `counts` are numbers for --json but for the seconds; `shortcomings`: what was
    done in part only, one line each; `ir`: path below the folder of --emit-ir -> text, empty if it was not asked for."""

    taidl: str
    report: str
    counts: dict[str, int | float]
    shortcomings: tuple[str, ...]
    ir: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Part:
    """What was made of one unit of a design, or of all of it; no `results` where the unit could not be lifted, and the `problem`."""

    unit: str
    results: Results | None
    problem: str = ""


def compared(taidl: str, model: Path) -> str:
    """What `model` lacks, or has beyond the instruction set.  Raises UserError for a file that is none."""
    return comparison(parse(taidl), read(model, verified=True), model.as_posix())


def write(results: Results, options: Options, seconds: dict[str, float]) -> dict[str, int | float]:
    """Writes what `options` ask for; what --json says, in which a stage that there was no need for took no time."""
    numbers = {f"{stage}_s": round(seconds.get(stage, 0.0), 3) for stage in (*STAGES, *seconds)} | results.counts
    if options.emit_ir is not None:
        for path, text in results.ir.items():
            write_text(options.emit_ir / path, text)
    if results.taidl:
        write_text(options.output, results.taidl)
    if options.report is not None and results.report:
        write_text(options.report / "report.txt", results.report)
    if options.report is not None and options.compare is not None and results.taidl:
        write_text(options.report / "compare.txt", compared(results.taidl, options.compare))
    if options.json is not None:
        write_text(options.json, json.dumps(numbers, indent=2) + "\n")
    return numbers
