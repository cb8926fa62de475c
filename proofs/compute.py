"""What preload and compute do to memories and to the array, stated from their specification: weight stationary C = A * W + D row by row; output
stationary S + A' * B, which stays, or leaves as C, divided by a power of two.

An operand is {rows[63:48], cols[47:32], local address[31:0]}; elements beyond its rows or columns, and of the garbage address, are zeros.  W is the tile in
the active buffer, and S; sums have 20 bits and wrap.
"""

from __future__ import annotations

from dataclasses import dataclass

import z3

from proofs.dma import ACCUMULATOR, ROW_BITS, RS1, RS2, SCRATCHPAD, resize
from proofs.meaning import variable
from proofs.pe import OUTPUT_STATIONARY, WEIGHT_STATIONARY, clip20, low, round_half_even, sign_extend

GARBAGE = 0xFFFFFFFF
UNIT = "execute_controller"
RELU = 1
PROPAGATE = variable(f"{UNIT}.in_prop", 1)
DATAFLOW, SHIFT = variable(f"{UNIT}.current_dataflow", 1), variable(f"{UNIT}.in_shift", 5)
TRANSPOSE = variable(f"{UNIT}.bd_transpose", 1)
ACTIVATION = variable(f"{UNIT}.activation", 2)
A_STRIDE, C_STRIDE = variable(f"{UNIT}.a_addr_stride", 16), variable(f"{UNIT}.c_addr_stride", 16)
C_ADDRESS, C_ROWS, C_COLS = variable(f"{UNIT}.c_addr", 32), variable(f"{UNIT}.c_rows", 16), variable(f"{UNIT}.c_cols", 16)


def buffer(name: str) -> str:
    return f"{UNIT}.mesh_with_delays.mesh.row.col.tile.pe.{name}"


@dataclass(frozen=True, slots=True)
class Operand:
    """A tile in the scratchpad, named by a command word; its rows are `stride` apart.  `name` names its rows where they stand for loads."""

    name: str
    word: z3.BitVecRef
    stride: z3.BitVecRef

    def address(self, row: int) -> z3.BitVecRef:
        return resize(z3.Extract(13, 0, self.word) + row * z3.Extract(13, 0, self.stride), 64)

    def line(self, row: int, dim: int) -> z3.BitVecRef:
        """Stands for the load of a row."""
        return variable(f"row {row} of {self.name}", 8 * dim)

    @property
    def turned(self) -> Operand:
        """The tile where it is transposed on the way: it has as many rows as the array gets columns of it, and the other way round."""
        rows, cols, address = z3.Extract(63, 48, self.word), z3.Extract(47, 32, self.word), z3.Extract(31, 0, self.word)
        return Operand(self.name, z3.Concat(cols, rows, address), self.stride)

    def element(self, row: int, lane: int, dim: int) -> z3.BitVecRef:
        address, rows, cols = z3.Extract(31, 0, self.word), z3.Extract(63, 48, self.word), z3.Extract(47, 32, self.word)
        present = z3.And(address != GARBAGE, z3.UGT(rows, row), z3.UGT(cols, lane))
        return z3.If(present, z3.Extract(8 * lane + 7, 8 * lane, self.line(row, dim)), z3.BitVecVal(0, 8))


ADJACENT = z3.BitVecVal(1, 16)
A, B, D = Operand("A", RS1, A_STRIDE), Operand("B", RS1, ADJACENT), Operand("D", RS2, ADJACENT)


def held(row: int, col: int) -> z3.BitVecRef:
    """Stands for the load of an element of the active buffer, 32 bits."""
    return variable(f"held {row} {col}", 32)


def partial_product(k: int) -> z3.BitVecRef:
    """Stands for a[k] * w[k][col], 16 bits."""
    return variable(f"product {k}", 16)


def factors(row: int, k: int, col: int, dim: int, dataflow: int = WEIGHT_STATIONARY) -> tuple[z3.BitVecRef, z3.BitVecRef]:
    """What is multiplied, extended to 16 bits.  Output stationary, the rows of the first operand are the columns of A, the second is B."""
    if dataflow == OUTPUT_STATIONARY:
        return sign_extend(A.element(k, row, dim), 16), sign_extend(D.element(k, col, dim), 16)
    return sign_extend(A.element(row, k, dim), 16), sign_extend(z3.Extract(7, 0, held(k, col)), 16)


def result(row: int, col: int, dim: int) -> z3.BitVecRef:
    """Element of A * W + D, 20 bits, wrapped."""
    return _with_products(sign_extend(D.element(row, col, dim), 20), dim)


def sums(row: int, col: int, dim: int) -> z3.BitVecRef:
    """Element of S + A' * B, 20 bits, wrapped."""
    return _with_products(low(held(row, col), 20), dim)


def leaving(total: z3.BitVecRef) -> z3.BitVecRef:
    """A sum on its way out: divided by a power of two, rounded half to even, the nearest of 20 bits."""
    return clip20(round_half_even(sign_extend(total, 32), SHIFT))


def _with_products(total: z3.BitVecRef, dim: int) -> z3.BitVecRef:
    for k in range(dim):
        total = total + sign_extend(partial_product(k), 20)
    return total


def old_line(place: str, row: int, dim: int) -> z3.BitVecRef:
    """Stands for the load of a row of C."""
    return variable(f"row {row} of C", dim * (8 if place == SCRATCHPAD else 32))


def c_address(place: str, row: int) -> z3.BitVecRef:
    return resize(resize(z3.Extract(13, 0, C_ADDRESS) + row * z3.Extract(13, 0, C_STRIDE), ROW_BITS[place]), 64)


def written(place: str, row: int) -> z3.BoolRef:
    """Whether row `row` of C goes to this memory."""
    there = (z3.Extract(31, 31, C_ADDRESS) == 1) == (place == ACCUMULATOR)
    return z3.And(there, C_ADDRESS != GARBAGE, z3.UGT(C_ROWS, row))


def stored(place: str, row: int, col: int, dim: int) -> z3.BitVecRef:
    """Lane `col` of the row that is written, weight stationary."""
    return stored_as(result(row, col, dim), place, row, col, dim)


def stored_as(total: z3.BitVecRef, place: str, row: int, col: int, dim: int) -> z3.BitVecRef:
    """... where the 20 bits that leave the array are `total`."""
    bits = 8 if place == SCRATCHPAD else 32
    old = z3.Extract(bits * (col + 1) - 1, bits * col, old_line(place, row, dim))
    new = _narrowed(total) if place == SCRATCHPAD else _accumulated(total, old)
    return z3.If(z3.UGT(C_COLS, col), new, old)


def _narrowed(total: z3.BitVecRef) -> z3.BitVecRef:
    """Saturated to a signed byte, then ReLU if configured."""
    byte = z3.Extract(7, 0, z3.If(total > 127, z3.BitVecVal(127, 20), z3.If(total < -128, z3.BitVecVal(-128, 20), total)))
    return z3.If(z3.And(ACTIVATION == RELU, byte < 0), z3.BitVecVal(0, 8), byte)


def _accumulated(total: z3.BitVecRef, old: z3.BitVecRef) -> z3.BitVecRef:
    wide = sign_extend(total, 32)
    return z3.If(z3.Extract(30, 30, C_ADDRESS) == 1, old + wide, wide)
