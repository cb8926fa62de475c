"""The AND-OR graph of a compilation: what is needed where, and the ways to get it (paper section 5.3).

A need is a class in a place: in an accelerator memory, as a tensor in host memory, or written to a given place in host memory.  A way is an
instruction (or a fact about memory) with the needs of its operands.  Ways may be circular; the extractor picks trees.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from act.backend.classes import ClassGraph, ENode
from act.backend.equations import Values
from act.backend.matching import Match, Matcher
from act.backend.pieces import matrix_dims
from act.backend.registers import Registers, Requirement, Unsatisfiable
from act.backend.solutions import Settled
from act.backend.views import View, Views, reshaped, row_major
from act.generator.model import InHost, Leaf, OnChip, Selector
from act.generator.strides import scaled
from act.hlo.dtypes import stored_bytes
from act.hlo.model import Shape
from act.records import dataclass, field
from act.taidl.expr import evaluate, names
from act.taidl.model import Int, Name


class OnChipNeed(NamedTuple):
    """Class `number` in `buffer`, dimension d along coordinate axes[d]."""

    number: int
    buffer: str
    axes: tuple[int, ...]


class TensorNeed(NamedTuple):
    """Class `number` as a row-major tensor somewhere in host memory `buffer`."""

    number: int
    buffer: str


class StoreNeed(NamedTuple):
    """Class `number` written to host memory `buffer` with these strides in bytes, 0 along dimensions of size 1."""

    number: int
    buffer: str
    strides: tuple[int, ...]


Need = OnChipNeed | TensorNeed | StoreNeed


class Way(NamedTuple):
    """`need` from `parts`.  `match` is the instruction, `requirements` what registers it needs, `views` for each operand its place in the
    host tensor it is read from.  Without an instruction: an input or constant, a re-interpretation, or (with `offsets`) pieces."""

    need: Need
    cost: int
    parts: tuple[Need, ...]
    match: Match | None = None
    requirements: tuple[Requirement, ...] = ()
    views: tuple[View | None, ...] = ()
    offsets: tuple[int, ...] = ()


@dataclass(slots=True)
class Ways:
    """Finds the ways to satisfy needs on a saturated graph.  With `split`, also those that move data row by row
    or column by column, for needs other than those, which have a way without it."""

    matcher: Matcher
    selectors: Sequence[Selector]
    registers: Registers
    split: Container[Need] | None = None
    graph: ClassGraph = field(init=False)
    views: Views = field(init=False)
    movable: Mapping[str, set[int]] = field(init=False)
    _by_result: dict[tuple, list[tuple[Selector, str | None]]] = field(default_factory=dict)
    _units: dict[int, tuple[tuple[str, int], ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.graph = self.matcher.graph
        self.views = Views(self.graph)
        self.movable = _movable(self.selectors)
        for selector in sorted(self.selectors, key=lambda each: isinstance(each.pattern, Leaf)):
            access = selector.result.access
            axes = access.axes if isinstance(access, OnChip) else None
            known = selector, self.matcher.first_operator(selector)
            self._by_result.setdefault((access.buffer, axes, selector.result.dtype), []).append(known)

    def _selectors(self, number: int, buffer: str, axes: tuple[int, ...] | None) -> list[Selector]:
        """The instructions that leave values of the type of a class there, and may compute it."""
        found = self._by_result.get((buffer, axes, self.graph.shape(number).dtype), ())
        opcodes = self.matcher.nodes(number)
        return [selector for selector, first in found if first is None or first in opcodes]

    def of(self, need: Need) -> Iterator[Way]:
        if isinstance(need, OnChipNeed):
            return self._computed(need, need.number, need.buffer, need.axes)
        if isinstance(need, TensorNeed):
            return self._tensor(need, need.number, need.buffer)
        return self._store(need, need.number, need.buffer, need.strides)

    def _computed(self, need: Need, number: int, buffer: str, axes: tuple[int, ...]) -> Iterator[Way]:
        """The instructions that leave a class on chip.  What one of them computes there is not brought from host memory, unless it is an
        input or a constant, or nothing else is found."""
        everything = self.matcher.thorough or self.split is not None
        here = False
        for selector in self._selectors(number, buffer, axes):
            if here and isinstance(selector.pattern, Leaf) and not everything and not self._is_view(number):
                continue
            for found in self.matcher.matches(selector, number):
                for way in self._instruction(need, found, ()):
                    here = here or all(part.number != number for part in way.parts)
                    yield way

    def _is_view(self, number: int) -> bool:
        """Whether a class lies in an input or a constant."""
        return any(self.is_leaf(view.base) for view in self.views.of(number))

    def _tensor(self, need: Need, number: int, buffer: str) -> Iterator[Way]:
        if self.is_leaf(number):
            yield Way(need, 0, ())
            return
        if number in self.matcher.partial and not self.matcher.thorough:
            return
        yield Way(need, 0, (StoreNeed(number, buffer, row_major(self.graph.shape(number))),))

    def is_leaf(self, number: int) -> bool:
        """Inputs and constants, which are in host memory from the start."""
        return number in self.graph.splats or any(node.opcode in ("parameter", "constant") for node in self.graph.classes[number])

    def _store(self, need: Need, number: int, buffer: str, strides: tuple[int, ...]) -> Iterator[Way]:
        for selector in self._selectors(number, buffer, None):
            access = selector.result.access
            assert isinstance(access, InHost)
            for found in self.matcher.matches(selector, number):
                written = self._strides(access, found, self.graph.shape(number).dims, strides)
                if written is not None:
                    yield from self._instruction(need, found, written)
        for node in self.graph.classes[number]:
            yield from self._rearranged(need, node, buffer, strides)
        if number in self.graph.splats and self.graph.shape(number).rank != 2:
            yield from self._as_matrix(need, number, buffer, strides)
        if self._may_split(need, number) and any(view.base != number for view in self.views.of(number)):
            yield from self._parts(need, number, buffer, strides)

    def _as_matrix(self, need: Need, number: int, buffer: str, strides: tuple[int, ...]) -> Iterator[Way]:
        """One value everywhere is a matrix of that value in other dimensions; what it was made of is not kept."""
        shape = self.graph.shape(number)
        matrix = Shape(shape.dtype, matrix_dims(shape.dims))
        written = reshaped(shape.dims, strides, matrix.dims)
        if written is not None and prod(matrix.dims) == prod(shape.dims):
            yield Way(need, 0, (StoreNeed(self.matcher.splat(self.graph.splats[number], matrix), buffer, written),), offsets=(0,))

    def _may_split(self, need: Need, number: int) -> bool:
        return self.split is not None and need not in self.split and number not in self.matcher.parts

    def _parts(self, need: Need, number: int, buffer: str, strides: tuple[int, ...]) -> Iterator[Way]:
        """What lies in memory with strides that no instruction has is moved in parts, along each of its dimensions."""
        dims = self.graph.shape(number).dims
        for axis, size in enumerate(dims):
            if size > 1 and self._is_read_in_parts(number, axis):
                rest = (*strides[:axis], 0, *strides[axis + 1 :])
                parts = tuple(StoreNeed(self.matcher.part(number, axis, index), buffer, rest) for index in range(size))
                yield Way(need, 0, parts, offsets=tuple(index * strides[axis] for index in range(size)))

    def _is_read_in_parts(self, number: int, axis: int) -> bool:
        """Whether some instruction may read what is left of a place of the class when one dimension is taken apart."""
        shape = self.graph.shape(number)
        rest = [dimension for dimension, size in enumerate(shape.dims) if size > 1 and dimension != axis]
        places = [view.strides for view in self.views.of(number) if view.base != number]
        return any(_may_read(access, [(dimension, strides[dimension]) for dimension in rest]) for access in self._reads(shape) for strides in places)

    def _reads(self, shape: Shape) -> Iterator[InHost]:
        """How instructions read tensors of this type and rank from host memory."""
        for selector in self.selectors:
            for operand in selector.operands:
                if isinstance(operand.access, InHost) and operand.dtype == shape.dtype and len(operand.dims) == shape.rank:
                    yield operand.access

    def _rearranged(self, need: Need, node: ENode, buffer: str, strides: tuple[int, ...]) -> Iterator[Way]:
        """Writing a reshape or a transpose is writing the operand with other strides; writing pieces is writing each."""
        match node.opcode:
            case "assemble":
                offsets = tuple(sum(start * stride for start, stride in zip(starts, strides, strict=True)) for starts in node.attribute("starts"))
                parts = tuple(StoreNeed(child, buffer, self._fitted(child, strides)) for child in node.children)
                yield Way(need, 0, parts, offsets=offsets)
            case "reshape":
                inner = self.graph.shape(node.children[0]).dims
                found = reshaped(node.shape.dims, strides, inner)
                if found is not None:
                    yield Way(need, 0, (StoreNeed(node.children[0], buffer, found),), offsets=(0,))
            case "bitcast-convert" if len(node.shape.dims) + 1 == self.graph.shape(node.children[0]).rank:
                inner = self.graph.shape(node.children[0])
                bytes_of = (*strides, stored_bytes(inner.dtype))
                yield Way(need, 0, (StoreNeed(node.children[0], buffer, self._fitted(node.children[0], bytes_of)),), offsets=(0,))
            case "transpose":
                order = node.attribute("dimensions")
                found = tuple(strides[order.index(axis)] for axis in range(len(order)))
                yield Way(need, 0, (StoreNeed(node.children[0], buffer, found),), offsets=(0,))

    def _fitted(self, number: int, strides: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(0 if size == 1 else stride for size, stride in zip(self.graph.shape(number).dims, strides, strict=True))

    def _instruction(self, need: Need, found: Match, written: Values) -> Iterator[Way]:
        """The ways to bring the operands of a match, one for each choice of the tensors that operands in host memory are read from."""
        selector = found.selector
        units = self._units.get(id(selector))
        if units is None:
            units = tuple((name, 1) for operand in (*selector.operands, selector.result) for name in _units(operand.access))
            self._units[id(selector)] = units
        operands = [self._operand(found, number, each.access) for number, each in zip(found.operands, selector.operands, strict=True)]
        for choice in [[options[0] for options in operands]] if all(len(options) == 1 for options in operands) else product(*operands):
            parts = tuple([part for part, _, _ in choice])
            if need in parts:
                continue
            chosen = (*found.registers, *written, *units, *[value for _, _, read in choice for value in read])
            settled = self._settled(found, chosen)
            if settled is not None:
                alpha, requirements, cost = settled
                complete = found if alpha == found.alpha else found._replace(alpha=alpha)
                yield Way(need, cost, parts, complete, requirements, tuple([view for _, view, _ in choice]))

    def _settled(self, found: Match, chosen: Values) -> Settled | None:
        """All attributes of a match, what it needs of registers and its cost, with `chosen` values; None when there are none."""
        known, key = self.matcher.solutions.settled, (id(found.selector), found.alpha, chosen)
        if key not in known:
            known[key] = self._settle(found, chosen)
        return known[key]

    def _settle(self, found: Match, chosen: Values) -> Settled | None:
        complete = self.matcher.solutions.completed(found, chosen)
        if complete is None:
            return None
        try:
            requirements = self.registers.requirements(complete, chosen) if found.selector.uses else ()
        except Unsatisfiable:
            return None
        return complete.alpha, requirements, _cost(complete)

    def _operand(self, found: Match, number: int, access: OnChip | InHost) -> list[tuple[Need, View | None, tuple[tuple[str, int], ...]]]:
        """The needs that bring an operand, with its place in host memory and the values of registers with which it is read."""
        if isinstance(access, OnChip):
            return [(OnChipNeed(number, access.buffer, access.axes), None, ())]
        fitting: list[tuple[Need, View | None, tuple[tuple[str, int], ...]]] = []
        in_place = []
        for view in self.views.of(number):
            if view.base == number and number in self.matcher.parts:
                continue
            read = self._strides(access, found, self.graph.shape(number).dims, view.strides)
            if read is not None:
                fitting.append((TensorNeed(view.base, access.buffer), view, read))
                in_place += fitting[-1:] if self.is_leaf(view.base) else []
        return in_place or fitting

    def _strides(self, access: InHost, found: Match, dims: tuple[int, ...], strides: tuple[int, ...]) -> tuple[tuple[str, int], ...] | None:
        """The register values that make the instruction use these strides; None when it cannot."""
        key = (id(access), found.alpha, dims, strides)
        if key not in self.matcher.solutions.reached:
            self.matcher.solutions.reached[key] = _registers(access, dict(found.alpha), dims, strides)
        return self.matcher.solutions.reached[key]


def _cost(found: Match) -> int:
    estimate, alpha = found.selector.cost, dict(found.alpha)
    return evaluate(estimate, alpha) if estimate is not None and names(estimate) <= alpha.keys() else 1


def _registers(access: InHost, alpha: dict[str, int], dims: tuple[int, ...], strides: tuple[int, ...]) -> tuple[tuple[str, int], ...] | None:
    registers = []
    for size, expr, stride in zip(dims, access.strides, strides, strict=True):
        if size == 1:
            continue
        name, factor = scaled(expr) or ("", 1)
        if name in access.chosen:
            if stride < 0 or stride % factor:
                return None
            registers.append((name, stride // factor))
        elif evaluate(expr, alpha) != stride:
            return None
    return tuple(registers)


def _may_read(access: InHost, strides: Sequence[tuple[int, int]]) -> bool:
    """Whether an instruction can have these strides along these dimensions; what depends on its attributes it can."""
    for dimension, stride in strides:
        expr = access.strides[dimension]
        if (isinstance(expr, Int) and expr.value != stride) or (isinstance(expr, Name) and stride < 0):
            return False
    return True


def _movable(selectors: Sequence[Selector]) -> dict[str, set[int]]:
    """For each memory on chip the coordinates of which an instruction chooses the first place."""
    found: dict[str, set[int]] = defaultdict(set)
    for selector in selectors:
        for operand in (*selector.operands, selector.result):
            if isinstance(operand.access, OnChip):
                found[operand.access.buffer] |= {position for position, start in enumerate(operand.access.starts) if start.attribute}
    return found


def _units(access: OnChip | InHost) -> tuple[str, ...]:
    return access.unit_registers if isinstance(access, OnChip) else ()
