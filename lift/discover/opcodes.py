"""Instructions as payload words: the bits of the opcode fixed, symbols elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from lift.discover.commands import Decoder, PayloadSlice
from lift.unroll import terms
from lift.unroll.terms import Term

MOST_BITS = 8  # of a subcode whose values are counted
Fixed = tuple[tuple[str, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Opcode:
    """One instruction of the decoder: payload words with the opcode's bits fixed and symbols elsewhere; `excluded`: what they are not; not `named`:
    the values of a subcode that nothing is compared with, which perhaps do nothing."""

    name: str
    payload: dict[str, Term]
    fixed: tuple[tuple[str, int, int, int], ...]  # (word, low, width, value)
    excluded: tuple[Term, ...] = ()
    named: bool = True


def opcode(name: str, widths: dict[str, int], fixed: Fixed) -> Opcode:
    """Payload words of the given widths with the `fixed` bits (word, low, width, value) constant."""
    payload: dict[str, Term] = {}
    for word, width in widths.items():
        symbol = terms.sym(word, width)
        pieces: list[Term] = []
        position = 0
        for _, low, bits, value in sorted((f for f in fixed if f[0] == word), key=lambda f: f[1]):
            if low > position:
                pieces.append(terms.extract(symbol, position, low - position))
            pieces.append(terms.const(value, bits))
            position = low + bits
        if position < width:
            pieces.append(terms.extract(symbol, position, width - position))
        payload[word] = terms.concat(*reversed(pieces))
    return Opcode(name, payload, fixed)


def others(decoder: Decoder, widths: dict[str, int]) -> Opcode:
    """Every value of the opcode that nothing is compared with (the last one of a case statement with all values, say)."""
    part = decoder.opcode
    assert part is not None
    rest = set(range(1 << part.width)) - decoder.names.keys() if len(decoder.names) + 1 == 1 << part.width else set[int]()
    if rest:
        last = rest.pop()
        return replace(opcode(f"op_{last}", widths, ((part.word, part.low, part.width, last),)), named=False)
    base = opcode("op_other", widths, ())
    value = terms.extract(base.payload[part.word], part.low, part.width)
    return replace(base, named=False, excluded=tuple(terms.equal(value, terms.const(v, part.width)) for v in sorted(decoder.names)))


def other_subcodes(name: str, widths: dict[str, int], fixed: Fixed, part: PayloadSlice, known: Iterable[int]) -> Opcode | None:
    """Of instruction `name`, every value of a subcode that nothing is compared with; None when there is none."""
    values = sorted(set(range(1 << part.width)) - set(known)) if part.width <= MOST_BITS else None
    if values is not None and len(values) < 2:
        only = [opcode(f"{name}_{v}", widths, (*fixed, (part.word, part.low, part.width, v))) for v in values]
        return replace(only[0], named=False) if only else None
    base = opcode(f"{name}_other", widths, fixed)
    value = terms.extract(base.payload[part.word], part.low, part.width)
    return replace(base, named=False, excluded=tuple(terms.equal(value, terms.const(v, part.width)) for v in sorted(known)))


def bits(code: Opcode, part: PayloadSlice) -> Term:
    """The value of a slice of a command word."""
    return terms.extract(code.payload[part.word], part.low, part.width)


def rank(name: str, subcode: tuple[PayloadSlice, dict[int, str]]) -> tuple[bool, int, int]:
    """How likely a subcode is that of the command `name`: by its names, how many it has, where it lies."""
    part, labels = subcode
    return any(n.startswith(name + "_") for n in labels.values()), len(labels), -part.low
