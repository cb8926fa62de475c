"""Random arguments of update functions, and what the functions do on them: the second route to equality, by execution."""

from __future__ import annotations

import random
from collections.abc import Mapping

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType

from lift.ir.evaluate import Memory, evaluate
from lift.ir.operations import width_of
from proofs.meaning import rtl_name


class Words(dict[int, int]):
    """A memory of random words, made when they are first read; `written` are the words that stores changed."""

    def __init__(self, bits: int, seed: str) -> None:
        super().__init__()
        self.bits, self.seed = bits, seed

    def get(self, address: int, default: int = 0) -> int:  # type: ignore[override]
        return self[address] if address in self else random.Random(f"{self.seed}{address}").getrandbits(self.bits)


def operands(rows: int, cols: int, rng: random.Random) -> dict[str, int]:
    """Command words of a command that moves at most `rows` x `cols` elements, a zero memory address now and then, and a few pixels where it pools."""
    local = rng.getrandbits(32) if rng.random() < 0.9 else 0xFFFFFFFF
    word = rng.randint(1, rows) << 48 | rng.randint(1, cols) << 32 | local
    pixels = {f"store_controller.pool_{name}": rng.randint(1, 4) for name in ("porows", "pocols")}
    return {"rs1": rng.choice([0, rng.getrandbits(64), word]), "rs2": word, **pixels}


def run(function: func.FuncOp, scalars: Mapping[str, int], seed: str) -> tuple[tuple[int, ...], list[dict[int, int]]]:
    """(results, words stored to each array) on given scalars, and random ones where none are given."""
    arguments: list[int | Memory] = []
    for index, value in enumerate(function.args):
        name, kind = rtl_name(function, index), value.type
        if isinstance(kind, MemRefType):
            arguments.append(Words(width_of(kind.element_type), seed + name))
        else:
            bits = width_of(kind)
            arguments.append(scalars.get(name, random.Random(seed + name).getrandbits(bits)) & ((1 << bits) - 1))
    results = evaluate(function, arguments)
    return results, [dict(a) for a in arguments if isinstance(a, Words)]
