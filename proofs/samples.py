"""Arguments of update functions, random ones or those of a counterexample, and what the functions do on them: the second route to equality, by execution."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType

from lift.ir.evaluate import Memory, evaluate
from lift.ir.operations import width_of
from proofs.meaning import rtl_name


class Words(dict[int, int]):
    """A memory as it is before, whose words are made where they are read; what it holds are the words that stores changed."""

    def __init__(self, make: Callable[[int], int]) -> None:
        super().__init__()
        self.make = make

    def get(self, address: int, default: int = 0) -> int:  # type: ignore[override]
        return self[address] if address in self else self.make(address)


def operands(rows: int, cols: int, rng: random.Random) -> dict[str, int]:
    """Command words of a command that moves at most `rows` x `cols` elements, a zero memory address now and then, and a few pixels where it pools."""
    local = rng.getrandbits(32) if rng.random() < 0.9 else 0xFFFFFFFF
    word = rng.randint(1, rows) << 48 | rng.randint(1, cols) << 32 | local
    pixels = {f"store_controller.pool_{name}": rng.randint(1, 4) for name in ("porows", "pocols")}
    return {"rs1": rng.choice([0, rng.getrandbits(64), word]), "rs2": word, **pixels}


def run(function: func.FuncOp, scalars: Mapping[str, int], seed: str) -> tuple[tuple[int, ...], list[dict[int, int]]]:
    """(results, words stored to each array) on given scalars, and random ones where none are given."""

    def scalar(name: str, bits: int) -> int:
        return scalars.get(name, random.Random(seed + name).getrandbits(bits)) & ((1 << bits) - 1)

    results, stored = execute(function, scalar, lambda name, address, bits: random.Random(f"{seed}{name}{address}").getrandbits(bits))
    return results, [words for _, words in stored]


def execute(
    function: func.FuncOp, scalar: Callable[[str, int], int], word: Callable[[str, int, int], int]
) -> tuple[tuple[int, ...], list[tuple[str, dict[int, int]]]]:
    """Results, and the words that were stored to each array argument; `scalar` gives values by name and width, `word` by name, address and width."""
    arguments: list[int | Memory] = []
    names = [rtl_name(function, index) for index in range(len(function.args))]
    for name, value in zip(names, function.args, strict=True):
        if isinstance(value.type, MemRefType):
            arguments.append(Words(partial(_word, word, name, width_of(value.type.element_type))))
        else:
            arguments.append(scalar(name, width_of(value.type)))
    results = evaluate(function, arguments)
    return results, [(name, dict(a)) for name, a in zip(names, arguments, strict=True) if isinstance(a, Words)]


def _word(word: Callable[[str, int, int], int], name: str, bits: int, address: int) -> int:
    return word(name, address, bits)
