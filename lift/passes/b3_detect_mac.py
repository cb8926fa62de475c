"""B3: multiply-accumulate operations are found and annotated; nothing is rewritten.

Each addition is walked back through width casts to a multiplication, whose operands before their extensions are the operands of the MAC.  Kept is only what is
proved: the sum equals accumulator + a * b over the integers modulo the accumulator's width.

    %p = arith.muli %a16, %b16 : i16
    %q = arith.extsi %p : i16 to i20
    %s = arith.addi %q, %c : i20     -->  arith.addi %q, %c {tensorlift.mac = {product = 0, a_width = 8, a_signed = true, ...}} : i20

Not annotated, as bit packing or address arithmetic: a constant operand, an operand of a single bit, widths above 32 bits, an accumulator narrower than an
operand, and sums that an address is computed from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from lift.ir.operations import walk, width
from lift.passes.base import LiftPass
from lift.passes.match import is_constant, made_by, without_casts, without_extensions
from lift.prove.claims import multiply_add
from lift.prove.cone import Value
from lift.prove.session import Session

MAC = "tensorlift.mac"
_WIDTHS = range(2, 33)


@dataclass(frozen=True, slots=True)
class Mac:
    """`accumulator` + `a` * `b`; `product` is which operand of the addition the product is.  An operand that is not extended is as wide as the product and
    has no signedness of its own; it counts as signed."""

    product: int
    a: SSAValue
    b: SSAValue
    a_signed: bool
    b_signed: bool
    accumulator: SSAValue

    def attribute(self) -> DictionaryAttr:
        return _attribute(self.product, width(self.a), width(self.b), width(self.accumulator), self.a_signed, self.b_signed)


@cache
def _attribute(product: int, a_width: int, b_width: int, accumulator_width: int, a_signed: bool, b_signed: bool) -> DictionaryAttr:
    numbers = {"product": product, "a_width": a_width, "b_width": b_width, "accumulator_width": accumulator_width}
    flags = {"a_signed": a_signed, "b_signed": b_signed}
    return DictionaryAttr({k: IntegerAttr(v, 64) for k, v in numbers.items()} | {k: BoolAttr.from_bool(v) for k, v in flags.items()})


class DetectMac(LiftPass):
    name = "b3-detect-mac"

    def rewrite(self, session: Session) -> None:
        addresses = address_operations(walk(session.function.body.block))
        for op in walk(session.function.body.block):
            if op.name == "arith.addi" and MAC not in op.attributes and op not in addresses:
                for mac in candidates(op):
                    if session.annotate(op, {MAC: mac.attribute()}, _claim(mac), (mac.a, mac.b, mac.accumulator)):
                        break


def _claim(mac: Mac) -> Value:
    return multiply_add(mac.accumulator, mac.a, mac.b, mac.a_signed, mac.b_signed)


def candidates(op: Operation) -> Iterable[Mac]:
    """The ways to read an addition as a MAC, those first whose accumulator is not itself a product."""
    found = [mac for side in (0, 1) if (mac := _mac(op, side)) is not None and _is_realistic(mac)]
    return sorted(found, key=lambda mac: made_by(without_casts(mac.accumulator), "arith.muli") is not None)


def product_of(value: SSAValue) -> Operation | None:
    """The multiplication that `value` is a width cast of."""
    return made_by(without_casts(value), "arith.muli")


def _mac(op: Operation, side: int) -> Mac | None:
    multiply = product_of(op.operands[side])
    if multiply is None:
        return None
    (a, a_signed), (b, b_signed) = (without_extensions(v) for v in multiply.operands)
    return Mac(side, a, b, a_signed is not False, b_signed is not False, op.operands[1 - side])


def _is_realistic(mac: Mac) -> bool:
    widths = [width(v) for v in (mac.a, mac.b, mac.accumulator)]
    return all(w in _WIDTHS for w in widths) and widths[2] >= max(widths) and not (is_constant(mac.a) or is_constant(mac.b))


def address_operations(walk: Iterable[Operation]) -> set[Operation]:
    """Operations that only addresses are computed with: below casts to the index type, down to loads and arguments."""
    found: set[Operation] = set()
    stack = [v for op in walk if op.name == "arith.index_castui" for v in op.operands]
    while stack:
        op = stack.pop().owner
        if isinstance(op, Operation) and op not in found and op.name.startswith("arith."):
            found.add(op)
            stack.extend(op.operands)
    return found
