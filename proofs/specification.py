"""An instruction of a specification -> the commands, states and effects that it speaks of, in terms of the variables of the RTL.

`BUFFERS` and `REGISTERS` say where the RTL keeps what the specification names: the relation under which the two are proved equal.  An attribute is a free
variable as wide as its field; the command words are made of them as `encode` says, bits that no field names being 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import z3

from act.taidl import Accelerator, Binary, Buffer, Expr, Instruction, Int, Name, Slice, body_of, conjuncts
from proofs.integers import Integer, NoMeaning, condition, exact, less, modulo, unsigned
from proofs.meaning import array, variable
from proofs.tensors import Product, Tensors, is_signed, multiply, width_of

ELEMENT = "execute_controller.mesh_with_delays.mesh.row.col.tile.pe"
BUFFERS = {  # of both designs: their names do not meet
    "mem": ("mem",), "accumulator": ("accumulator.bank.memory.mem",), "scratchpad": ("scratchpad.bank.memory.mem",),
    "c": (f"{ELEMENT}.c1", f"{ELEMENT}.c2"),
    "acc": ("compute.acc.mem",), "uop": ("compute.uop.mem",), "inp": ("inp.mem",), "wgt": ("wgt.mem",), "out": ("out.mem",),
}  # fmt: skip
REGISTERS = {
    **{n: f"execute_controller.{n}" for n in ("a_addr_stride", "activation", "c_addr", "c_addr_stride", "c_cols", "c_rows")},
    **{n: f"execute_controller.{n}" for n in ("bd_transpose", "current_dataflow", "in_prop", "in_shift")},
    "store_controller_activation": "store_controller.activation", "stride": "store_controller.stride",
    **{n: f"load_controller.{n}" for n in ("block_strides", "shrinks", "strides")},
    **{f"pool_{n}": f"store_controller.pool_{n}" for n in ("lpad", "ocols", "orows", "out_dim", "pocols", "porows", "size", "stride", "upad")},
    "finish": "compute.finish",
}  # fmt: skip
INDEX_BITS = 64


@dataclass(frozen=True, slots=True)
class Place:
    """An element: bits [width * lane + width - 1 : width * lane] of word `address` (64 bits) of `name`; `when` it is this array of several."""

    name: str
    address: z3.BitVecRef
    lane: Integer | None
    width: int
    when: z3.BoolRef

    def of(self, word: z3.BitVecRef) -> z3.BitVecRef:
        """The element in the word."""
        if self.lane is None:
            return word
        if self.lane.constant is not None:
            return z3.Extract(self.width * (self.lane.constant + 1) - 1, self.width * self.lane.constant, word)
        return z3.Extract(self.width - 1, 0, z3.LShR(word, self.width * self.lane.resized(word.size())))


def places(buffer: Buffer, slice_: Slice, names: Mapping[str, Integer]) -> list[Place]:
    """Where an element is, one place for each array that the buffer is made of.  Addresses are taken modulo the size of the buffer: an access beyond it has
    no meaning."""
    first, *rest = slice_.coordinates
    arrays, width = BUFFERS[buffer.name], width_of(buffer.element)
    if len(arrays) > 1:
        bits, number = _bits(len(arrays)), exact(first, names)
        row, column = (exact(c, names) for c in rest)
        flat = row.resized(INDEX_BITS) * buffer.unit[1] + column.resized(INDEX_BITS)
        return [Place(n, flat, None, width, number.resized(bits) == k) for k, n in enumerate(arrays)]
    address = z3.ZeroExt(INDEX_BITS - _bits(buffer.access[0]), modulo(first, names, _bits(buffer.access[0])))
    return [Place(arrays[0], address, exact(rest[0], names) if rest else None, width, z3.BoolVal(True))]


def _bits(size: int) -> int:
    if size & (size - 1):
        raise NoMeaning(f"a buffer of {size}, which is no power of two")
    return size.bit_length() - 1


class Command:
    """One instruction, for all values of its attributes and all states."""

    def __init__(self, accelerator: Accelerator, operation: Instruction, product: Product = multiply) -> None:
        self.accelerator, self.operation, self.product = accelerator, operation, product
        self.attributes = {n: variable(n, w) for n, w in self._widths().items()}
        missing = set(operation.attributes) - self.attributes.keys()
        if missing:
            raise NoMeaning(f"{operation.name}: {', '.join(sorted(missing))} in no field")
        self.body = body_of(operation, operation.name) if operation.body else None

    def _widths(self) -> dict[str, int]:
        return {f.value.name: f.high - f.low + 1 for f in self.operation.encode if isinstance(f.value, Name)}

    @cached_property
    def words(self) -> list[tuple[z3.BitVecRef, z3.BitVecRef]]:
        """(the RTL's word, what the encoding makes of the attributes)."""
        found = {w.name: z3.BitVecVal(0, w.width) for w in self.accelerator.words}
        for f in self.operation.encode:
            held = found[f.word]
            value = exact(f.value, self.wide).resized(f.high - f.low + 1)
            found[f.word] = z3.simplify(held | z3.ZeroExt(held.size() - value.size(), value) << f.low)
        return [(variable(name, value.size()), value) for name, value in found.items()]

    def register(self, name: str, index: Expr | None = None) -> z3.BitVecRef:
        """A register as it is before the instruction."""
        state = self.accelerator.states[name]
        width = width_of(state.element)
        if state.count is None:
            return variable(REGISTERS[name], width)
        assert index is not None
        return z3.Select(array(REGISTERS[name], width), exact(index, self.wide).resized(INDEX_BITS))

    @cached_property
    def wide(self) -> dict[str, Integer]:
        """Attributes and registers by name, with no more known of them than their widths."""
        found = {n: unsigned(v) for n, v in self.attributes.items()}
        for use in self.operation.uses:
            if use.name is not None:
                assert use.index is None or isinstance(use.index, Int)
                found[use.name] = self._integer(use.state, use.index)
        return found

    def _integer(self, state: str, index: Int | None) -> Integer:
        element = self.accelerator.states[state].element
        if is_signed(element):
            raise NoMeaning(f"a signed register {state}")
        width = width_of(element)
        if index is None:
            return unsigned(variable(REGISTERS[state], width))
        return unsigned(z3.Select(array(REGISTERS[state], width), z3.BitVecVal(index.value, INDEX_BITS)))

    @cached_property
    def names(self) -> dict[str, Integer]:
        """The same with the ranges that single conditions give; right under `conditions`."""
        found = dict(self.wide)
        for clause in (c for w in self.operation.when for c in conjuncts(w)):
            match clause:
                case Binary("<=", Name(name), Int(most)):
                    found[name] = _at_most(found[name], most)
                case Binary("<", Name(name), Int(bound)):
                    found[name] = _at_most(found[name], bound - 1)
        return found

    @cached_property
    def conditions(self) -> list[z3.BoolRef]:
        """When the instruction may be issued: `when` and `use`."""
        found = [condition(clause, self.wide) for clause in self.operation.when]
        for use in self.operation.uses:
            if use.equals is not None:
                register = self.register(use.state, use.index)
                found.append(exact(use.equals, self.wide).resized(register.size()) == register)
        return found

    def constant(self, value: Expr, width: int) -> z3.BitVecRef:
        """A field's value, of which no attribute is part."""
        return exact(value, {}).resized(width)

    # slices and bodies

    def indexed(self, slice_: Slice, index: Sequence[Integer]) -> dict[str, Integer]:
        return self.names | {i.name: value for i, value in zip(slice_.indices, index, strict=True)}

    def inside(self, slice_: Slice, index: Sequence[Integer]) -> z3.BoolRef:
        """Whether an index is below the extents."""
        return z3.And(*(less(value, exact(i.extent, self.names)) for i, value in zip(slice_.indices, index, strict=True)))

    def places(self, slice_: Slice, index: Sequence[Integer]) -> list[Place]:
        return places(self.accelerator.buffers[slice_.buffer], slice_, self.indexed(slice_, index))

    def read(self, slice_: Slice, index: Sequence[Integer]) -> z3.BitVecRef:
        """An element as it is before the instruction."""
        buffer = self.accelerator.buffers[slice_.buffer]
        word_bits = width_of(buffer.element) * (buffer.unit[0] if len(BUFFERS[buffer.name]) == 1 and buffer.unit else 1)
        each = [(p, p.of(z3.Select(array(p.name, word_bits), p.address))) for p in self.places(slice_, index)]
        value = each[-1][1]
        for place, element in reversed(each[:-1]):
            value = z3.If(place.when, element, value)
        return value

    @cached_property
    def tensors(self) -> Tensors:
        """The values of the body."""
        assert self.body is not None
        operands = [lambda index, s=read.slice: self.read(s, index) for read in self.operation.reads]
        return Tensors(self.body, self.names, operands, lambda a, b: self.product(a, b))

    def sets(self) -> dict[str, list[tuple[Expr | None, z3.BitVecRef]]]:
        """register -> (index, value it becomes), in the order of the clauses."""
        found: dict[str, list[tuple[Expr | None, z3.BitVecRef]]] = {}
        for each in self.operation.sets:
            width = width_of(self.accelerator.states[each.state].element)
            found.setdefault(each.state, []).append((each.index, modulo(each.value, self.names, width)))
        return found


def _at_most(value: Integer, most: int) -> Integer:
    return Integer(value.bits, value.low, min(value.high, max(value.low, most)))


__all__ = ["BUFFERS", "REGISTERS", "Command", "Place", "places"]
