"""A function of one or two values, as a cone -> the saturations and rounding shifts that it agrees with on samples (to be proved afterwards).

How it is spelled does not matter: the bounds are its values at the ends of the range, the shift is where it becomes 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from operator import add, sub

from xdsl.ir import SSAValue

from lift.ir.evaluate import EVALUATE
from lift.ir.operations import width
from lift.passes.known_bits import full, signed
from lift.passes.rounding import rounded
from lift.prove.cone import Cone
from lift.prove.rounding_claims import MODES

Step = tuple[Callable[[int, int, Sequence[int], Sequence[int]], int], int, int, int, list[int], tuple[int, ...]]

_NUMBERS = (0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 100, 1000, 0x5555, 0x123456)
_AMOUNTS = (0, 1, 2, 3, 4, 7)
SUM, DIFFERENCE = "sum", "difference"


@dataclass(frozen=True, slots=True)
class Form:
    """min(max(x / 2**shift, low), high) in the bits of the result, with x read as signed or not.

    `mode`: how the quotient is rounded, None is down; `shift` None: by the second value.  `bounds` None: modulo the width of the result.
    `of`: x is the exact sum or difference of the two values."""

    signed: bool
    bounds: tuple[int, int] | None = None
    shift: int | None = 0
    mode: str | None = None
    of: str | None = None

    def value(self, x: int, amount: int) -> int:
        quotient = rounded(x, amount, self.mode)
        return quotient if self.bounds is None else min(max(quotient, self.bounds[0]), self.bounds[1])


@dataclass(slots=True)
class Forms:
    """Answers are remembered by the shape of the cone."""

    found: dict[tuple[object, ...], tuple[Form, ...]] = field(default_factory=dict)

    def of(self, function: Sampled, bounded: bool, shifted: bool) -> tuple[Form, ...]:
        """Of a function of one or two values, the likeliest first; those with bounds and those with a shift only if asked for."""
        key = (*function.key, bounded, shifted)
        answer = self.found.get(key)
        if answer is None:
            forms = _one if len(function.spans) == 1 else _two
            answer = self.found[key] = tuple(forms(function, bounded, shifted))
        return answer


class Sampled:
    """A cone with one root as a function of bits of its leaves, in the order given: those in `spans`, (lowest, how many), which are all that it depends on.
    `bits` is the width of the first, `other` of the last and `to` of the result."""

    def __init__(self, part: Cone, leaves: tuple[SSAValue, ...], spans: tuple[tuple[int, int], ...]) -> None:
        self.part, self.leaves, self.spans = part, leaves, spans
        self.bits, self.other = spans[0][1], spans[-1][1]
        self.root, self.turned = part.roots[0], part.leaves != leaves
        self.to = part.nodes[self.root - len(leaves)][2]

    @property
    def key(self) -> tuple[object, ...]:
        return self.part.key, self.turned, self.spans

    @cached_property
    def steps(self) -> list[Step]:
        widths = [width(leaf) for leaf in self.part.leaves] + [node[2] for node in self.part.nodes]
        return [(EVALUATE[name], attribute, bits, full(bits), [widths[k] for k in ks], ks) for name, attribute, bits, ks in self.part.nodes]

    def __call__(self, *numbers: int) -> int:
        values = [number << low for number, (low, _) in zip(numbers, self.spans, strict=True)]
        if self.turned:
            values.reverse()
        for apply, attribute, bits, mask, widths, operands in self.steps:
            values.append(apply(attribute, bits, widths, [values[k] for k in operands]) & mask)
        return values[self.root]


def _one(f: Sampled, bounded: bool, shifted: bool) -> Iterator[Form]:
    if bounded:
        yield from (form for form in _between(f, 0, (None,)) if _agrees(f, form))
    shift = _shift(f) if shifted else None
    if shift is None:
        return
    for sign in (True, False):
        yield from (form for mode in _modes(sign) if _agrees(f, form := Form(sign, None, shift, mode)))
    if bounded:
        yield from (form for form in _between(f, shift, (None, *MODES)) if _agrees(f, form))


def _modes(sign: bool) -> tuple[str, ...]:
    """Those that differ from one another and from rounding down."""
    return MODES if sign else ("half_even", "half_up")


def _shift(f: Sampled) -> int | None:
    """Where a quotient, rounded in any way, is 2."""
    for k in range(2, f.bits - 1):
        value = f(1 << k)
        if value > 1:
            return k - 1 if value == 2 else None
    return None


def _between(f: Sampled, shift: int, modes: Iterable[str | None]) -> Iterator[Form]:
    """Bounded by the values at the least and the greatest x, if these are a proper part of what the quotient can be; two values are a decision."""
    for x_signed, result_signed in ((True, True), (True, False), (False, False)):
        least, greatest = _ends(f.bits, x_signed)
        low, high = (_read(f(v & full(f.bits)), f.to, result_signed) for v in (least, greatest))
        for mode in modes:
            ends = rounded(least, shift, mode), rounded(greatest, shift, mode)
            if ends[0] <= low < high - 1 < ends[1] and (low, high) != ends:
                yield Form(x_signed, (low, high), shift, mode)


def _two(f: Sampled, bounded: bool, shifted: bool) -> Iterator[Form]:
    if bounded and f.bits == f.other:
        yield from (form for form in _saturating(f) if _agrees_of_two(f, form))
    if shifted and f.bits > 5 and f.other > 1 and f(16, 2) == 4:
        yield from (form for sign in (True, False) for mode in _modes(sign) if _agrees_shifted(f, form := Form(sign, None, None, mode)))


def _saturating(f: Sampled) -> Iterator[Form]:
    """Sums and differences of two values of one width, bounded by what the ends of their ranges give."""
    for sign in (True, False):
        least, greatest = _ends(f.bits, sign)
        for of, (a, b), (c, d) in ((SUM, (least, least), (greatest, greatest)), (DIFFERENCE, (least, greatest), (greatest, least))):
            low, high = (_read(f(x & full(f.bits), y & full(f.bits)), f.to, sign) for x, y in ((a, b), (c, d)))
            exact = (a + b, c + d) if of == SUM else (a - b, c - d)
            if exact[0] <= low < high - 1 < exact[1] and (low, high) != exact:
                yield Form(sign, (low, high), of=of)


def _agrees(f: Sampled, form: Form) -> bool:
    """A look at small numbers and the neighbourhoods of the bounds, of the ends and of what is halfway; most impostors fail it."""
    shift = form.shift or 0
    return all(f(raw) == form.value(_read(raw, f.bits, form.signed), shift) & full(f.to) for raw in _numbers(f.bits, shift, form.bounds or ()))


def _agrees_of_two(f: Sampled, form: Form) -> bool:
    numbers = [(raw, _read(raw, f.bits, form.signed)) for raw in _numbers(f.bits, 0, ())]
    exact = add if form.of == SUM else sub
    return all(f(a, b) == form.value(exact(x, y), 0) & full(f.to) for a, x in numbers for b, y in numbers)


def _agrees_shifted(f: Sampled, form: Form) -> bool:
    numbers = [(raw, _read(raw, f.bits, form.signed)) for raw in _numbers(f.bits, 2, ())]
    amounts = {n & full(f.other) for n in _AMOUNTS}
    return all(f(raw, amount) == form.value(x, amount) & full(f.to) for amount in amounts for raw, x in numbers)


@cache
def _numbers(bits: int, shift: int, bounds: tuple[int, ...]) -> tuple[int, ...]:
    """Samples, as unsigned numbers."""
    some = [0, 1 << shift, 3 << shift >> 1, 5 << shift >> 1, -3 << shift >> 1, *_ends(bits, True), *_ends(bits, False)]
    some += [b << shift for b in bounds] + [(b << shift) + (1 << shift >> 1) for b in bounds] + [b << shift >> 1 for b in bounds]
    near = [n + d for n in some for d in (0, 1, -1)]
    return tuple(dict.fromkeys(n & full(bits) for n in [*near, *_NUMBERS, *(-n for n in _NUMBERS)]))


def _ends(bits: int, sign: bool) -> tuple[int, int]:
    return (-(1 << (bits - 1)), full(bits - 1)) if sign else (0, full(bits))


def _read(value: int, bits: int, sign: bool) -> int:
    return signed(value, bits) if sign else value
