"""An operation + the values that choose its computation -> what to do: gather, compute, scatter.  Plans are made once and reused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from act.hlo.evaluate import kernel
from act.hlo.instantiate import instantiate
from act.hlo.model import Computation, Shape, TupleShape
from act.hlo.model import Instruction as Operator
from act.oracle.slices import Memory, Places, places
from act.records import dataclass, replace
from act.taidl.body import body_of
from act.taidl.expr import evaluate, lookups
from act.taidl.model import Accelerator, Instruction, Slice


@dataclass(frozen=True, slots=True)
class Plan:
    """`compute` maps the tensors read, in the order of `reads`, to those written, in the order of `writes`, and then the predicates of those
    writes that are `masked`."""

    reads: tuple[Places, ...]
    compute: Callable[..., tuple[Any, ...]]
    writes: tuple[Places, ...]
    clobbers: tuple[Places, ...]
    masked: tuple[bool, ...]


class Planner:
    """Plans of one operation, by the values of its alpha attributes and `config` registers (and of everything, where addresses matter)."""

    LIMIT = 1024

    def __init__(self, accelerator: Accelerator, operation: Instruction) -> None:
        self.operation = operation
        self.sizes = {name: buffer.access + buffer.unit for name, buffer in accelerator.buffers.items()}
        staged = {use.name for use in operation.uses if use.name and accelerator.states[use.state].kind == "staged"}
        self.addresses = frozenset(operation.beta) | staged
        chosen = operation.alpha + tuple(use.name for use in operation.uses if use.name)
        self.chosen = tuple(name for name in chosen if name not in self.addresses)
        self.body = body_of(operation, operation.name) if operation.body else None
        self.plans: dict[tuple[int, ...], Plan] = {}
        self.separable = True
        self.lookups = frozenset(lookup for piece in operation.slices for coordinate in piece.coordinates for lookup in lookups(coordinate))
        self._functions: dict[tuple[int, ...], Callable[..., tuple[Any, ...]]] = {}

    def plan(self, values: Mapping[str, int], memory: Memory) -> Plan:
        """`memory` are the contents of the buffers, which look-ups see."""
        if self.lookups:
            self.separable = False
            return self._make(values, memory)
        key = tuple([values[name] for name in self.chosen])
        if not self.separable:
            key += tuple(values[name] for name in sorted(self.addresses))
        if key not in self.plans:
            if len(self.plans) >= self.LIMIT:
                self.plans.clear()
            made = self._make(values, memory)
            if not self.separable and len(key) == len(self.chosen):
                return self.plan(values, memory)
            self.plans[key] = made
        return self.plans[key]

    def _make(self, values: Mapping[str, int], memory: Memory) -> Plan:
        operation = self.operation
        reads = tuple(self._places(read.slice, values, memory) for read in operation.reads)
        writes = tuple(self._places(write.slice, values, memory) for write in operation.writes)
        clobbers = tuple(self._places(piece, values, memory) for piece in operation.clobbers)
        masked = tuple(write.mask is not None for write in operation.writes)
        for place, partial in zip(writes, masked, strict=True):
            if not partial:
                place.check_injective()
        return Plan(reads, self._computation(values), writes, clobbers, masked)

    def _computation(self, values: Mapping[str, int]) -> Callable[..., tuple[Any, ...]]:
        """Kept for each choice of the computation, because a plan with look-ups is not."""
        key = tuple([values[name] for name in self.chosen])
        if key not in self._functions:
            if len(self._functions) >= self.LIMIT:
                self._functions.clear()
            self._functions[key] = self._function(values)
        return self._functions[key]

    def _places(self, piece: Slice, values: Mapping[str, int], memory: Memory) -> Places:
        sizes = self.sizes[piece.buffer]
        if self.separable:
            found = places(piece, sizes, {name: values[name] for name in self.chosen}, self.addresses)
            if found is not None:
                return found
            self.separable = False
        found = places(piece, sizes, values, frozenset(), memory)
        assert found is not None
        return found

    def _function(self, values: Mapping[str, int]) -> Callable[..., tuple[Any, ...]]:
        body, numbers = self.computation(values)
        if body is None:
            return lambda: ()
        run = kernel(body)
        return lambda *tensors: run(*[tensors[number] for number in numbers])

    def computation(self, values: Mapping[str, int]) -> tuple[Computation | None, list[int]]:
        """The body, with the tuple of what is written as its value, and which tensors of those that are read its parameters are; None where
        nothing is computed."""
        if self.body is None:
            return None, []
        body = instantiate(self.body, lambda expr: evaluate(expr, values))
        order = [read.name for read in self.operation.reads]
        masks = [write.mask for write in self.operation.writes if write.mask is not None]
        results = [*(write.name for write in self.operation.writes), *masks]
        return _with_results(body, results), [order.index(parameter.name) for parameter in body.parameters]


def _with_results(body: Computation, results: list[str]) -> Computation:
    """`body` with a tuple of `results` as its value."""
    shapes = tuple(body[name].shape for name in results)
    assert all(isinstance(shape, Shape) for shape in shapes)
    root = Operator("written values", TupleShape(shapes), "tuple", tuple(results))
    return replace(body, instructions=(*body.instructions, root), root=root.name)
