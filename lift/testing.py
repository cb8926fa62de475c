"""Lemmas tried on random and extreme values instead of proved: what `--no-prove` puts in the place of the solver.

What does not differ on any of the values is kept, and counted as tested, never as proved.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType

from lift.functions import TimedProver
from lift.ir.evaluate import apply
from lift.ir.operations import width, width_of
from lift.prove.cone import Cone
from lift.prove.lemmas import Lemma

TRIALS = 64


class TrialProver(TimedProver):
    """A prover that does not prove: a lemma holds when it does for `TRIALS` choices of its leaves, the same in every run."""

    def _verdict(self, both: Cone) -> Lemma:
        draw = random.Random(TRIALS)
        for _ in range(TRIALS):
            values = [_value(leaf, draw) for leaf in both.leaves]
            before, after = roots(both, values)
            if before != after:
                return Lemma("refuted", tuple(v for v in values if isinstance(v, int)))
        return Lemma("proved")


class Words(dict[int, int]):
    """An array that makes up its words as they are read."""

    def __init__(self, bits: int, draw: random.Random) -> None:
        super().__init__()
        self.bits, self.draw = bits, draw

    def __missing__(self, address: int) -> int:
        self[address] = word = _word(self.bits, self.draw)
        return word


def roots(both: Cone, leaves: Sequence[int | Words]) -> tuple[int, ...]:
    """The values of the roots for these values of the leaves; loads of sources included."""
    values: list[int | Words] = list(leaves)
    widths = [v.bits if isinstance(v, Words) else width(leaf) for leaf, v in zip(both.leaves, leaves, strict=True)]
    for name, attribute, bits, operands in both.nodes:
        arguments = [values[k] for k in operands]
        if isinstance(arguments[0] if arguments else 0, Words):
            values.append(arguments[0][arguments[1]])  # type: ignore[index]
        else:
            values.append(apply(name, attribute, bits, [widths[k] for k in operands], arguments))  # type: ignore[arg-type]
        widths.append(bits)
    return tuple(values[r] for r in both.roots)  # type: ignore[return-value]


def _value(leaf, draw: random.Random) -> int | Words:
    if isinstance(leaf.type, MemRefType):
        return Words(width_of(leaf.type.element_type), draw)
    return _word(width(leaf), draw)


def _word(bits: int, draw: random.Random) -> int:
    """Small, extreme or anything."""
    top = 1 << bits
    return draw.choice((0, 1, top - 1, top >> 1, (top >> 1) - 1, draw.randrange(min(top, 16)), draw.randrange(top), draw.randrange(top)))
