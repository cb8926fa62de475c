"""HLO -> program, for one accelerator: the whole compiler as a list of its stages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from act.backend.allocate import Allocation, Allocator, NoRoom
from act.backend.egraph import EGraph
from act.backend.emit import Operation, operations, program
from act.backend.extract import Extraction
from act.backend.failure import explain
from act.backend.lower import Lowering
from act.backend.matching import Matcher
from act.backend.needs import StoreNeed, Ways
from act.backend.normalise import RULES
from act.backend.order import Order
from act.backend.plan import Plan, Planner, Step, Tensor
from act.backend.registers import Registers
from act.backend.replay import check
from act.backend.saturate import saturate
from act.backend.views import row_major
from act.errors import UserError
from act.generator.model import Rules
from act.hlo.flatten import flatten
from act.hlo.model import Module
from act.program import Program
from act.taidl.model import Accelerator


@dataclass(frozen=True, slots=True)
class Backend:
    """What a generated backend folder holds.  `sha256` is that of the canonical text of the ISA."""

    accelerator: Accelerator
    rules: Rules
    sha256: str


@dataclass(slots=True)
class Statistics:
    """Seconds of each stage, and counts."""

    values: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = perf_counter()
        yield
        self.values[f"{name}_s"] = self.values.get(f"{name}_s", 0.0) + perf_counter() - start


def compile_module(backend: Backend, module: Module, statistics: Statistics | None = None) -> Program:
    """A program that leaves in its outputs what `module` computes from its inputs.  `UserError` when there is none."""
    statistics = statistics or Statistics()
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 100_000))
    host = host_memory(backend.accelerator)
    graph = EGraph()
    with statistics.stage("lower"):
        computation = flatten(module).main
        root = computation.result
        outputs = root.operands if root.opcode == "tuple" else (root.name,)
        lowering = Lowering(computation, graph, backend.rules.tiles, module.filename)
        parameters = [(each.name, lowering.parameter(each.name)) for each in computation.parameters]
        roots = [lowering.output(name) for name in outputs]
    with statistics.stage("saturate"):
        frozen = saturate(graph, roots, RULES)
    with statistics.stage("extract"):
        matcher = Matcher(frozen)
        ways = Ways(matcher, backend.rules.selectors, Registers(backend.accelerator))
        needs = [StoreNeed(number, host, row_major(frozen.shape(number))) for number in frozen.roots]
        extraction = Extraction(ways)
        extraction.solve(needs)
    for need, name in zip(needs, outputs, strict=True):
        if need not in extraction.best:
            raise UserError(module.filename, explain(extraction, need, backend.accelerator, name))
    with statistics.stage("plan"):
        plan = Planner(extraction).plan(frozen.roots, host)
        inputs = [(name, _tensor(plan, graph.find(number), host)) for name, number in parameters]
    with statistics.stage("allocate"):
        steps = Order(backend.accelerator).steps(plan)
        allocation = _allocate(backend, matcher, steps, plan, [tensor for _, tensor in inputs], module)
    with statistics.stage("emit"):
        issued = operations(backend.accelerator, backend.rules, steps, allocation)
        result = program(backend.accelerator, backend.sha256, matcher.graph, plan, allocation, issued, inputs)
    with statistics.stage("check"):
        check(backend.accelerator, matcher.graph, issued, allocation, result)
    statistics.values |= {"instructions": len(result.commands), "nodes": len(graph), "needs": len(extraction.expanded)}
    return result


def _allocate(
    backend: Backend, matcher: Matcher, steps: list[Step], plan: Plan, inputs: list[Tensor], module: Module
) -> Allocation:
    try:
        return Allocator(backend.accelerator, matcher.graph, steps).allocate(plan, inputs)
    except NoRoom as error:
        raise UserError(module.filename, f"no room: {error}", "make the kernel smaller") from None


def _tensor(plan: Plan, number: int, host: str) -> Tensor:
    """The tensor of a parameter, whether it is read or not."""
    found = next((each for each in plan.tensors if each.kind == "input" and each.number == number), None)
    return found or Tensor("input", number, host)


def host_memory(accelerator: Accelerator) -> str:
    """The memory in which inputs and outputs are."""
    found = [name for name, buffer in accelerator.buffers.items() if buffer.hbm]
    if not found:
        raise UserError(None, f"{accelerator.name} has no host memory for inputs and outputs", "declare one with 'hbm'")
    return found[0]


__all__ = ["Backend", "Operation", "Statistics", "compile_module"]
