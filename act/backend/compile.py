"""HLO -> program, for one accelerator: the whole compiler as a list of its stages."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from act.backend.choose import BUDGET, Choice, Schedule, host_memory, place
from act.backend.classes import ClassGraph, Rule
from act.backend.egraph import EGraph
from act.backend.emit import Operation, operations, program
from act.backend.extract import BudgetExhausted, Extraction
from act.backend.failure import explain
from act.backend.fold import fold_constants
from act.backend.lower import Lowering
from act.backend.matching import Matcher
from act.backend.needs import Need, StoreNeed, Way, Ways
from act.backend.normalise import RULES as NORMAL_FORMS
from act.backend.products import RULES as PRODUCTS
from act.backend.prove import Prover
from act.backend.reductions import reductions_as_products
from act.backend.registers import Registers
from act.backend.replay import check
from act.backend.report import render
from act.backend.saturate import saturate
from act.backend.views import row_major
from act.errors import UserError
from act.generator.model import Rules
from act.hlo.flatten import flatten
from act.hlo.model import Module
from act.program import Program
from act.rewrites import for_vocabulary, vocabulary
from act.taidl.model import Accelerator

__all__ = ["BUDGET", "Backend", "Choice", "Compiled", "Kernel", "Schedule", "Statistics", "compile_module", "extract", "lower", "place"]


@dataclass(frozen=True, slots=True)
class Backend:
    """What a generated backend folder holds.  `sha256` is that of the canonical text of the ISA."""

    accelerator: Accelerator
    rules: Rules
    sha256: str


def rewrites(backend: Backend) -> tuple[Rule, ...]:
    """Those that can matter for the accelerator."""
    return (*NORMAL_FORMS, *PRODUCTS, *for_vocabulary(vocabulary(backend.rules.selectors)))


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

    def report(self) -> dict[str, str]:
        """File names and texts."""
        return render(self.graph, self.operations)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A lowered module: its saturated graph, the names and classes of its inputs, and the names of its outputs."""

    filename: str
    graph: ClassGraph
    live: EGraph
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[str, ...]


def compile_module(backend: Backend, module: Module, statistics: Statistics | None = None, budget: int = BUDGET, choice: Choice | None = None) -> Compiled:
    """A program that leaves in its outputs what `module` computes from its inputs.  `UserError` when there is none, or when it was not
    found among the first `budget` needs.  `choice` says how one of several programs is chosen; by default the first is taken."""
    with _uninterrupted():
        return _compile(backend, module, statistics or Statistics(), budget, choice or Choice(budget))


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
    with statistics.stage("saturate"):
        kernel = lower(backend, module, budget)
    with statistics.stage("extract"):
        extraction = extract(backend, kernel, budget)
        graph = extraction.ways.graph
    with statistics.stage("allocate"):
        schedule = place(backend, kernel, extraction, choice, statistics.values)
    with statistics.stage("prove"):
        Prover(backend.accelerator, kernel.live, kernel.graph, graph, rewrites(backend)).prove(schedule.steps)
    with statistics.stage("emit"):
        issued = operations(backend.accelerator, backend.rules, schedule.steps, schedule.allocation)
        result = program(backend.accelerator, backend.sha256, graph, schedule.plan, schedule.allocation, issued, schedule.inputs)
    with statistics.stage("replay"):
        check(backend.accelerator, graph, issued, schedule.allocation, result)
    nodes = sum(len(found) for found in graph.classes.values())
    statistics.values |= {"instructions": len(result.commands), "nodes": nodes, "needs": len(extraction.expanded)}
    return Compiled(result, graph, issued)


def lower(backend: Backend, module: Module, budget: int) -> Kernel:
    """The e-graph of a module, cut into tiles and saturated."""
    graph = EGraph()
    computation = reductions_as_products(fold_constants(flatten(module).main))
    root = computation.result
    outputs = root.operands if root.opcode == "tuple" else (root.name,)
    lowering = Lowering(computation, graph, backend.rules.tiles, module.filename, budget)
    parameters = [(each.name, lowering.parameter(each.name)) for each in computation.parameters]
    frozen = saturate(graph, [lowering.output(name) for name in outputs], rewrites(backend))
    return Kernel(module.filename, frozen, graph, tuple((name, graph.find(number)) for name, number in parameters), outputs)


def extract(backend: Backend, kernel: Kernel, budget: int) -> Extraction:
    """The best ways to compute all outputs; `UserError` when one of them cannot be computed.

    Data is moved in single rows and columns only in kernels that have no program otherwise."""
    host, matcher = host_memory(backend), Matcher(kernel.graph)
    needs = [StoreNeed(number, host, row_major(kernel.graph.shape(number))) for number in kernel.graph.roots]
    known: dict[Need, list[Way]] = {}
    for split in (False, True):
        ways = Ways(matcher, backend.rules.selectors, Registers(backend.accelerator), known if split else None)
        extraction = Extraction(ways, budget, dict(known))
        try:
            extraction.solve(needs)
        except BudgetExhausted:
            raise UserError(kernel.filename, f"no program was found within a budget of {budget} steps", "give a larger --budget") from None
        missing = [(need, name) for need, name in zip(needs, kernel.outputs, strict=True) if need not in extraction.best]
        if not missing:
            return extraction
        known = {need: extraction.expanded[need] for need in extraction.best}
    raise UserError(kernel.filename, explain(extraction, *missing[0], backend.accelerator), ADVICE)


ADVICE = "rewrite the kernel with operators that the instruction set has, or describe more of its instructions"
