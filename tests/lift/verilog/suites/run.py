"""The files of a suite to a verdict each: agreed, refused with a reason, not comparable, or wrong."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyslang
from pyslang.syntax import SyntaxKind, SyntaxTree

from lift.errors import UserError
from lift.verilog import read
from lift.verilog.needed import read_text

from . import bench
from .design_only import without_test_bench
from .self_check import holds

QUICK = (
    (bench.run_icarus, True),
    (bench.run_old_icarus, True),
    (bench.run_icarus, False),
    (bench.run_yosys, False),
)
ALL = (*QUICK, (bench.run_verilator, True))
Trials = Sequence[tuple[Callable[[bench.Plan, list[Path], Path], list[list[str]]], bool]]  # simulator, whether inner names are observed
AGREED, REFUSED, UNCOMPARED, WRONG = "agreed", "refused", "not comparable", "wrong"


@dataclass(frozen=True, slots=True)
class Verdict:
    """About one module of a file; `bits` is the number of bits compared."""

    file: str
    module: str
    status: str
    reason: str = ""
    bits: int = 0


def judge_file(path: Path, trials: Trials = ALL) -> list[Verdict]:
    """A verdict for each module of the file; a module that only drives others is left out when these are judged."""
    names = _modules(path)
    with tempfile.TemporaryDirectory() as folder:
        verdicts = [judge(path, path, name, Path(folder), trials) for name in names]
        if all(v.status == REFUSED for v in verdicts):
            stripped = without_test_bench(path, Path(folder))
            if stripped is not None:
                verdicts = [judge(path, stripped, name, Path(folder), trials) for name in names]
    judged = [v for v in verdicts if v.status != REFUSED or not _is_test_bench(v.reason)]
    return judged or verdicts


def _modules(path: Path) -> list[str]:
    """The names of the modules of the file, macros expanded."""
    tree = SyntaxTree.fromFile(str(path), pyslang.SourceManager())
    members = tree.root.members if tree.root.kind == SyntaxKind.CompilationUnit else [tree.root]
    return list(dict.fromkeys(m.header.name.valueText for m in members if m.kind == SyntaxKind.ModuleDeclaration))


def _is_test_bench(reason: str) -> bool:
    return "a delay or event control" in reason or "without a sensitivity list" in reason


def judge(path: Path, source: Path, top: str, folder: Path, trials: Trials = ALL) -> Verdict:
    """`source` is `path`, perhaps without its test bench."""
    try:
        netlist = read([source], top)
    except UserError as error:
        return Verdict(path.name, top, REFUSED, re.sub(r"^.*?: (?=error: )", "", str(error).splitlines()[0]))
    text = b" ".join(d.text for d in read_text(source).declarations() if d.name == top).decode("latin-1")
    asserted = holds(netlist, source.read_text(errors="replace"))
    if asserted is not None:
        return Verdict(path.name, top, AGREED if asserted else WRONG, "its own assertions", int(asserted))
    reason = ""
    for run, inner in trials:
        plan = bench.plan(netlist, text, inner=inner)
        if not plan.observed and not plan.registers:
            reason = reason or "nothing to observe"
            continue
        try:
            found = bench.compare(plan, run(plan, [source], folder))
        except subprocess.SubprocessError as error:
            reason = reason or _first_line(error)
            continue
        if found.wrong:
            return Verdict(path.name, top, WRONG, found.wrong[0], found.compared)
        if found.compared:
            return Verdict(path.name, top, AGREED, "", found.compared)
        reason = reason or "the simulator knows no value"
    return Verdict(path.name, top, UNCOMPARED, reason)


def _first_line(error: subprocess.SubprocessError) -> str:
    if not isinstance(error, subprocess.CalledProcessError):
        return "time-out"
    text = error.stderr if isinstance(error.stderr, str) else (error.stderr or b"").decode(errors="replace")
    return next((line for line in text.splitlines() if "error" in line.lower()), "the simulator refuses it")[:160]
