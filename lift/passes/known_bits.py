"""What is known of a value whatever the arguments are: bits that are always 0 or 1, and its least and greatest value, read unsigned and signed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """Of `width` bits those in `zeros` are 0 and those in `ones` are 1; the value is in [low, high] read as unsigned and in [least, most] read as signed."""

    width: int
    zeros: int
    ones: int
    low: int
    high: int
    least: int
    most: int

    @property
    def is_trivial(self) -> bool:
        """Nothing is known."""
        return not (self.zeros or self.ones or self.low) and self.high == full(self.width) and self.least == -self.most - 1 == -(1 << (self.width - 1))

    @property
    def exact(self) -> int | None:
        """The value, if only one is possible."""
        return self.low if self.low == self.high else None

    @property
    def unsigned_width(self) -> int:
        """The fewest bits from which a zero extension gives the value."""
        return max(self.high.bit_length(), 1)

    @property
    def signed_width(self) -> int:
        """The fewest bits from which a sign extension gives the value."""
        return max((self.least if self.least >= 0 else ~self.least).bit_length(), (self.most if self.most >= 0 else ~self.most).bit_length()) + 1


def full(width: int) -> int:
    return (1 << width) - 1


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def unknown(width: int) -> Known:
    return Known(width, 0, 0, 0, full(width), -(1 << (width - 1)), full(width - 1))


def exactly(value: int, width: int) -> Known:
    value &= full(width)
    number = signed(value, width)
    return Known(width, full(width) & ~value, value, value, value, number, number)


def of_bits(width: int, zeros: int, ones: int) -> Known:
    """From the bits alone."""
    return known(width, zeros, ones, 0, full(width))


def of_range(width: int, low: int, high: int) -> Known:
    """From the unsigned range alone; all that is possible if it does not fit."""
    return known(width, 0, 0, low, high) if 0 <= low <= high <= full(width) else unknown(width)


def of_signed_range(width: int, least: int, most: int) -> Known:
    """From the signed range alone; all that is possible if it does not fit."""
    half = 1 << (width - 1)
    return known(width, 0, 0, 0, full(width), least, most) if -half <= least <= most < half else unknown(width)


def known(width: int, zeros: int, ones: int, low: int, high: int, least: int | None = None, most: int | None = None) -> Known:
    """Each of the three views sharpened by the others."""
    half, every = 1 << (width - 1), full(width)
    least, most = -half if least is None else least, half - 1 if most is None else most
    if least >= 0 or most < 0:  # one sign: both readings are in the same order
        low, high = max(low, least & every), min(high, most & every)
    low, high = max(low, ones), min(high, every & ~zeros)
    if low >> (width - 1) == high >> (width - 1):
        least, most = max(least, signed(low, width)), min(most, signed(high, width))
    else:
        least, most = max(least, -half | (ones & ~half)), min(most, full(width - 1) & ~zeros)
    same = every & ~full((low ^ high).bit_length())  # the leading bits on which both ends agree
    return Known(width, zeros | (same & ~low), ones | (same & low), low, high, least, most)


def meet(a: Known, b: Known) -> Known:
    """What two derivations say of the same value."""
    low, high, least, most = max(a.low, b.low), min(a.high, b.high), max(a.least, b.least), min(a.most, b.most)
    return known(a.width, a.zeros | b.zeros, a.ones | b.ones, low, high, least, most)


def join(a: Known, b: Known) -> Known:
    """What holds of a value that is one or the other."""
    low, high, least, most = min(a.low, b.low), max(a.high, b.high), min(a.least, b.least), max(a.most, b.most)
    return known(a.width, a.zeros & b.zeros, a.ones & b.ones, low, high, least, most)
