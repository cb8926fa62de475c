"""What a processing element does, stated from its specification, not from its Verilog: the right-hand sides of the proofs.

Registers c1[31:0], c2[31:0], last_s; they change only in a valid cycle.  One of c1 and c2 is passive (read out and reloaded from d), the other active; the
propagate bit says which.  Output stationary sums into the active one; weight stationary multiplies by it and passes the sum on through b.
"""

from __future__ import annotations

import z3

from proofs.meaning import variable

OUTPUT_STATIONARY, WEIGHT_STATIONARY = 0, 1
LARGEST, SMALLEST = (1 << 19) - 1, -(1 << 19)
REGISTERS = {"c1": 32, "c2": 32, "last_s": 1}
INPUTS = {"in_a": 8, "in_b": 20, "in_d": 20, "in_control_dataflow": 1, "in_control_propagate": 1, "in_control_shift": 5, "in_valid": 1}
MODE = ("in_control_dataflow", "in_control_propagate")
VARIABLES = {name: variable(name, bits) for name, bits in (REGISTERS | INPUTS).items()}
MODES = {f"{name}-propagate{p}": (d, p) for name, d in (("os", OUTPUT_STATIONARY), ("ws", WEIGHT_STATIONARY)) for p in (0, 1)}


def sign_extend(value: z3.BitVecRef, bits: int) -> z3.BitVecRef:
    return z3.SignExt(bits - value.size(), value)


def low(value: z3.BitVecRef, bits: int) -> z3.BitVecRef:
    return z3.Extract(bits - 1, 0, value)


def mac(a: z3.BitVecRef, b: z3.BitVecRef, c: z3.BitVecRef) -> z3.BitVecRef:
    """a * b + c over the integers modulo 2**20; a and b of 8 bits, signed.  The product of 16 bits is exact (proved apart)."""
    return sign_extend(sign_extend(a, 16) * sign_extend(b, 16), 20) + low(c, 20)


def round_half_even(x: z3.BitVecRef, shift: z3.BitVecRef) -> z3.BitVecRef:
    """x / 2**shift, to the nearest integer, ties to the even one; x of 32 bits, signed; the result has 64 bits."""
    wide, amount = sign_extend(x, 64), z3.ZeroExt(64 - shift.size(), shift)
    power = z3.BitVecVal(1, 64) << amount
    floor = wide >> amount
    twice_the_rest = 2 * (wide - floor * power)
    is_odd = low(floor, 1) == 1
    return z3.If(z3.Or(twice_the_rest > power, z3.And(twice_the_rest == power, is_odd)), floor + 1, floor)


def clip20(x: z3.BitVecRef) -> z3.BitVecRef:
    """The nearest of the 20-bit signed integers."""
    return low(z3.If(x > LARGEST, z3.BitVecVal(LARGEST, 64), z3.If(x < SMALLEST, z3.BitVecVal(SMALLEST, 64), x)), 20)


def statement(dataflow: int, propagate: int) -> dict[str, z3.BitVecRef]:
    """Next registers and outputs, by RTL name, in one mode."""
    v = VARIABLES
    passive, active = ("c1", "c2") if propagate else ("c2", "c1")
    shift = z3.If(v["last_s"] != propagate, v["in_control_shift"], z3.BitVecVal(0, 5))
    following = {passive: sign_extend(v["in_d"], 32), active: v[active], "last_s": z3.BitVecVal(propagate, 1)}
    if dataflow == OUTPUT_STATIONARY:
        following[active] = sign_extend(mac(v["in_a"], low(v["in_b"], 8), v[active]), 32)
        out = {"out_b": v["in_b"], "out_c": clip20(round_half_even(v[passive], shift))}
    else:
        out = {"out_b": mac(v["in_a"], low(v[active], 8), v["in_b"]), "out_c": low(v[passive], 20)}
    registers = {name: z3.If(v["in_valid"] == 1, value, v[name]) for name, value in following.items()}
    return registers | out | _passed_on(dataflow, propagate)


def _passed_on(dataflow: int, propagate: int) -> dict[str, z3.BitVecRef]:
    control = {"out_control_dataflow": z3.BitVecVal(dataflow, 1), "out_control_propagate": z3.BitVecVal(propagate, 1)}
    return control | {"out_a": VARIABLES["in_a"], "out_control_shift": VARIABLES["in_control_shift"], "out_valid": VARIABLES["in_valid"]}


def in_mode(dataflow: int, propagate: int) -> list[z3.BoolRef]:
    return [VARIABLES["in_control_dataflow"] == dataflow, VARIABLES["in_control_propagate"] == propagate]


TARGETS = tuple(statement(0, 0))
