"""What the moving instructions do, stated from their specification: the right-hand sides of the proofs about loads and stores.

An mvin or mvout moves rows[63:48] rows and cols[47:32] columns between memory at rs1 and the local address rs2[31:0].  Columns go in blocks of DIM.  Row r
of block b is at memory byte rs1 + r * stride + b * DIM * (bytes of an element).  Locally it is at row + r + b * (block_stride of the bank for
mvin, DIM for mvout).
"""

from __future__ import annotations

from dataclasses import dataclass

import z3

from proofs.meaning import array, variable

RS1, RS2 = variable("rs1", 64), variable("rs2", 64)
ROWS, COLS = z3.Extract(63, 48, RS2), z3.Extract(47, 32, RS2)
IS_ACCUMULATOR, ACCUMULATE, FULL_ROWS = (z3.Extract(k, k, RS2) == 1 for k in (31, 30, 29))
SCRATCHPAD, ACCUMULATOR, MEMORY = "scratchpad.bank.memory.mem", "accumulator.bank.memory.mem", "mem"
ROW_BITS = {SCRATCHPAD: 14, ACCUMULATOR: 10}
MEMORY_BITS = 40
BANKS = {"mvin": 0, "mvin2": 1, "mvin3": 2}
RELU = 1


def resize(value: z3.BitVecRef, bits: int) -> z3.BitVecRef:
    """Modulo 2**bits, or zero-extended."""
    return z3.Extract(bits - 1, 0, value) if bits <= value.size() else z3.ZeroExt(bits - value.size(), value)


def in_bounds(dim: int) -> z3.BoolRef:
    """The commands for which the controllers come to an end."""
    return z3.And(z3.UGE(ROWS, 1), z3.ULE(ROWS, dim), z3.UGE(COLS, 1), z3.ULE(COLS, 4 * dim))


POOLED = variable("store_controller.pool_stride", 2) != 0
"""Whether mvout pools."""
SOME_PIXELS = z3.And(*(variable(f"store_controller.pool_{name}", 8) != 0 for name in ("porows", "pocols")))
"""Of the output, where it does."""


def bounds(dim: int, instruction: str) -> z3.BoolRef:
    """`in_bounds`; a pooled mvout comes to an end where there are output pixels."""
    return in_bounds(dim) if instruction != "mvout" else z3.If(POOLED, SOME_PIXELS, in_bounds(dim))


def block_count(dim: int) -> z3.BitVecRef:
    """ceil(cols / dim), 64 bits."""
    return z3.UDiv(resize(COLS, 64) + (dim - 1), z3.BitVecVal(dim, 64))


def memory_address(stride: z3.BitVecRef, row: z3.BitVecRef, block: z3.BitVecRef, block_bytes: z3.BitVecRef) -> z3.BitVecRef:
    """Of the first byte of a row of a block, modulo 2**40; every operand is taken modulo 2**40 first."""
    base, by, r, b, size = (resize(v, MEMORY_BITS) for v in (RS1, stride, row, block, block_bytes))
    return base + r * by + b * size


def local_row(place: str, row: z3.BitVecRef, block: z3.BitVecRef, block_stride: z3.BitVecRef) -> z3.BitVecRef:
    """The word of a local memory, as 64 bits: rows count modulo its size."""
    whole = resize(RS2, 14) + resize(row, 14) + resize(block, 14) * resize(block_stride, 14)
    return resize(resize(whole, ROW_BITS[place]), 64)


def memory_byte(offset: int) -> z3.BitVecRef:
    """Byte `offset` of the row in memory, as the instruction found it: stands for a load that is proved to be from there."""
    return variable(f"memory byte {offset} of the row", 8)


def local_word(bits: int) -> z3.BitVecRef:
    """The row in the local memory, as the instruction found it: stands for a load that is proved to be from there."""
    return variable("local row", bits)


@dataclass(frozen=True, slots=True)
class Mvin:
    """One bank's mvin: `place` is where it goes, `narrow` whether elements are bytes (scratchpad, or accumulator under shrink)."""

    bank: int
    place: str
    narrow: bool
    zeros: bool
    dim: int

    @property
    def element_bytes(self) -> int:
        return 1 if self.narrow else 4

    @property
    def lane_bits(self) -> int:
        return 8 if self.place == SCRATCHPAD else 32

    @property
    def selected(self) -> list[z3.BoolRef]:
        """The commands and configurations to which this applies."""
        shrinks = z3.Select(array("load_controller.shrinks", 1), z3.BitVecVal(self.bank, 64)) == int(self.narrow)
        where = [z3.Not(IS_ACCUMULATOR)] if self.place == SCRATCHPAD else [IS_ACCUMULATOR, shrinks]
        return [*where, (RS1 == 0) == self.zeros]

    def address(self, row: z3.BitVecRef, block: z3.BitVecRef) -> z3.BitVecRef:
        stride = z3.Select(array("load_controller.block_strides", 14), z3.BitVecVal(self.bank, 64))
        return local_row(self.place, row, block, stride)

    def source(self, row: z3.BitVecRef, block: z3.BitVecRef) -> z3.BitVecRef:
        stride = z3.Select(array("load_controller.strides", 40), z3.BitVecVal(self.bank, 64))
        return memory_address(stride, row, block, z3.BitVecVal(self.dim * self.element_bytes, 64))

    def data(self, block: z3.BitVecRef) -> z3.BitVecRef:
        """The row that is stored, of the words that stand for loads: a lane at or beyond the columns keeps what it had."""
        return z3.Concat(*(self._lane(lane, block) for lane in reversed(range(self.dim))))

    def _lane(self, lane: int, block: z3.BitVecRef) -> z3.BitVecRef:
        old = local_word(self.dim * self.lane_bits)
        before = z3.Extract((lane + 1) * self.lane_bits - 1, lane * self.lane_bits, old)
        element = z3.BitVecVal(0, self.lane_bits) if self.zeros else self._element(lane)
        after = element if self.place == SCRATCHPAD else z3.If(ACCUMULATE, before + element, element)
        return z3.If(z3.ULT(block * self.dim + lane, resize(COLS, 64)), after, before)

    def _element(self, lane: int) -> z3.BitVecRef:
        """Little-endian; a byte is sign-extended."""
        size = self.element_bytes
        parts = [memory_byte(lane * size + k) for k in reversed(range(size))]
        whole = z3.Concat(*parts) if size > 1 else parts[0]
        return z3.SignExt(self.lane_bits - whole.size(), whole)


@dataclass(frozen=True, slots=True)
class Mvout:
    """mvout from `place` without pooling; from the accumulator it depends on the command whether rows are moved as they are or activated and saturated."""

    place: str
    dim: int

    @property
    def selected(self) -> list[z3.BoolRef]:
        return [IS_ACCUMULATOR if self.place == ACCUMULATOR else z3.Not(IS_ACCUMULATOR), z3.Not(POOLED)]

    @property
    def full(self) -> z3.BoolRef:
        return z3.And(IS_ACCUMULATOR, FULL_ROWS)

    def address(self, row: z3.BitVecRef, block: z3.BitVecRef) -> z3.BitVecRef:
        """Of the first byte of the row; 40 bits."""
        element = z3.If(self.full, z3.BitVecVal(4 * self.dim, 64), z3.BitVecVal(self.dim, 64))
        return memory_address(variable("store_controller.stride", 32), row, block, element)

    def valid_bytes(self, block: z3.BitVecRef) -> z3.BitVecRef:
        """How many bytes of the row are sent; 64 bits."""
        left = resize(COLS, 64) - block * self.dim
        columns = z3.If(z3.ULT(left, self.dim), left, z3.BitVecVal(self.dim, 64))
        return z3.If(self.full, 4 * columns, columns)

    def row(self, row: z3.BitVecRef, block: z3.BitVecRef) -> z3.BitVecRef:
        """The word of the local memory, 64 bits."""
        return local_row(self.place, row, block, z3.BitVecVal(self.dim, 64))

    def byte(self, number: int) -> z3.BitVecRef:
        """Byte `number` of the row that is sent."""
        bits = self.dim * (8 if self.place == SCRATCHPAD else 32)
        words = local_word(bits)
        as_it_is = z3.Extract(number * 8 + 7, number * 8, words) if number * 8 < bits else z3.BitVecVal(0, 8)
        if self.place == SCRATCHPAD:
            return as_it_is
        return z3.If(self.full, as_it_is, self._narrowed(number, words) if number < self.dim else z3.BitVecVal(0, 8))

    @staticmethod
    def _narrowed(lane: int, words: z3.BitVecRef) -> z3.BitVecRef:
        """The activation, then the nearest of the signed bytes."""
        x = z3.Extract(lane * 32 + 31, lane * 32, words)
        x = z3.If(z3.And(variable("store_controller.activation", 2) == RELU, x < 0), z3.BitVecVal(0, 32), x)
        return z3.Extract(7, 0, z3.If(x > 127, z3.BitVecVal(127, 32), z3.If(x < -128, z3.BitVecVal(-128, 32), x)))
