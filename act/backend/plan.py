"""The chosen ways -> the graph of instructions (partially instantiated: addresses are open) and the tensors they work on.

A value that is updated in place, or written to a place of its own, is computed for that use alone; all others are shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from act.backend.classes import ENode
from act.backend.extract import Extraction
from act.backend.identity import identity_node, starts
from act.backend.matching import Match
from act.backend.needs import Need, OnChipNeed, StoreNeed, TensorNeed, Way
from act.backend.registers import Requirement
from act.backend.views import row_major
from act.records import dataclass, field

Node = tuple[Need, bool]
"""A need, and whether it is satisfied for one use alone (what is updated in place or written to a place of its own) or for all uses."""


def part_nodes(way: Way, fresh: bool) -> tuple[Node, ...]:
    """What a way needs of its parts: pieces of a whole are for it alone; a slice is for one use alone if its operand is."""
    if way.match is None:
        if isinstance(way.need, OnChipNeed):
            return tuple((part, fresh or len(way.parts) > 1) for part in way.parts)
        return tuple((part, isinstance(part, StoreNeed)) for part in way.parts)
    return tuple((part, operand.tied or operand.consumed) for operand, part in zip(way.match.selector.operands, way.parts, strict=True))


@dataclass(eq=False, slots=True)
class Tensor:
    """A row-major tensor in host memory that holds class `number`.  `writers` store its parts."""

    kind: Literal["input", "constant", "output", "scratch"]
    number: int
    buffer: str
    writers: list[Step] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Place:
    """Bytes of a tensor in host memory, from `offset` on, element d of dimension k at d * strides[k]."""

    tensor: Tensor
    offset: int
    strides: tuple[int, ...]


@dataclass(eq=False, slots=True)
class Step:
    """An instruction without addresses: it computes class `number`.  An operand is what left it on chip, or its place in host
    memory; `target` is where the result goes in host memory, None if it stays on chip.  It comes after the steps `after`, too."""

    number: int
    match: Match
    requirements: tuple[Requirement, ...]
    operands: list[Value | Place] = field(default_factory=list)
    target: Place | None = None
    after: list[Step] = field(default_factory=list)

    def dependencies(self) -> list[Step]:
        """The steps that must come before, operand by operand."""
        found: list[Step] = []
        for operand in self.operands:
            found += operand.tensor.writers if isinstance(operand, Place) else sources(operand)
        return found + self.after


@dataclass(eq=False, slots=True)
class Identity:
    """Class `number` in `buffer`, dimension d along coordinate axes[d], without an instruction: by `node` a slice of its one part, or the
    whole of its parts.  `dims` are its dimensions."""

    number: int
    node: ENode
    buffer: str
    axes: tuple[int, ...]
    dims: tuple[int, ...]
    parts: list[Value]

    @property
    def is_slice(self) -> bool:
        return self.node.opcode == "slice"

    @property
    def starts(self) -> tuple[tuple[int, ...], ...]:
        return starts(self.node)


Value = Step | Identity
"""A value in an accelerator memory."""


def sources(value: Value) -> list[Step]:
    """The steps that make a value."""
    return [value] if isinstance(value, Step) else [step for part in value.parts for step in sources(part)]


@dataclass(slots=True)
class Plan:
    """`outputs` in their order; `tensors` are all tensors in host memory, inputs and constants as they are met.  `shared` gives outputs the
    input whose memory they take over; `inputs` are the parameters by name, whether they are read or not."""

    tensors: list[Tensor]
    outputs: list[Tensor]
    shared: dict[Tensor, Tensor] = field(default_factory=dict)
    inputs: Sequence[tuple[str, Tensor]] = ()

    def steps(self) -> list[Step]:
        """Every step, in no order that means anything."""
        found: dict[Step, None] = {}
        pending = [writer for tensor in self.outputs for writer in tensor.writers]
        while pending:
            step = pending.pop()
            if step not in found:
                found[step] = None
                pending += step.dependencies()
        return list(found)

    def dissolve(self) -> None:
        """Takes the tensors away from the steps that write them, for a plan that is not used: then all of it is given back at once, and not
        only when circles of objects are looked for."""
        for tensor in (*self.tensors, *self.outputs):
            tensor.writers.clear()


@dataclass(slots=True)
class Planner:
    """`reload`: what is only brought from host memory is brought again for every use, so that it takes room for a short time.
    `selection` are the ways of a plan other than the cheapest."""

    extraction: Extraction
    reload: bool = False
    selection: Mapping[Node, Way] = field(default_factory=dict)
    _steps: dict[Need, Value] = field(default_factory=dict)
    _tensors: dict[Need, Tensor] = field(default_factory=dict)

    def plan(self, roots: Sequence[int], buffer: str) -> Plan:
        """The instructions that leave the classes `roots` as output tensors in host memory."""
        outputs = []
        for number in roots:
            tensor = Tensor("output", number, buffer)
            strides = row_major(self._shape(number))
            self._write(StoreNeed(number, buffer, strides), Place(tensor, 0, strides))
            outputs.append(tensor)
        return Plan([*self._tensors.values(), *outputs], outputs)

    def _shape(self, number: int):
        return self.extraction.ways.graph.shape(number)

    def _way(self, need: Need, fresh: bool) -> Way:
        return self.selection.get((need, fresh)) or self.extraction.best[need]

    def _write(self, need: StoreNeed, place: Place) -> None:
        """Adds the steps that write `need` to `place`."""
        way = self._way(need, True)
        if way.match is not None:
            place.tensor.writers.append(self._step(way, place))
            return
        for part, offset in zip(way.parts, way.offsets, strict=True):
            assert isinstance(part, StoreNeed)
            self._write(part, Place(place.tensor, place.offset + offset, part.strides))

    def _step(self, way: Way, target: Place | None) -> Step:
        assert way.match is not None
        step = Step(way.need.number, way.match, way.requirements, target=target)
        for operand, part, view in zip(way.match.selector.operands, way.parts, way.views, strict=True):
            if isinstance(part, OnChipNeed):
                step.operands.append(self._value(part, operand.tied or operand.consumed))
            else:
                assert isinstance(part, TensorNeed) and view is not None
                step.operands.append(Place(self._tensor(part), view.offset, view.strides))
        return step

    def _value(self, need: OnChipNeed, fresh: bool) -> Value:
        way = self._way(need, fresh)
        if fresh or (self.reload and not any(isinstance(part, OnChipNeed) for part in way.parts)):
            return self._made(need, way, fresh)
        if need not in self._steps:
            self._steps[need] = self._made(need, way, fresh)
        return self._steps[need]

    def _made(self, need: OnChipNeed, way: Way, fresh: bool) -> Value:
        if way.match is not None:
            return self._step(way, None)
        graph = self.extraction.ways.graph
        parts = [self._value(part, alone) for part, alone in part_nodes(way, fresh) if isinstance(part, OnChipNeed)]
        return Identity(need.number, identity_node(graph, way), need.buffer, need.axes, graph.shape(need.number).dims, parts)

    def _tensor(self, need: TensorNeed) -> Tensor:
        if need not in self._tensors:
            way = self._way(need, False)
            tensor = self._tensors[need] = Tensor(self._kind(need, way), need.number, need.buffer)
            for part in way.parts:
                assert isinstance(part, StoreNeed)
                self._write(part, Place(tensor, 0, part.strides))
        return self._tensors[need]

    def _kind(self, need: TensorNeed, way: Way) -> Literal["input", "constant", "scratch"]:
        if way.parts:
            return "scratch"
        graph = self.extraction.ways.graph
        constant = need.number in graph.splats or any(graph.nodes(need.number, "constant"))
        return "constant" if constant else "input"
