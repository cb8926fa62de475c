"""What the execute instructions do to scratchpad and accumulator, with numpy: no cycles, no mesh."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from commands import (
    ACCUMULATE,
    ACCUMULATOR,
    FUNCT_COMPUTE_ACCUMULATED,
    FUNCT_COMPUTE_PRELOADED,
    FUNCT_CONFIG,
    FUNCT_PRELOAD,
    GARBAGE,
    RELU,
    WEIGHT_STATIONARY,
    Command,
)

SCRATCHPAD_ROWS, ACCUMULATOR_ROWS = 1 << 14, 1 << 10


@dataclass(frozen=True, slots=True)
class Operand:
    """{rows, cols, local address} of a matrix."""

    rows: int
    cols: int
    local: int


def operand(word: int) -> Operand:
    return Operand(word >> 48, word >> 32 & 0xFFFF, word & 0xFFFFFFFF)


def wrapped(values: np.ndarray, bits: int) -> np.ndarray:
    return (values + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


@dataclass(slots=True)
class ExecuteModel:
    """scratchpad int8[16384, dim] and accumulator int32[1024, dim], changed in place by `execute`."""

    dim: int
    scratchpad: np.ndarray
    accumulator: np.ndarray
    activation: int = 0
    a_stride: int = 0
    c_stride: int = 0
    dataflow: int = WEIGHT_STATIONARY
    shift: int = 0
    b_transpose: int = 0
    c: Operand = Operand(0, 0, 0)
    loaded: np.ndarray = field(init=False)
    used: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.loaded = self.used = np.zeros((self.dim, self.dim), dtype=np.int64)

    def execute(self, command: Command) -> None:
        """One command; other functs and configuration subtypes do nothing."""
        funct, rs1, rs2 = command
        match funct:
            case _ if funct == FUNCT_CONFIG and rs1 & 3 == 0:
                self._configure(rs1, rs2)
            case _ if funct == FUNCT_PRELOAD:
                tile = operand(rs1)
                transposes = self.b_transpose and self.dataflow == WEIGHT_STATIONARY
                self.loaded = self._read(Operand(tile.cols, tile.rows, tile.local), 1).T if transposes else self._read(tile, 1)
                self.c = operand(rs2)
            case _ if funct in (FUNCT_COMPUTE_PRELOADED, FUNCT_COMPUTE_ACCUMULATED):
                self.used = self.loaded if funct == FUNCT_COMPUTE_PRELOADED else self.used
                self.loaded = np.zeros_like(self.loaded)
                self._compute(self._read(operand(rs1), self.a_stride), self._read(operand(rs2), 1))

    def _compute(self, first: np.ndarray, second: np.ndarray) -> None:
        """Weight stationary A and D; output stationary the columns of A and B, whose sums leave when C says where to."""
        if self.dataflow == WEIGHT_STATIONARY:
            self._write(wrapped(first @ wrapped(self.used, 8) + second, 20))
            return
        self.used = wrapped(self.used + first.T @ second, 20)
        if self.c.local != GARBAGE:
            self._write(np.rint(self.used / 2**self.shift).astype(np.int64))
            self.used = np.zeros_like(self.used)

    def _configure(self, rs1: int, rs2: int) -> None:
        self.a_stride, self.c_stride = rs1 >> 16 & 0xFFFF, rs2 >> 48
        if not rs1 >> 7 & 1:
            self.dataflow, self.activation, self.shift = rs1 >> 2 & 1, rs1 >> 3 & 3, rs2 & 31
            self.b_transpose = rs1 >> 9 & 1

    def _read(self, source: Operand, stride: int) -> np.ndarray:
        """int64[dim, dim]; zero beyond the operand's rows and columns."""
        tile = np.zeros((self.dim, self.dim), dtype=np.int64)
        if source.local != GARBAGE:
            rows, cols = min(source.rows, self.dim), min(source.cols, self.dim)
            places = (source.local + np.arange(rows) * stride) % SCRATCHPAD_ROWS
            tile[:rows, :cols] = self.scratchpad[places, :cols]
        return tile

    def _write(self, result: np.ndarray) -> None:
        if self.c.local == GARBAGE:
            return
        for r in range(min(self.c.rows, self.dim)):
            self._write_row(self.c.local + r * self.c_stride, result[r, : self.c.cols])

    def _write_row(self, place: int, row: np.ndarray) -> None:
        if self.c.local & ACCUMULATOR:
            target = self.accumulator[place % ACCUMULATOR_ROWS]
            target[: len(row)] = row + (target[: len(row)] if self.c.local & ACCUMULATE else 0)
        else:
            narrow = np.clip(row, 0 if self.activation == RELU else -128, 127)
            self.scratchpad[place % SCRATCHPAD_ROWS, : len(row)] = narrow
