"""Command encodings of the accelerator as (funct, rs1, rs2), for the testbenches; fields as in rtl/gemmini/README.md."""

from __future__ import annotations

from dataclasses import dataclass

Command = tuple[int, int, int]

FUNCT_CONFIG, FUNCT_MVIN2, FUNCT_MVIN, FUNCT_MVOUT = 0, 1, 2, 3
FUNCT_COMPUTE_PRELOADED, FUNCT_COMPUTE_ACCUMULATED, FUNCT_PRELOAD, FUNCT_FLUSH, FUNCT_MVIN3 = 4, 5, 6, 7, 14
MVIN_FUNCTS = (FUNCT_MVIN, FUNCT_MVIN2, FUNCT_MVIN3)

ACCUMULATOR, ACCUMULATE, FULL_ROW = 1 << 31, 1 << 30, 1 << 29
GARBAGE = 0xFFFFFFFF
RELU = 1
OUTPUT_STATIONARY, WEIGHT_STATIONARY = 0, 1


@dataclass(frozen=True, slots=True)
class Pooling:
    """Max pooling on the way out; a stride of 0 is none. Sizes in pixels."""

    stride: int = 0
    size: int = 0
    upad: int = 0
    lpad: int = 0
    out_dim: int = 0
    porows: int = 0
    pocols: int = 0
    orows: int = 0
    ocols: int = 0

    @property
    def bits(self) -> int:
        """The fields' places in rs1 of config_st."""
        return (self.stride << 4 | self.size << 6 | self.upad << 8 | self.lpad << 10 | self.out_dim << 24
                | self.porows << 32 | self.pocols << 40 | self.orows << 48 | self.ocols << 56)


NO_POOLING = Pooling()


def tile(local: int, rows: int, cols: int) -> int:
    """An operand {rows, cols, local address}; `local` includes the flag bits."""
    return rows << 48 | cols << 32 | local


def config_ld(stride: int, bank: int = 0, shrink: bool = False, block_stride: int = 0, scale: int = 0, repeats: int = 0) -> Command:
    return FUNCT_CONFIG, scale << 32 | block_stride << 16 | repeats << 8 | bank << 3 | shrink << 2 | 1, stride


def config_st(stride: int, activation: int = 0, acc_scale: int = 0, pooling: Pooling = NO_POOLING) -> Command:
    return FUNCT_CONFIG, pooling.bits | activation << 2 | 2, acc_scale << 32 | stride


def config_ex(activation: int = 0, a_stride: int = 1, c_stride: int = 1, dataflow: int = WEIGHT_STATIONARY, shift: int = 0,
              b_transpose: bool = False) -> Command:
    return FUNCT_CONFIG, a_stride << 16 | b_transpose << 9 | activation << 3 | dataflow << 2, c_stride << 48 | shift


def mvin(address: int, local: int, rows: int, cols: int, bank: int = 0) -> Command:
    return MVIN_FUNCTS[bank], address, tile(local, rows, cols)


def mvout(address: int, local: int, rows: int, cols: int) -> Command:
    return FUNCT_MVOUT, address, tile(local, rows, cols)


def preload(weights: int, result: int) -> Command:
    """Operands made by `tile`; output stationary, D in place of the weights."""
    return FUNCT_PRELOAD, weights, result


def compute(a: int, d: int, accumulated: bool = False) -> Command:
    """Operands made by `tile`; output stationary, B in place of D."""
    return (FUNCT_COMPUTE_ACCUMULATED if accumulated else FUNCT_COMPUTE_PRELOADED), a, d
