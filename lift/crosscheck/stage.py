"""The cross-check as a stage of a run: what to check comes from its options, what was found goes to the folder of --report and to --json."""

from __future__ import annotations

import json
from collections.abc import Callable

from lift.crosscheck import Given, check_lift, check_reading
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


def reading_checked(netlist: Netlist, options: Options, progress: Callable[[str], None]) -> Report:
    """The report on the reading of the RTL, which needs no lift.  Raises Disagreement and UserError as `lift_checked`."""
    return _judged(check_reading(netlist, _given(options), progress), options)


def lift_checked(reading: Report, netlist: Netlist, functions: Lift, options: Options, progress: Callable[[str], None]) -> Report:
    """The report on the reading with what there is to say of the lift, written as text when asked for.  Raises Disagreement, after the numbers
    are written, and UserError when yosys is missing."""
    return _judged(reading + check_lift(netlist, functions, _given(options), progress), options)


def _given(options: Options) -> Given:
    return Given(options.parameters, options.defines, collect(options.paths, options.file_lists).include)


def _judged(report: Report, options: Options) -> Report:
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
