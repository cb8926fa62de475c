"""Creates operations quickly: each method appends one operation (or a fixed handful) to a block and returns its result.

`create` skips the argument handling of xDSL's constructors, which costs more than the operation itself.
"""

from __future__ import annotations

from functools import cache

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, Operation, SSAValue

from lift.ir.operations import PREDICATES, IndexCastUIOp, constant_value, result, width

INDEX = IndexType()
_I64 = IntegerType(64)


@cache
def integer(bits: int) -> IntegerType:
    return IntegerType(bits)


@cache
def integer_attr(value: int, bits: int) -> IntegerAttr:
    """`value` as MLIR prints it: signed, but 1-bit values as 0 and 1; `bits` 0 means an index."""
    if bits == 0:
        return IntegerAttr(value, INDEX)
    value &= (1 << bits) - 1
    return IntegerAttr(value - (1 << bits) if bits > 1 and value >> (bits - 1) else value, integer(bits))


@cache
def _predicate(name: str) -> IntegerAttr:
    return IntegerAttr(PREDICATES.index(name), _I64)


class Emitter:
    """Appends to `block`; with `before` set, inserts in front of that operation instead.  Constants go through `constants`, a table shared by
    the whole function, and are put at the start of the function by whoever owns the table."""

    def __init__(self, block: Block | None, constants: dict[tuple[int, int], arith.ConstantOp], before: Operation | None = None) -> None:
        self.block, self.constants, self.before = block, constants, before

    def add(self, op: Operation) -> SSAValue:
        if self.before is not None:
            self.before.parent_block().insert_op_before(op, self.before)  # type: ignore[union-attr]
        else:
            self.block.add_op(op)  # type: ignore[union-attr]
        return result(op)

    def constant(self, value: int, bits: int) -> SSAValue:
        """A constant of `bits` bits (0: index), one operation per value and width."""
        key = (value & ((1 << bits) - 1) if bits else value, bits)
        found = self.constants.get(key)
        if found is None:
            kind = integer(bits) if bits else INDEX
            found = self.constants[key] = arith.ConstantOp.create(result_types=[kind], properties={"value": integer_attr(value, bits)})
        return result(found)

    def binary(self, kind: type[Operation], a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(kind.create(operands=(a, b), result_types=(a.type,)))

    def compare(self, predicate: str, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(arith.CmpiOp.create(operands=(a, b), result_types=(integer(1),), properties={"predicate": _predicate(predicate)}))

    def select(self, condition: SSAValue, then: SSAValue, other: SSAValue) -> SSAValue:
        return self.add(arith.SelectOp.create(operands=(condition, then, other), result_types=(then.type,)))

    def cast(self, kind: type[Operation], a: SSAValue, bits: int) -> SSAValue:
        return self.add(kind.create(operands=(a,), result_types=(integer(bits),)))

    def resize(self, a: SSAValue, bits: int) -> SSAValue:
        """Zero-extended or truncated to `bits` bits."""
        present = width(a)
        if present == bits:
            return a
        return self.cast(arith.ExtUIOp if present < bits else arith.TruncIOp, a, bits)

    def index(self, a: SSAValue) -> SSAValue:
        """An address as an index."""
        assert width(a) <= 64, f"an address of {width(a)} bits"
        known = constant_value(a)
        if known is not None:
            return self.constant(known, 0)
        return self.add(IndexCastUIOp.create(operands=(a,), result_types=(INDEX,)))

    def from_index(self, a: SSAValue, bits: int) -> SSAValue:
        return self.cast(IndexCastUIOp, a, bits)

    def part(self, word: SSAValue, low: int, bits: int) -> SSAValue:
        """Bits [low + bits - 1 : low] of `word`."""
        if low:
            word = self.binary(arith.ShRUIOp, word, self.constant(low, width(word)))
        return word if width(word) == bits else self.cast(arith.TruncIOp, word, bits)

    def load(self, array: SSAValue, index: SSAValue) -> SSAValue:
        return self.add(memref.LoadOp.create(operands=(array, index), result_types=(array.type.element_type,)))  # type: ignore[attr-defined]

    def store(self, value: SSAValue, array: SSAValue, index: SSAValue) -> None:
        op = memref.StoreOp.create(operands=(value, array, index))
        if self.before is not None:
            self.before.parent_block().insert_op_before(op, self.before)  # type: ignore[union-attr]
        else:
            self.block.add_op(op)  # type: ignore[union-attr]
