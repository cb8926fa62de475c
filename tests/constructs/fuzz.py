"""Random modules to disagreements between the readers and the other tools.

The reference is Icarus Verilog.  A reader that differs from it is wrong unless Verilator or yosys reads the same as the reader: then the tools differ
among themselves, which is reported and counted but no failure.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeVar

from lift.errors import UserError
from lift.netlist.model import Netlist
from lift.verilog import read
from tests.constructs import expressions, netlists, simulators, smt, statements, suite
from tests.constructs.bench import Case, Trace
from tests.constructs.expressions import Expression

CYCLES = 16
EXPRESSIONS_A_MODULE = 5
TOOLS = ("verilator", "yosys")
T = TypeVar("T")


@dataclass(slots=True)
class Outcome:
    """What a batch showed; `wrong` are failures of ours."""

    modules: int = 0
    agreed: int = 0
    refused: int = 0
    differing: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def sources(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """Names and texts of random modules, the same for the same seed; two of three are expressions, one is an always block."""
    for k in range(count):
        name = f"fuzz_{seed}_{k}"
        yield name, statements.process_module(_draw(name), name) if k % 3 == 2 else expressions.module(name, outputs(name))


def outputs(name: str) -> list[tuple[str, Expression]]:
    """Declarations and expressions of a module of `sources`; half of the modules have no undefined bits."""
    draw = _draw(name)
    defined = draw.random() < 0.5
    return [(expressions.declaration(draw), expressions.expression(draw, defined=defined)) for _ in range(EXPRESSIONS_A_MODULE)]


def reduced(name: str, folder: Path) -> str | None:
    """The smallest module found with one expression of module `name` that still goes wrong; None when no single one does."""
    for kind, e in outputs(name):
        if _goes_wrong(kind, e, folder):
            while (less := next((s for s in e.smaller() if _goes_wrong(kind, s, folder)), None)) is not None:
                e = less
            return expressions.module("fuzz_0_0", [(kind, e)])
    return None


def _goes_wrong(kind: str, e: Expression, folder: Path) -> bool:
    try:
        return bool(run({"fuzz_0_0": expressions.module("fuzz_0_0", [(kind, e)])}, folder, tools=()).wrong)
    except simulators.ToolError:
        return False


def _draw(name: str) -> Random:
    return Random(name)


def run(modules: Mapping[str, str], folder: Path, tools: Sequence[str] = TOOLS) -> Outcome:
    """Read, simulate and compare `modules` in `folder`."""
    outcome = Outcome(len(modules))
    found: dict[str, dict[str, Netlist]] = {}
    for name, text in modules.items():
        (folder / f"{name}.v").write_text(text)
        found[name] = _read(folder / f"{name}.v", name, outcome)
    cases = [Case(name, n, suite.rows(n, seed, CYCLES)) for seed, (name, read_by) in enumerate(found.items()) for n in list(read_by.values())[:1]]
    if not cases:
        return outcome
    files = [folder / f"{case.name}.v" for case in cases]
    reference = simulators.icarus(cases, files, folder)
    others = _tolerant(simulators.verilator, cases, folder) if "verilator" in tools and shutil.which("verilator") else {}
    models = _tolerant(smt.models, cases, folder) if "yosys" in tools and shutil.which("yosys") else {}
    for case in cases:
        _judge(case, found[case.name], reference[case.name], others.get(case.name), models.get(case.name), outcome)
    return outcome


def _read(file: Path, name: str, outcome: Outcome) -> dict[str, Netlist]:
    """The netlists of those readers that do not refuse."""
    read_by: dict[str, Netlist] = {}
    for reader in suite.READERS:
        try:
            read_by[reader] = read([file], name, frontend=reader)
        except UserError:
            outcome.refused += 1
        except Exception as error:  # any crash is a finding
            outcome.wrong.append(f"{reader} crashes on {name}: {error!r}\n{file.read_text()}")
    return read_by


def _tolerant(tool: Callable[[Sequence[Case], Sequence[Path], Path], dict[str, T]], cases: Sequence[Case], folder: Path) -> dict[str, T]:
    """The results of `tool` for those cases that it takes."""
    if not cases:
        return {}
    try:
        return tool(cases, [folder / f"{case.name}.v" for case in cases], folder)
    except simulators.ToolError as error:
        named = set(re.findall(r"^(?:%Error|ERROR)[^\n]*?\b(fuzz_\d+_\d+)\b", str(error), re.MULTILINE))
    if named:
        return _tolerant(tool, [case for case in cases if case.name not in named], folder)
    half = len(cases) // 2
    return _tolerant(tool, cases[:half], folder) | _tolerant(tool, cases[half:], folder) if half else {}


def _judge(case: Case, read_by: Mapping[str, Netlist], reference: Trace, other: Trace | None, model: str | None, outcome: Outcome) -> None:
    agreed = True
    for reader, netlist in read_by.items():
        trace = netlists.trace(netlist, case.rows, random_choices=2)
        differences = netlists.differences(case, reference, trace)
        if not differences:
            continue
        agreed = False
        supported = other is not None and not netlists.differences(case, _known(reference, trace), other)
        supported = supported or (model is not None and _by_yosys(case, model, _known(reference, trace)) is None)
        (outcome.differing if supported else outcome.wrong).append(f"{reader}: {differences[0]}")
    if other is not None and (differences := netlists.differences(case, reference, other)):
        agreed = False
        outcome.differing.append(f"verilator: {differences[0]}")
    if model is not None and (difference := _by_yosys(case, model, reference)):
        agreed = False
        outcome.differing.append(f"yosys: {difference}")
    outcome.agreed += agreed


def _by_yosys(case: Case, model: str, expected: Trace) -> str | None:
    """See `smt.difference`; a model that is none is a difference."""
    try:
        return smt.difference(case, model, expected)
    except simulators.ToolError as error:
        return str(error)


def _known(reference: Trace, found: Trace) -> Trace:
    """`found` where the reference is known, else unknown."""
    return [
        {name: "".join(f if r in "01" else "x" for r, f in zip(text, found[k][name], strict=True)) for name, text in digits.items()}
        for k, digits in enumerate(reference)
    ]
