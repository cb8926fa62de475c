"""The cross-check as a stage of a run: what to check comes from its options, what was found goes to the folder of --report and to --json."""

from __future__ import annotations

import json
from collections.abc import Callable

from lift.crosscheck import Given, cross_check
from lift.crosscheck.text import details
from lift.crosscheck.verdicts import Report
from lift.files import write_text
from lift.netlist.model import Netlist
from lift.options import Options
from lift.unroll.extract import Lift
from lift.verilog.sources import collect


class Disagreement(Exception):
    """The RTL means something else to another tool; `report` says what.  A bug of tensorlift, or of that tool."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"{len(report.different)} differences between tensorlift and other tools")
        self.report = report


def checked(netlist: Netlist, functions: Lift | None, options: Options, progress: Callable[[str], None]) -> Report:
    """The report, written as text when asked for.  Raises Disagreement, after the numbers are written, and UserError when yosys is missing."""
    include = collect(options.paths, options.file_lists).include
    report = cross_check(netlist, functions, Given(options.parameters, options.defines, include), progress)
    if options.report is not None:
        write_text(options.report / "crosscheck.txt", details(report))
    if report.different:
        if options.json is not None:
            write_text(options.json, json.dumps(numbers(report), indent=2) + "\n")
        raise Disagreement(report)
    return report


def numbers(report: Report) -> dict[str, int | float]:
    """As --json says them."""
    return {f"crosscheck_{name}": number for name, number in report.counts().items()}
