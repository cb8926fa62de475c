"""HLO -> program, for one accelerator: the whole compiler as a list of its stages."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

from act.backend import select
from act.backend.allocate import Allocation
from act.backend.choose import BUDGET, Choice, NoPlace, Schedule, host_memory, place
from act.backend.classes import ClassGraph
from act.backend.emit import Operation, operations, program
from act.backend.extract import Extraction
from act.backend.plan import Step
from act.backend.prove import Prover
from act.backend.replay import check
from act.backend.report import render
from act.backend.select import Kernel
from act.errors import UserError
from act.generator.model import Rules
from act.hlo.model import Module
from act.program import Program
from act.records import dataclass, field, replace
from act.taidl.model import Accelerator

__all__ = ["BUDGET", "Backend", "Choice", "Compiled", "Kernel", "Schedule", "Statistics", "compile_module", "extract", "lower", "place"]


SHORTER = 4
"""Tiles that have no room are tried again with a part of their rows."""


@dataclass(frozen=True, slots=True)
class Backend:
    """What a generated backend folder holds.  `sha256` is that of the canonical text of the ISA."""

    accelerator: Accelerator
    rules: Rules
    sha256: str

    @property
    def target(self) -> Accelerator:
        """The accelerator with what stands for instructions whose forms selection has no words for."""
        if not self.rules.derived:
            return self.accelerator
        composites = self.accelerator.composites | {each.operation.name: each for each in self.rules.derived}
        buffers = self.accelerator.buffers | {each.name: each for each in self.rules.buffers}
        return replace(self.accelerator, composites=composites, buffers=buffers)


@dataclass(slots=True)
class Statistics:
    """Seconds of each stage, and counts."""

    values: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = perf_counter()
        yield
        self.values[f"{name}_s"] = self.values.get(f"{name}_s", 0.0) + perf_counter() - start


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program, and what was found on the way to it."""

    program: Program
    graph: ClassGraph
    operations: Sequence[Operation]
    allocation: Allocation

    def report(self) -> dict[str, str]:
        """File names and texts."""
        return render(self.graph, self.operations)


def compile_module(backend: Backend, module: Module, statistics: Statistics | None = None, budget: int = BUDGET, choice: Choice | None = None) -> Compiled:
    """A program that leaves in its outputs what `module` computes from its inputs.  `UserError` when there is none, or when it was not
    found among the first `budget` needs.  `choice` says how one of several programs is chosen; by default the first is taken."""
    statistics, choice = statistics or Statistics(), choice or Choice(budget)
    with _uninterrupted():
        if not module.aliases or choice.aliases:
            return _compile(backend, module, statistics, budget, choice)
        try:
            return _compile(backend, module, statistics, budget, replace(choice, aliases=_aliases(module, True)))
        except UserError:
            if all(each.must for each in module.aliases):
                raise
            return _compile(backend, module, statistics, budget, replace(choice, aliases=_aliases(module, False)))


def _aliases(module: Module, every: bool) -> tuple[tuple[int, str], ...]:
    """Outputs with the inputs whose memory they take over, as the module says: those that must, or every one."""
    names = [each.name for each in module.main.parameters]
    return tuple((each.output, names[each.parameter]) for each in module.aliases if each.must or every)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Long chains of values are deep recursions; and little of what is made is garbage, so collecting it is most of the time lost."""
    limit, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, 100_000))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()


def _compile(backend: Backend, module: Module, statistics: Statistics, budget: int, choice: Choice) -> Compiled:
    kernel, extraction, schedule = _found(backend, module, statistics, budget, choice)
    graph, target = extraction.ways.graph, backend.target
    steps = _with_words(backend, kernel, extraction, schedule)
    with statistics.stage("prove"):
        Prover(target, kernel.live, kernel.graph, graph, kernel.rules).prove(steps)
    with statistics.stage("emit"):
        issued = operations(target, backend.rules, steps, schedule.allocation)
        if target.units:
            from act.backend.synchronise import synchronised

            issued = synchronised(target, issued, schedule.allocation.memory)
        result = program(target, backend.sha256, graph, schedule.plan, schedule.allocation, issued, schedule.inputs)
    with statistics.stage("replay"):
        check(target, graph, issued, schedule.allocation, result)
        if target.units:
            from act.backend.check_order import check_order

            check_order(target, issued, schedule.allocation.memory)
        if schedule.allocation.slots:
            from act.backend.check_words import check_words

            check_words(backend.accelerator, target, graph, issued)
    nodes = sum(len(found) for found in graph.classes.values())
    statistics.values |= {"instructions": len(result.commands), "nodes": nodes, "needs": len(extraction.expanded)}
    return Compiled(result, graph, issued, schedule.allocation)


def _with_words(backend: Backend, kernel: Kernel, extraction: Extraction, schedule: Schedule) -> Sequence[Step]:
    """The steps with those that load the words in which instructions find addresses."""
    if not any(step.match.selector.words for step in schedule.steps):
        return schedule.steps
    from act.backend.microcode import Microcode

    return Microcode(extraction.ways, host_memory(backend), schedule.plan, schedule.allocation, schedule.steps, kernel.filename).with_words()


Found = tuple[Kernel, Extraction, Schedule]


def _found(backend: Backend, module: Module, statistics: Statistics, budget: int, choice: Choice) -> Found:
    """A program by few rules, or by all."""
    try:
        return _in_tiles(backend, module, statistics, budget, choice, False)
    except UserError:
        return _in_tiles(backend, module, statistics, budget, choice, True)


def _in_tiles(backend: Backend, module: Module, statistics: Statistics, budget: int, choice: Choice, thorough: bool) -> Found:
    """With shorter tiles where those of a machine are tall and have no room."""
    rules = backend.rules
    while rules.tiles.rows > rules.tiles.columns and not choice.search:
        try:
            return _scheduled(replace(backend, rules=rules), module, statistics, budget, choice, thorough, patient=False)
        except NoPlace:
            rules = replace(rules, tiles=replace(rules.tiles, rows=max(rules.tiles.columns, rules.tiles.rows // SHORTER)))
    return _scheduled(backend, module, statistics, budget, choice, thorough)


def _scheduled(backend: Backend, module: Module, statistics: Statistics, budget: int, choice: Choice, thorough: bool = False, patient: bool = True) -> Found:
    with statistics.stage("saturate"):
        kernel = lower(backend, module, budget, thorough)
    with statistics.stage("extract"):
        kernel, extraction = extract(backend, kernel, budget)
    with statistics.stage("allocate"):
        return kernel, extraction, place(backend, kernel, extraction, choice, statistics.values, patient)


def lower(backend: Backend, module: Module, budget: int, thorough: bool = False) -> Kernel:
    """The e-graph of a module, cut into tiles and saturated, with few rules or (`thorough`) all."""
    return select.lower(backend.rules, module, budget, thorough)


def extract(backend: Backend, kernel: Kernel, budget: int) -> tuple[Kernel, Extraction]:
    """The best ways to compute all outputs, on the kernel that they were found on; `UserError` when one of them cannot be computed."""
    return select.extract(backend.accelerator, backend.rules, kernel, budget, host_memory(backend))
