"""What annotations of rounding say, as expressions: x / 2**amount rounded to an integer, exact for every amount that the claim is made for."""

from __future__ import annotations

from lift.prove.claims import binary, bits, compare, resize, select
from lift.prove.cone import Expr, Value
from lift.prove.expand import number

MODES = ("half_even", "half_up", "half_away", "toward_zero")


def scaled(x: Value, amount: Value | int, mode: str | None, signed: bool, to: int) -> Value:
    """x / 2**amount in `to` bits, rounded as `mode` says (None: down), with x read as signed or not and the amount as unsigned."""
    needed = bits(x) + (0 if signed else 1)
    if isinstance(amount, int):
        wide = max(needed, amount + 2)
        return resize(_rounded(resize(x, wide, signed), number(amount, wide), mode), to, True)
    if 1 << bits(amount) <= needed:
        return resize(_rounded(resize(x, needed, signed), resize(amount, needed, False), mode), to, True)
    wide = max(needed + 2, bits(amount))  # so that 2**amount can be written, as far as it is below twice |x|
    x = resize(x, wide, signed)
    value = select(compare("ult", number(needed, bits(amount)), amount), _far(x, mode), _rounded(x, resize(amount, wide, False), mode))
    return resize(value, to, True)


def _far(x: Value, mode: str | None) -> Expr:
    """A quotient whose magnitude is below a half."""
    zero = number(0, bits(x))
    return select(compare("slt", x, zero), number(-1, bits(x)), zero) if mode is None else zero


def _rounded(x: Value, by: Value, mode: str | None) -> Expr:
    n = bits(x)
    kept, zero, one = binary("shrsi", x, by), number(0, n), number(1, n)
    if mode is None:
        return kept
    unit = binary("shli", one, by)
    dropped, half = binary("andi", x, binary("subi", unit, one)), binary("shrui", unit, one)
    negative, some = compare("slt", x, zero), compare("ne", dropped, zero)
    if mode == "toward_zero":
        return _add(kept, binary("andi", negative, some))
    more, equal = compare("ult", half, dropped), compare("eq", half, dropped)
    odd = compare("ne", binary("andi", kept, one), zero)
    tie = {"half_even": odd, "half_up": number(1, 1), "half_away": binary("xori", negative, number(1, 1))}[mode]
    return _add(kept, binary("andi", some, binary("ori", more, binary("andi", equal, tie))))


def _add(kept: Expr, bit: Expr) -> Expr:
    return binary("addi", kept, resize(bit, kept.width, False))
