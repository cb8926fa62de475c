"""Addresses of memories and indices of arrays -> coordinates of buffers, over the axes of a tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from act.taidl import Expr
from lift.assemble.errors import NoTemplate
from lift.assemble.guards import has_index
from lift.assemble.integers import Polynomial, Reading, indices_of, plus, times, to_expr
from lift.assemble.leaves import Leaves
from lift.unroll import terms
from lift.unroll.terms import Term

MOST = 1 << 64


@dataclass(frozen=True, slots=True)
class Storage:
    """How the specification sees a memory or state array: `words` words of `unit` elements of `bits` bits.  `plane` is the leading coordinate
    of an array, whose index is counted through `unit`."""

    buffer: str
    element: str
    bits: int
    unit: tuple[int, ...]
    words: int = 1
    host: bool = False
    plane: Expr | None = None

    @property
    def is_array(self) -> bool:
        return self.plane is not None

    @property
    def address_bits(self) -> int:
        return (self.words - 1).bit_length()


@dataclass(frozen=True, slots=True)
class Place:
    """The coordinates after the plane as polynomials over axes."""

    storage: Storage
    coordinates: tuple[Polynomial, ...]

    def exprs(self, leaves: Leaves) -> tuple[Expr, ...]:
        """All coordinates as expressions; where an access lies within the buffer, low bits of a register may be the whole of it."""
        bits = [0] * len(self.coordinates) if self.storage.is_array else [self.storage.address_bits, 0]
        plane = () if self.storage.plane is None else (self.storage.plane,)
        return (*plane, *(leaves.within(b, lambda p=p: to_expr(p, leaves.expr)) for b, p in zip(bits, self.coordinates, strict=False)))

    def rank(self, axis: Term) -> tuple[int, int]:
        """The first coordinate in which an axis occurs, then how large its steps are there: those that a register says count as largest, those of
        blocks as none."""
        number, polynomial = next((n, p) for n, p in enumerate(self.coordinates) if axis in axes_of(p))
        steps = [abs(factor) if monomial == (axis,) else MOST for monomial, factor in polynomial.items() if axis in monomial]
        return number, -max(steps, default=0)

    @property
    def axes(self) -> set[Term]:
        return {a for p in self.coordinates for a in axes_of(p)}


def place(storage: Storage, address: Term, lane: Polynomial, reading: Reading, indices: Mapping[Term, Polynomial]) -> Place:
    """Where an access lies: the word at `address`, and in it the element `lane` (a polynomial over index symbols)."""
    if storage.is_array:
        parts = split(reading.exact(address), storage.unit, reading)
    else:
        parts = (from_zero(reading.modular(address, storage.address_bits), storage.address_bits, reading), *((lane,) if storage.unit else ()))
    return Place(storage, tuple(over_axes(p, indices) for p in parts))


def from_zero(word: Polynomial, bits: int, reading: Reading) -> Polynomial:
    """Of polynomials that are equal modulo 2**bits, the one that counts from 0 where all of them lie below (constants come with a sign)."""
    most = reading.range(word)[1]
    return plus(word, {(): 1 << bits}, 1) if most < 0 else word


def split(address: Polynomial, shape: tuple[int, ...], reading: Reading) -> tuple[Polynomial, ...]:
    """A flat index of an array as one coordinate for each dimension: terms with a factor of at least the dimension's stride belong to it."""
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * shape[d + 1]
    parts: list[Polynomial] = [{} for _ in shape]
    for monomial, factor in address.items():
        rest = factor
        for d, stride in enumerate(strides):
            quotient = abs(rest) // stride * (1 if rest > 0 else -1)
            parts[d] = plus(parts[d], {monomial: quotient}, 1)
            rest -= quotient * stride
    for part, size in zip(parts, shape, strict=True):
        least, most = reading.range(part)
        if not 0 <= least <= most < size:
            raise NoTemplate("an index of an array that mixes its dimensions")
    return tuple(parts)


def axes_of(p: Polynomial) -> set[Term]:
    return indices_of(p) | {t.args[0] for m in p for t in m if t.op in ("udiv", "urem")}


def over_axes(p: Polynomial, indices: Mapping[Term, Polynomial]) -> Polynomial:
    """A polynomial over index symbols as one over axes; size * (x / size) + x % size is x."""
    result: Polynomial = {}
    for monomial, factor in p.items():
        product: Polynomial = {(): factor}
        for leaf in monomial:
            if leaf.op not in ("sym", "udiv", "urem") and has_index(leaf):
                raise NoTemplate("an index of which only some bits count", leaf)
            product = times(product, indices.get(leaf, {(leaf,): 1}))
        result = plus(result, product, 1)
    return _recombined(result)


def _recombined(p: Polynomial) -> Polynomial:
    for monomial, factor in list(p.items()):
        quotient = next((t for t in monomial if t.op == "udiv"), None)
        if quotient is None or monomial not in p:
            continue
        rest = tuple(t for t in monomial if t is not quotient)
        size = int(quotient.args[1].attr or 0)
        partner = _monomial(rest, terms.make("urem", quotient.width, quotient.args))
        if p.get(partner, 0) * size == factor:
            p = plus(p, {monomial: factor, partner: p[partner], _monomial(rest, quotient.args[0]): -p[partner]}, -1)
    return p


def _monomial(rest: tuple[Term, ...], leaf: Term) -> tuple[Term, ...]:
    return tuple(sorted((*rest, leaf), key=lambda t: t.serial))
