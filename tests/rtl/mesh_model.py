"""A mesh of processing elements, row after row: what a wave does on its way through, without its timing."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from pe_model import PeInput, PeState, pe_step


@dataclass(frozen=True, slots=True)
class MeshRow:
    """One row of each operand (DIM lanes; a, b, d int8) and the control it travels with."""

    a: list[int]
    b: list[int]
    d: list[int]
    dataflow: int
    propagate: int
    shift: int = 0


class MeshModel:
    """DIM x DIM processing elements, all registers zero at first."""

    def __init__(self, dim: int):
        self.states = [[PeState(0, 0, 0) for _ in range(dim)] for _ in range(dim)]

    def feed(self, row: MeshRow) -> tuple[list[int], list[int]]:
        """(out_b, out_c), DIM lanes of 20 bits each, after the row has passed every processing element."""
        b, d = list(row.b), list(row.d)
        for r, states in enumerate(self.states):
            for c, state in enumerate(states):
                cycle = PeInput(row.a[r], b[c], d[c], row.dataflow, row.propagate, row.shift)
                b[c], d[c], states[c] = pe_step(state, cycle)
        return b, d


def zero_row(dim: int, dataflow: int, propagate: int) -> MeshRow:
    return MeshRow([0] * dim, [0] * dim, [0] * dim, dataflow, propagate)


def random_row(random: Random, dim: int, dataflow: int, propagate: int) -> MeshRow:
    lanes = [[random.randint(-128, 127) for _ in range(dim)] for _ in range(3)]
    return MeshRow(*lanes, dataflow=dataflow, propagate=propagate, shift=random.choice([0, 1, 4, 9]))
