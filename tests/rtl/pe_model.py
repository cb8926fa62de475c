"""A processing element in plain integers: the reference for the PE's and the mesh's tests."""

from __future__ import annotations

from dataclasses import dataclass, replace

from simulate import signed

OUTPUT_STATIONARY, WEIGHT_STATIONARY = 0, 1


@dataclass(frozen=True, slots=True)
class PeInput:
    """One valid cycle: a int8, b and d 20 bits signed, shift 5 bits."""

    a: int
    b: int
    d: int
    dataflow: int
    propagate: int
    shift: int = 0


@dataclass(frozen=True, slots=True)
class PeState:
    """The registers: c1, c2 32 bits signed, last_s the previous propagate."""

    c1: int
    c2: int
    last_s: int


def mac(a: int, b: int, c: int) -> int:
    """int8 x int8 + 20 bits -> 20 bits, wrapping."""
    return signed(signed(a, 8) * signed(b, 8) + c, 20)


def round_half_even(value: int, shift: int) -> int:
    """value / 2**shift to the nearest integer, ties to the even one."""
    quotient, remainder = divmod(value, 1 << shift)
    return quotient + (2 * remainder > (1 << shift) or (2 * remainder == (1 << shift) and quotient % 2 == 1))


def clip(value: int, width: int) -> int:
    return max(-(1 << (width - 1)), min((1 << (width - 1)) - 1, value))


def pe_step(state: PeState, cycle: PeInput) -> tuple[int, int, PeState]:
    """(out_b, out_c, next state) of a valid cycle."""
    active, passive = (state.c2, state.c1) if cycle.propagate else (state.c1, state.c2)
    if cycle.dataflow == WEIGHT_STATIONARY:
        out_b, out_c, kept = mac(cycle.a, active, cycle.b), signed(passive, 20), active
    else:
        shift = cycle.shift if state.last_s != cycle.propagate else 0
        out_b, out_c = cycle.b, clip(round_half_even(passive, shift), 20)
        kept = mac(cycle.a, cycle.b, signed(active, 20))
    after = replace(state, last_s=cycle.propagate)
    return out_b, out_c, replace(after, c1=cycle.d, c2=kept) if cycle.propagate else replace(after, c1=kept, c2=cycle.d)
