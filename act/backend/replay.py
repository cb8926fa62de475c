"""An independent check of a finished program: which element of which value lies where, command by command.

It uses the slices, conditions and registers of the TAIDL file, not the address maps and allocation that made the program.  Every element
that an instruction reads must be the one that the plan says, in every register must be what the instruction needs, and every byte of the
outputs must have been written.  A failure is a bug of the compiler: the program is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any

from act.backend.allocate import Allocation
from act.backend.classes import ClassGraph
from act.backend.emit import Operation
from act.backend.plan import Place, Step, Tensor, Value
from act.backend.source import python_source
from act.backend.views import byte_size
from act.hlo.dtypes import stored_bytes, wrap
from act.program import Program
from act.taidl.encode import expand, violated
from act.taidl.expr import evaluate, names
from act.taidl.model import Accelerator, Instruction, Slice

Cell = tuple[int, ...]
Token = tuple[int, int]
"""A class and the number of one of its elements (of its bytes, for a tensor in host memory)."""


class WrongProgram(AssertionError):
    """The program does not do what was planned."""


def check(accelerator: Accelerator, graph: ClassGraph, issued: Sequence[Operation], allocation: Allocation, program: Program) -> None:
    """Raises `WrongProgram`."""
    replay = Replay(accelerator, graph, allocation)
    replay.memory_map()
    for operation in issued:
        replay.execute(operation)
    replay.outputs()
    real = [part for operation in issued for part in expand(accelerator, operation.name, operation.attributes)]
    if real != [(command.instruction, command.attributes) for command in program.commands]:
        raise WrongProgram("the commands are not those that were planned")


@dataclass(slots=True)
class Replay:
    accelerator: Accelerator
    graph: ClassGraph
    allocation: Allocation
    cells: dict[str, dict[Cell, Token]] = field(default_factory=dict)
    registers: dict[tuple[str, int | None], int | None] = field(default_factory=dict)
    executed: set[str] = field(default_factory=set)
    _makers: dict[tuple[str, int], Callable[..., list[Cell]]] = field(default_factory=dict)
    _tokens: dict[int, list[Token]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.cells = {name: {} for name in self.accelerator.buffers}
        for name, state in self.accelerator.states.items():
            for index in [None] if state.count is None else range(state.count):
                self.registers[name, index] = state.initial

    def memory_map(self) -> None:
        """Tensors in host memory do not overlap; inputs and constants are there from the start."""
        shared = self.allocation.shared
        for output, source in shared.items():
            same = self.allocation.address[output] == self.allocation.address[source] and self._size(output) == self._size(source)
            _require(same and source.kind == "input", "an output shares other memory than that of its input")
        _require(len(set(shared.values())) == len(shared), "two outputs share the memory of one input")
        spans = sorted((tensor.buffer, address, self._size(tensor)) for tensor, address in self.allocation.address.items() if tensor not in shared)
        for (buffer, address, size), (other, following, _) in pairwise(spans):
            _require(buffer != other or address + size <= following, f"tensors overlap at {following:#x}")
        for tensor, address in self.allocation.address.items():
            _require(address + self._size(tensor) <= self.allocation.memory[tensor.buffer], "a tensor ends beyond the memory")
            if tensor.kind in ("input", "constant"):
                tokens = ((tensor.number, byte) for byte in range(self._size(tensor)))
                self.cells[tensor.buffer].update(zip(((address + byte,) for byte in range(self._size(tensor))), tokens, strict=True))

    def outputs(self) -> None:
        for tensor, address in self.allocation.address.items():
            if tensor.kind == "output":
                found = self.cells[tensor.buffer]
                whole = all(found.get((address + byte,)) == (tensor.number, byte) for byte in range(self._size(tensor)))
                _require(whole, "an output is not written completely")

    def _size(self, tensor: Tensor) -> int:
        return byte_size(self.graph.shape(tensor.number))

    def execute(self, operation: Operation) -> None:
        """All reads before all writes; clobbered elements are lost, unless they are the result."""
        composite = self.accelerator.composites.get(operation.name)
        instruction = composite.operation if composite else self.accelerator.instructions[operation.name]
        values = {**operation.attributes, **self._uses(instruction, operation.attributes)}
        broken = violated(instruction, values)
        _require(broken is None, f"{instruction.name}: {broken} does not hold")
        _require(not instruction.after or bool(self.executed & set(instruction.after)), f"{instruction.name}: nothing that it must come after was issued")
        self.executed.add(operation.name)
        if operation.step is not None:
            self._reads(instruction, operation.step, values)
        self._writes(instruction, operation.step, values)
        self._set(instruction, values)

    def _uses(self, instruction: Instruction, attributes: Mapping[str, int]) -> dict[str, int]:
        """The registers that an instruction names, and that they are what it needs.  One whose value is not known has no name."""
        found = {}
        for use in instruction.uses:
            value = self.registers[use.state, None if use.index is None else evaluate(use.index, attributes)]
            if use.equals is not None:
                _require(value == evaluate(use.equals, attributes), f"{instruction.name}: {use.state} is {value}")
            if use.name is not None and value is not None:
                found[use.name] = value
        return found

    def _reads(self, instruction: Instruction, step: Step, values: Mapping[str, int]) -> None:
        for position, (read, operand) in enumerate(zip(instruction.reads, step.operands, strict=True)):
            cells = self._slice(instruction, position, read.slice, values)
            memory = self.cells[read.slice.buffer]
            if isinstance(operand, Place):
                expected = self._at(operand, self.graph.shape(step.match.operands[position]))
                _require(cells == [cell for cell, _ in expected], f"{instruction.name}: reads {read.name} from the wrong addresses")
                tokens = [token for _, token in expected]
            else:
                _require(operand.number == step.match.operands[position], f"{instruction.name}: {read.name} is another value")
                tokens = self._value(operand)
            _require([memory.get(cell) for cell in cells] == tokens, f"{instruction.name}: {read.name} is not where it is read")

    def _writes(self, instruction: Instruction, step: Step | None, values: Mapping[str, int]) -> None:
        _require((step is None) == (not instruction.writes), f"{instruction.name} writes what was not planned")
        for position, clobber in enumerate(instruction.clobbers):
            for cell in self._slice(instruction, 2000 + position, clobber, values):
                self.cells[clobber.buffer].pop(cell, None)
        if step is None:
            return
        (write,) = instruction.writes
        cells = self._slice(instruction, 1000, write.slice, values)
        if step.target is None:
            tokens = self._elements(step.number)
        else:
            expected = self._at(step.target, self.graph.shape(step.number))
            _require(cells == [cell for cell, _ in expected], f"{instruction.name}: writes to the wrong addresses")
            _require(step.target.tensor.kind in ("output", "scratch"), f"{instruction.name}: writes to an input")
            tokens = [token for _, token in expected]
        _require(len(cells) == len(tokens) == len(set(cells)), f"{instruction.name}: writes {len(cells)} elements")
        self.cells[write.slice.buffer].update(zip(cells, tokens, strict=True))

    def _elements(self, number: int) -> list[Token]:
        if number not in self._tokens:
            count = byte_size(self.graph.shape(number)) // stored_bytes(self.graph.shape(number).dtype)
            self._tokens[number] = [(number, element) for element in range(count)]
        return self._tokens[number]

    def _value(self, value: Value) -> list[Token]:
        """The tokens of a value on chip.  One without an instruction has those of its parts, as an e-node of its class says."""
        if isinstance(value, Step):
            return self._elements(value.number)
        _require(value.node in self.graph.classes[value.number], "a value is taken for another")
        _require(tuple(part.number for part in value.parts) == value.node.children, "a value is made of other parts")
        shapes = [self.graph.shape(part.number).dims for part in value.parts]
        parts = [dict(zip(product(*map(range, dims)), self._value(part), strict=True)) for dims, part in zip(shapes, value.parts, strict=True)]
        every = product(*map(range, value.node.shape.dims))
        if value.is_slice:
            return [parts[0][_moved(index, value.starts[0])] for index in every]
        whole = {_moved(index, start): token for start, part in zip(value.starts, parts, strict=True) for index, token in part.items()}
        return [whole[index] for index in every]

    def _at(self, place: Place, shape: Any) -> list[tuple[Cell, Token]]:
        """The bytes of a place, in the order of the elements."""
        first, size, number = self.allocation.address[place.tensor], stored_bytes(shape.dtype), place.tensor.number
        starts = [place.offset]
        for extent, stride in zip(shape.dims, place.strides, strict=True):
            starts = [start + index * stride for start in starts for index in range(extent)]
        limit = self._size(place.tensor)
        _require(min(starts) >= 0 and max(starts) <= limit - size, "a place lies beyond its tensor")
        return [((first + start + byte,), (number, start + byte)) for start in starts for byte in range(size)]

    def _slice(self, instruction: Instruction, position: int, piece: Slice, values: Mapping[str, int]) -> list[Cell]:
        """The cells of a slice, all inside the memory."""
        key = (instruction.name, position)
        if key not in self._makers:
            self._makers[key] = _maker(piece)
        cells = self._makers[key](values)
        buffer = self.accelerator.buffers[piece.buffer]
        for size, places in zip(buffer.access + buffer.unit, zip(*cells, strict=True), strict=False):
            _require(min(places) >= 0 and max(places) < size, f"{instruction.name}: beyond the end of {piece.buffer}")
        return cells

    def _set(self, instruction: Instruction, values: Mapping[str, int]) -> None:
        found = {}
        for each in instruction.sets:
            register = (each.state, None if each.index is None else evaluate(each.index, values))
            found[register] = wrap(self.accelerator.states[each.state].element, evaluate(each.value, values))
        self.registers.update(found)


def _moved(index: Cell, start: Cell) -> Cell:
    return tuple(here + more for here, more in zip(index, start, strict=True))


def _maker(piece: Slice) -> Callable[..., list[Cell]]:
    """A function from the values of attributes and registers to the cells, in the order of the index variables."""
    coordinates = "".join(f"{python_source(coordinate)}, " for coordinate in piece.coordinates)
    loops = " ".join(f"for v_{index.name} in range({python_source(index.extent)})" for index in piece.indices)
    used = "".join(f"v_{name} = values.get({name!r}); " for name in sorted(_free(piece)))
    scope: dict[str, Any] = {}
    exec(f"def cells(values):\n    {used}\n    return [({coordinates}) {loops or 'for _ in (0,)'}]", scope)
    return scope["cells"]


def _free(piece: Slice) -> set[str]:
    indices = {index.name for index in piece.indices}
    found = {name for expr in (*piece.coordinates, *(index.extent for index in piece.indices)) for name in names(expr)}
    return found - indices


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise WrongProgram(problem)
