"""Which command words the documentation of the accelerator gives a meaning: the bits of each command's format, and the bounds of what they hold.

Written from the specification, not from the RTL or the lifted text: `encodings` proves that the text has an instruction for every one of these commands.
"""

from __future__ import annotations

import z3

from proofs.dma import POOLED, RS1, RS2, SOME_PIXELS
from proofs.meaning import variable

Range = tuple[int, int]
ADDRESS, ROW, COLUMNS, ROWS, LOCAL = (39, 0), (13, 0), (47, 32), (63, 48), (31, 0)
TO_ACCUMULATOR, ACCUMULATE, FULL = (31, 31), (30, 30), (29, 29)
FORMATS: dict[str, tuple[list[Range], list[Range]]] = {
    **dict.fromkeys(("mvin", "mvin2", "mvin3"), ([ADDRESS], [ROW, ACCUMULATE, TO_ACCUMULATOR, COLUMNS, ROWS])),
    "mvout": ([ADDRESS], [ROW, FULL, TO_ACCUMULATOR, COLUMNS, ROWS]),
    "preload": ([ROW, COLUMNS, ROWS], [LOCAL, COLUMNS, ROWS]),
    **dict.fromkeys(("compute_preloaded", "compute_accumulated"), ([ROW, COLUMNS, ROWS], [ROW, COLUMNS, ROWS])),
    "config_ex": ([(2, 2), (4, 3), (7, 7), (9, 9), (31, 16)], [(4, 0), (63, 48)]),
    "config_ld": ([(2, 0), (4, 3), (29, 16)], [ADDRESS]),
    "config_st": ([(3, 0)], [LOCAL]),
}
KIND_OF_CONFIGURATION = {"config_ex": 0, "config_ld": 1, "config_st": 2}
ACCUMULATOR_ROWS = 1024
GARBAGE = (1 << 32) - 1
OUTPUT_STATIONARY = 0


def bits(word: z3.BitVecRef, place: Range) -> z3.BitVecRef:
    return z3.Extract(*place, word)


def documented(dim: int, instruction: str) -> list[z3.BoolRef]:
    """Conditions on rs1, rs2 and the configuration, of a command whose opcode is that of `instruction`."""
    return [*_only(instruction), *_bounds(dim, instruction)]


def _only(instruction: str) -> list[z3.BoolRef]:
    """Bits outside of the format are 0."""
    masks = [sum(1 << bit for high, low in places for bit in range(low, high + 1)) for places in FORMATS[instruction]]
    return [word & ~z3.BitVecVal(mask, 64) == 0 for word, mask in zip((RS1, RS2), masks, strict=True)]


def _bounds(dim: int, instruction: str) -> list[z3.BoolRef]:
    match instruction:
        case "mvin" | "mvin2" | "mvin3":
            adds_zeros = z3.And(RS1 == 0, bits(RS2, ACCUMULATE) == 1)
            return [*_moved(dim), _implies_accumulator(ACCUMULATE), z3.Not(adds_zeros)]
        case "mvout":
            row_exists = z3.Implies(bits(RS2, TO_ACCUMULATOR) == 1, z3.ULT(bits(RS2, ROW), ACCUMULATOR_ROWS))
            return [z3.If(POOLED, _pooled(dim), z3.And(*_moved(dim))), _implies_accumulator(FULL), row_exists]
        case "preload":
            return [z3.ULE(bits(RS1, place), dim) for place in (ROWS, COLUMNS)]
        case "compute_preloaded" | "compute_accumulated":
            result = [z3.ULE(variable(f"execute_controller.{name}", 16), dim) for name in ("c_rows", "c_cols")]
            operands = [z3.ULE(bits(word, place), dim) for word in (RS1, RS2) for place in (ROWS, COLUMNS)]
            nowhere = variable("execute_controller.c_addr", 32) == GARBAGE
            sums_stay = variable("execute_controller.current_dataflow", 1) == OUTPUT_STATIONARY
            return [*result, *operands, z3.Implies(nowhere, sums_stay)]
    return _configuration(instruction)


def _moved(dim: int) -> list[z3.BoolRef]:
    rows, columns = bits(RS2, ROWS), bits(RS2, COLUMNS)
    return [z3.UGE(rows, 1), z3.ULE(rows, dim), z3.UGE(columns, 1), z3.ULE(columns, 4 * dim)]


def _pooled(dim: int) -> z3.BoolRef:
    """Some output pixels of at most DIM channels; how many rows there are is told by the configuration, and whole rows are not pooled."""
    return z3.And(SOME_PIXELS, bits(RS2, ROWS) == 0, z3.ULE(bits(RS2, COLUMNS), dim), bits(RS2, FULL) == 0)


def _implies_accumulator(flag: Range) -> z3.BoolRef:
    return z3.Implies(bits(RS2, flag) == 1, bits(RS2, TO_ACCUMULATOR) == 1)


def _configuration(instruction: str) -> list[z3.BoolRef]:
    found = [bits(RS1, (1, 0)) == KIND_OF_CONFIGURATION[instruction]]
    if instruction == "config_ex":  # where only strides are set, dataflow, activation, transposition and shift are of no meaning
        return [*found, z3.Implies(bits(RS1, (7, 7)) == 1, z3.And(bits(RS1, (4, 2)) == 0, bits(RS1, (9, 9)) == 0, bits(RS2, (4, 0)) == 0))]
    return [*found, z3.ULT(bits(RS1, (4, 3)), 3)] if instruction == "config_ld" else found


__all__ = ["documented"]
