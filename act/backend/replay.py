"""An independent check of a finished program: which element of which value lies where, command by command.

It uses the slices, conditions and registers of the TAIDL file, not the address maps and allocation that made the program.  Every element
that an instruction reads must be the one that the plan says, in every register must be what the instruction needs, and every byte of the
outputs must have been written.  A failure is a bug of the compiler: the program is not written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product
from math import prod
from typing import Any

from act.backend.allocate import Allocation
from act.backend.cells import Cells, OutOfBounds, Run, all_of, cells_of, distinct, of_one_length, total
from act.backend.classes import ClassGraph
from act.backend.emit import Operation
from act.backend.plan import Identity, Place, Step, Tensor, Value
from act.backend.registers import ANY, Register, first_values
from act.backend.tokens import Memory, Tokens, count, numbered, packed, part, parts, unpacked
from act.backend.views import byte_size
from act.hlo.dtypes import stored_bytes, wrap
from act.program import Program
from act.records import dataclass, field
from act.taidl.encode import expand
from act.taidl.expr import ExprError, evaluate
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Instruction, Set, Slice


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
    memory: dict[str, Memory] = field(default_factory=dict)
    registers: dict[Register, int | None] = field(default_factory=dict)
    executed: set[str] = field(default_factory=set)
    _cells: dict[tuple[str, int], Cells] = field(default_factory=dict)
    _tokens: dict[tuple[int, int], Tokens] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.registers |= first_values(self.accelerator)

    def _memory(self, buffer: str) -> Memory:
        if buffer not in self.memory:
            self.memory[buffer] = Memory(prod(self._sizes(buffer)))
        return self.memory[buffer]

    def _sizes(self, buffer: str) -> tuple[int, ...]:
        """The sizes of a memory; a host memory ends where the last tensor ends."""
        found = self.accelerator.buffers[buffer]
        return (self.allocation.memory.get(buffer, 0),) if found.hbm else found.access + found.unit

    def _numbered(self, number: int, count: int) -> Tokens:
        if (number, count) not in self._tokens:
            self._tokens[number, count] = numbered(number, count)
        return self._tokens[number, count]

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
                size = self._size(tensor)
                self._memory(tensor.buffer).put(address, self._numbered(tensor.number, size))

    def outputs(self) -> None:
        for tensor, address in self.allocation.address.items():
            if tensor.kind == "output":
                size = self._size(tensor)
                whole = self._memory(tensor.buffer).holds(address, self._numbered(tensor.number, size))
                _require(whole, "an output is not written completely")

    def _size(self, tensor: Tensor) -> int:
        return byte_size(self.graph.shape(tensor.number))

    def execute(self, operation: Operation) -> None:
        """All reads before all writes; clobbered elements are lost, unless they are the result."""
        instruction = self.accelerator.operation(operation.name)
        uses = self._uses(instruction, operation.attributes)
        known = {**operation.attributes, **{name: value for name, value in uses.items() if value is not None}}
        values = {**dict.fromkeys(uses, ANY), **known}
        self._conditions(instruction, values)
        _require(not instruction.after or bool(self.executed & set(instruction.after)), f"{instruction.name}: nothing that it must come after was issued")
        self.executed.add(operation.name)
        if operation.step is not None:
            self._reads(instruction, operation.step, values)
        self._writes(instruction, operation.step, values)
        self._set(instruction, known)

    def _conditions(self, instruction: Instruction, values: Mapping[str, int]) -> None:
        """All `when` clauses whose names have values hold."""
        known = tuple(values)
        if not all_of(instruction.when, known)(values):
            broken = next(each for each in instruction.when if not all_of((each,), known)(values))
            raise WrongProgram(f"{instruction.name}: {print_expr(broken)} does not hold")

    def _uses(self, instruction: Instruction, attributes: Mapping[str, int]) -> dict[str, int | None]:
        """The registers that an instruction names, and that they are what it needs."""
        found: dict[str, int | None] = {}
        for use in instruction.uses:
            value = self.registers[use.state, None if use.index is None else evaluate(use.index, attributes)]
            if use.equals is not None:
                _require(value == evaluate(use.equals, attributes), f"{instruction.name}: {use.state} is {value}")
            if use.name is not None:
                found[use.name] = value
        return found

    def _reads(self, instruction: Instruction, step: Step, values: Mapping[str, int]) -> None:
        for position, (read, operand) in enumerate(zip(instruction.reads, step.operands, strict=True)):
            runs, memory = self._runs(instruction, position, read.slice, values), self._memory(read.slice.buffer)
            if isinstance(operand, Place):
                expected = self._at(operand, self.graph.shape(step.match.operands[position]))
                _require(runs == expected, f"{instruction.name}: reads {read.name} from the wrong addresses")
                held = all(memory.holds(start, tokens) for (start, _), tokens in zip(runs, self._bytes(operand, runs), strict=True))
            else:
                _require(operand.number == step.match.operands[position], f"{instruction.name}: {read.name} is another value")
                tokens = self._value(operand)
                held = total(runs) == count(tokens)
                held = held and all(memory.holds(start, each) for (start, _), each in zip(runs, parts(tokens, runs), strict=True))
            _require(held, f"{instruction.name}: {read.name} is not where it is read")

    def _writes(self, instruction: Instruction, step: Step | None, values: Mapping[str, int]) -> None:
        _require((step is None) == (not instruction.writes), f"{instruction.name} writes what was not planned")
        for position, clobber in enumerate(instruction.clobbers):
            memory = self._memory(clobber.buffer)
            for start, length in self._runs(instruction, 2000 + position, clobber, values):
                memory.drop(start, length)
        if step is None:
            return
        (write,) = instruction.writes
        runs, memory = self._runs(instruction, 1000, write.slice, values), self._memory(write.slice.buffer)
        if step.target is None:
            tokens = self._elements(step.number)
            _require(total(runs) == count(tokens), f"{instruction.name}: writes another number of elements")
            pieces: Iterable[Tokens] = parts(tokens, runs)
        else:
            _require(runs == self._at(step.target, self.graph.shape(step.number)), f"{instruction.name}: writes to the wrong addresses")
            _require(step.target.tensor.kind in ("output", "scratch"), f"{instruction.name}: writes to an input")
            pieces = self._bytes(step.target, runs)
        _require(distinct(runs), f"{instruction.name}: writes an element twice")
        for (start, _), each in zip(runs, pieces, strict=True):
            memory.put(start, each)

    def _elements(self, number: int) -> Tokens:
        shape = self.graph.shape(number)
        return self._numbered(number, byte_size(shape) // stored_bytes(shape.dtype))

    def _value(self, value: Value) -> Tokens:
        """The tokens of a value on chip.  One without an instruction has those of its parts, as an e-node of its class says."""
        if isinstance(value, Step):
            return self._elements(value.number)
        _require(value.node in self.graph.classes[value.number], "a value is taken for another")
        _require(tuple(part.number for part in value.parts) == value.node.children, "a value is made of other parts")
        return packed(self._identity(value))

    def _identity(self, value: Identity) -> list[int]:
        shapes = [self.graph.shape(part.number).dims for part in value.parts]
        elements = [dict(zip(product(*map(range, dims)), unpacked(self._value(each)), strict=True)) for dims, each in zip(shapes, value.parts, strict=True)]
        every = product(*map(range, value.node.shape.dims))
        if value.is_slice:
            return [elements[0][_moved(index, value.starts[0])] for index in every]
        whole = {_moved(index, start): token for start, each in zip(value.starts, elements, strict=True) for index, token in each.items()}
        return [whole[index] for index in every]

    def _at(self, place: Place, shape: Any) -> list[Run]:
        """The bytes of a place, in the order of the elements."""
        first, size = self.allocation.address[place.tensor], stored_bytes(shape.dtype)
        starts, dims = [place.offset], list(zip(shape.dims, place.strides, strict=True))
        if dims and dims[-1][1] == size:
            size *= dims.pop()[0]
        for extent, stride in dims:
            starts = [start + number * stride for start in starts for number in range(extent)]
        if not starts or not size:
            return []
        _require(min(starts) >= 0 and max(starts) <= self._size(place.tensor) - size, "a place lies beyond its tensor")
        return of_one_length([first + start for start in starts], size)

    def _bytes(self, place: Place, runs: Sequence[Run]) -> list[Tokens]:
        """The tokens of runs of bytes of the tensor of a place."""
        first, tokens = self.allocation.address[place.tensor], self._numbered(place.tensor.number, self._size(place.tensor))
        return [part(tokens, start - first, length) for start, length in runs]

    def _runs(self, instruction: Instruction, position: int, piece: Slice, values: Mapping[str, int]) -> list[Run]:
        """The cells of a slice, all inside the memory."""
        key = (instruction.name, position)
        if key not in self._cells:
            self._cells[key] = cells_of(piece, self._sizes(piece.buffer))
        try:
            return self._cells[key].runs(values)
        except OutOfBounds:
            raise WrongProgram(f"{instruction.name}: beyond the end of {piece.buffer}") from None

    def _set(self, instruction: Instruction, known: Mapping[str, int]) -> None:
        found: dict[Register, int | None] = {}
        for each in instruction.sets:
            register = (each.state, None if each.index is None else evaluate(each.index, known))
            found[register] = self._set_to(each, known)
        self.registers.update(found)

    def _set_to(self, effect: Set, known: Mapping[str, int]) -> int | None:
        try:
            return wrap(self.accelerator.states[effect.state].element, evaluate(effect.value, known))
        except ExprError:
            return None


def _moved(index: tuple[int, ...], start: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(here + more for here, more in zip(index, start, strict=True))


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise WrongProgram(problem)
