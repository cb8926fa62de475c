"""An addition or shift -> the rounding shifts that it may be (to be proved afterwards)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.ir import Operation, SSAValue

from lift.ir.operations import constant_value, result, width
from lift.passes.bounded import closed
from lift.passes.match import made_by, without_extensions
from lift.prove.claims import resize, round_half_even, round_half_up
from lift.prove.cone import Value, cone
from lift.prove.expand import number

_MODES: dict[str, Callable[[Value, Value], Value]] = {"half_even": round_half_even, "half_up": round_half_up}
_SAMPLES = (0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 100, 1000, 0x5555, -1, -2, -3, -5, -6, -7, -8, -1000)
_AMOUNTS = (0, 1, 2, 3, 4, 7)


def roundings(op: Operation) -> Iterator[tuple[str, SSAValue, Value, tuple[SSAValue, ...]]]:
    """(mode, x, claim, leaves) of the rounding shifts of x that `op` agrees with on samples."""
    found = _added(op) if op.name == "arith.addi" else _shifted(op)
    if found is None:
        return
    wide, amount = found
    (x, signed), (s, _) = without_extensions(wide), without_extensions(amount)
    if signed is False:
        x = wide
    known = constant_value(amount)
    leaves = (x,) if known is not None else (x, s)
    if known == 0 or closed(result(op), leaves) is None:
        return
    by = number(known, width(wide)) if known is not None else resize(s, width(wide), False)
    for mode, meaning in _MODES.items():
        claim = meaning(resize(x, width(wide), True), by)
        if _agrees(result(op), claim, leaves):
            yield mode, x, claim, leaves


def _added(op: Operation) -> tuple[SSAValue, SSAValue] | None:
    """(x >> s) + something of one bit."""
    for shifted, bit in (op.operands, reversed(op.operands)):
        shift = made_by(shifted, "arith.shrsi")
        one_bit = made_by(bit, "arith.extui")
        if shift is not None and one_bit is not None and width(one_bit.operands[0]) == 1:
            return shift.operands[0], shift.operands[1]
    return None


def _shifted(op: Operation) -> tuple[SSAValue, SSAValue] | None:
    """(x + half) >> s."""
    add = made_by(op.operands[0], "arith.addi")
    return None if add is None else (add.operands[0], op.operands[1])


def _agrees(value: SSAValue, claim: Value, leaves: tuple[SSAValue, ...]) -> bool:
    both = cone((value, claim), leaves)
    for sample in _SAMPLES:
        for amount in _AMOUNTS:
            values = {leaves[0]: sample, leaves[-1]: amount} if len(leaves) == 2 else {leaves[0]: sample}
            a, b = both.evaluate([values[leaf] & ((1 << width(leaf)) - 1) for leaf in both.leaves])
            if a != b:
                return False
    return True
