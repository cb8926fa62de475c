"""A compiled program -> what it leaves in host memory for all inputs, as Z3 values, by the text of the instruction set alone.

Each command is executed as its instruction says: `when` and `use` must hold, slices are read, the body is evaluated, slices are written, registers set.
Attributes and registers are numbers, so places are numbers too; contents are bit vectors. What nobody wrote is a free variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import z3
from own_tests import from_tests

from act.hlo.dtypes import stored_bytes, width
from act.hlo.model import Computation, Instruction, Shape
from act.hlo.parse import parse_body
from act.oracle.slices import evaluate_grid
from act.program import Command, Program
from act.taidl import Accelerator, Slice
from act.taidl.expr import evaluate
from act.taidl.expr_text import parse_expr
from proofs.solve import NotProved

symbolic = from_tests("act.rewrites.symbolic")
Values = np.ndarray  # of Z3 values


class SymbolicMachine:
    """Buffers by name and place, from free variables on; registers with their initial values."""

    def __init__(self, accelerator: Accelerator) -> None:
        self.accelerator = accelerator
        self.cells: dict[tuple[str, int], Any] = {}
        self.registers = {(s.name, k): s.initial for s in accelerator.states.values() for k in range(s.count or 1)}

    # host memory

    def place(self, buffer: str, address: int, elements: Values, bits: int) -> None:
        """Elements of `bits` bits, little-endian, in whole bytes."""
        size = (bits + 7) // 8
        for number, element in enumerate(elements.flat):
            for byte in range(size):
                self.cells[buffer, address + number * size + byte] = z3.Extract(8 * byte + 7, 8 * byte, element) if bits > 8 else element

    def load(self, buffer: str, address: int, dims: tuple[int, ...], dtype: str) -> Values:
        """The tensor at an address of a host memory."""
        found, size = np.empty(dims, dtype=object), stored_bytes(dtype)
        for number, index in enumerate(np.ndindex(*dims)):
            found[index] = joined([self.cell(buffer, address + number * size + byte, 8) for byte in range(size)])
        return found

    def cell(self, buffer: str, place: int, bits: int) -> Any:
        return self.cells.setdefault((buffer, place), z3.BitVec(f"{buffer}[{place}] before", bits))

    # commands

    def execute(self, command: Command) -> None:
        operation = self.accelerator.instructions[command.instruction]
        if operation.opaque:
            raise NotProved(f"{operation.name} is opaque")
        values = dict(command.attributes)
        for use in operation.uses:
            index = 0 if use.index is None else evaluate(use.index, values)
            held = self.registers[use.state, index]
            if held is None or (use.equals is not None and held != evaluate(use.equals, values)):
                raise NotProved(f"{operation.name}: {use.state} is {held}")
            values |= {use.name: held} if use.name is not None else {}
        for condition in operation.when:
            if not evaluate(condition, values):
                raise NotProved(f"{operation.name}: a condition does not hold for {values}")
        if operation.body:
            self.compute(operation, values)
        new = [((s.state, 0 if s.index is None else evaluate(s.index, values)), evaluate(s.value, values)) for s in operation.sets]
        self.registers |= {key: value & ((1 << width(self.accelerator.states[key[0]].element)) - 1) for key, value in new}

    def compute(self, operation: Any, values: Mapping[str, int]) -> None:
        body = parse_body(operation.body, lambda text, location: evaluate(parse_expr(text, location), values))
        operands = [self.read(each.slice, values) for each in operation.reads]
        found = evaluate_body(body, operands)
        for each in operation.writes:
            if each.mask is not None:
                raise NotProved(f"{operation.name}: a write under a mask")
            places = self.places(each.slice, values)
            if len(set(places.flat)) < places.size:
                raise NotProved(f"{operation.name}: one element is written twice")
            self.cells |= {(each.slice.buffer, int(place)): value for place, value in zip(places.flat, found[each.name].flat, strict=True)}

    def read(self, piece: Slice, values: Mapping[str, int]) -> Values:
        places, bits = self.places(piece, values), width(self.accelerator.buffers[piece.buffer].element)
        found = np.empty(places.shape, dtype=object)
        for index in np.ndindex(*places.shape):
            found[index] = self.cell(piece.buffer, int(places[index]), bits)
        return found

    def places(self, piece: Slice, values: Mapping[str, int]) -> np.ndarray:
        """Numbers of the elements in the buffer."""
        buffer = self.accelerator.buffers[piece.buffer]
        dims = tuple(max(0, evaluate(index.extent, values)) for index in piece.indices)
        grid = dict(zip((index.name for index in piece.indices), np.indices(dims, dtype=np.int64), strict=True))
        total = np.zeros(dims, dtype=np.int64)
        for coordinate, size in zip(piece.coordinates, (*buffer.access, *buffer.unit), strict=True):
            at = np.broadcast_to(evaluate_grid(coordinate, {**{n: np.int64(v) for n, v in values.items()}, **grid}), dims)
            if np.any((at < 0) | (at >= size)):
                raise NotProved(f"a place outside of {buffer.name}")
            total = total * size + at
        return total


def joined(parts: list[Any]) -> Any:
    """Little-endian parts as one value: the value itself where they are its parts."""
    if len(parts) == 1:
        return parts[0]
    if all(z3.is_app_of(part, z3.Z3_OP_EXTRACT) for part in parts):
        bounds, low = [(part.params()[1], part.params()[0] + 1) for part in parts], 0
        whole = parts[0].arg(0)
        if all(part.arg(0).eq(whole) for part in parts) and [low, *(high for _, high in bounds)] == [*(low for low, _ in bounds), whole.size()]:
            return whole
    return z3.Concat(*reversed(parts))


def evaluate_body(body: Computation, operands: list[Values]) -> dict[str, Values]:
    """All values of a body, by name."""
    found: dict[str, Values] = {}
    for each in body:
        if each.opcode == "parameter":
            found[each.name] = operands[each.attributes["number"]]
        else:
            sources = [body[operand].shape for operand in each.operands]
            found[each.name] = applied(each, sources, [found[operand] for operand in each.operands])
    return found


def applied(each: Instruction, sources: list[Any], operands: list[Values]) -> Values:
    """One operator; besides those of the rules, a reinterpretation of several narrow elements as a wide one and the reverse."""
    if each.opcode != "bitcast-convert" or width(sources[0].dtype) == width(each.shape.dtype):  # type: ignore[union-attr]
        return symbolic._apply(each, sources, operands)
    assert isinstance(each.shape, Shape)
    found, wide = np.empty(each.shape.dims, dtype=object), width(each.shape.dtype)
    for index in np.ndindex(*each.shape.dims):
        if width(sources[0].dtype) < wide:
            found[index] = joined(list(operands[0][index]))
        else:
            found[index] = z3.Extract(wide * index[-1] + wide - 1, wide * index[-1], operands[0][index[:-1]])
    return found


def results(accelerator: Accelerator, program: Program, inputs: list[Values]) -> list[Values]:
    """The outputs of a program for symbolic inputs, in order."""
    machine = SymbolicMachine(accelerator)
    for region in program.regions:
        if region.data is not None:
            machine.place(region.buffer, region.address, np.array([z3.BitVecVal(byte, 8) for byte in region.data], dtype=object), 8)
    for region, elements in zip(program.of_kind("input"), inputs, strict=True):
        machine.place(region.buffer, region.address, elements, width(region.dtype))
    for command in program.commands:
        machine.execute(command)
    return [machine.load(r.buffer, r.address, r.dims, r.dtype) for r in program.of_kind("output")]
