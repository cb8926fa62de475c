"""B3: multiply-accumulate operations and sums of products are found and annotated; nothing is rewritten.

Each addition or subtraction is walked back through width casts to a multiplication, whose operands before their extensions are the operands of the MAC; an
operand that is a difference of two extensions is one with a zero point.  Kept is only what is proved: the result equals accumulator +- (a - za) * (b - zb)
over the integers modulo the accumulator's width.

    %p = arith.muli %a16, %b16 : i16
    %q = arith.extsi %p : i16 to i20
    %s = arith.addi %q, %c : i20     -->  arith.addi %q, %c {tensorlift.mac = {product = 0, a_width = 8, a_signed = true, ...}} : i20

Where adders form a tree, or keep sum and carry apart, the last of them says what it is the sum of: {tensorlift.sum = {terms = 5, products = 4, ...}}.

Not annotated, as bit packing or address arithmetic: a constant operand, an operand of a single bit, widths above 32 bits, an accumulator narrower than an
operand, and sums that an address is computed from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from lift.ir.operations import result, walk, width
from lift.passes.base import LiftPass
from lift.passes.match import MAC, SUM, is_constant, made_by, without_casts, without_extensions
from lift.passes.sums import ADDERS, Sum, sum_of
from lift.prove.claims import binary, offset, resize
from lift.prove.cone import Value
from lift.prove.session import Session
from lift.prove.steps import Step

_WIDTHS = range(2, 33)


@dataclass(frozen=True, slots=True)
class Factor:
    """`value` - `zero`, where both are read as signed or both as unsigned, and the signed value `difference` is that.  A factor that is not extended is as
    wide as the product and has no signedness of its own; it counts as signed."""

    value: SSAValue
    signed: bool
    zero: SSAValue | None = None
    difference: SSAValue | None = None

    @property
    def leaf(self) -> SSAValue:
        return self.value if self.difference is None else self.difference

    def wide(self, to: int) -> Value:
        return resize(self.leaf, to, self.signed or self.difference is not None)

    def steps(self, to: int) -> list[Step]:
        """That the difference does not wrap."""
        if self.difference is None or self.zero is None:
            return []
        return [Step(self.wide(to), offset(self.value, self.zero, self.signed, to), (self.value, self.zero))]


@dataclass(frozen=True, slots=True)
class Mac:
    """`accumulator` + `a` * `b`, or minus if `negative`; `product` is which operand of the addition the product is."""

    product: int
    a: Factor
    b: Factor
    accumulator: SSAValue
    negative: bool = False

    @property
    def leaves(self) -> tuple[SSAValue, ...]:
        return self.a.leaf, self.b.leaf, self.accumulator

    def attribute(self) -> DictionaryAttr:
        widths = tuple(width(v) for v in (self.a.value, self.b.value, self.accumulator))
        return _attribute(self.product, widths, (self.a.signed, self.b.signed), self.negative, (self.a.zero is not None, self.b.zero is not None))

    def claim(self) -> Value:
        """What the annotated operation is equal to."""
        to = width(self.accumulator)
        return binary("subi" if self.negative else "addi", self.accumulator, binary("muli", self.a.wide(to), self.b.wide(to)))

    def annotate(self, session: Session, op: Operation) -> bool:
        """Writes the attribute if what it says is proved, zero points first."""
        to = width(self.accumulator)
        zeros = [*self.a.steps(to), *self.b.steps(to)]
        return session.prove(result(op), zeros) and session.annotate(op, {MAC: self.attribute()}, self.claim(), self.leaves)


@cache
def _attribute(product: int, widths: tuple[int, ...], signed: tuple[bool, bool], negative: bool, zeros: tuple[bool, bool]) -> DictionaryAttr:
    numbers = {"product": product} | dict(zip(("a_width", "b_width", "accumulator_width"), widths, strict=True))
    flags = dict(zip(("a_signed", "b_signed"), signed, strict=True))
    flags |= {name: True for name, holds in zip(("negative", "a_zero", "b_zero"), (negative, *zeros), strict=True) if holds}
    return DictionaryAttr({k: IntegerAttr(v, 64) for k, v in numbers.items()} | {k: BoolAttr.from_bool(v) for k, v in flags.items()})


class DetectMac(LiftPass):
    """MACs where they stand; sums from their last addition down, so that the whole of a sum is found before its parts."""

    name = "b3-detect-mac"

    def rewrite(self, session: Session) -> None:
        operations = walk(session.function.body.block)
        addresses = address_operations(operations)
        adders = [op for op in operations if op.name in ADDERS and op not in addresses]
        for op in adders:
            if MAC not in op.attributes:
                _annotate_mac(session, op)
        covered: set[Operation] = set()
        for op in reversed(adders):
            if op not in covered and SUM not in op.attributes:
                covered |= _annotate_sum(session, op)


def _annotate_mac(session: Session, op: Operation) -> None:
    any(mac.annotate(session, op) for mac in candidates(op))


def _annotate_sum(session: Session, op: Operation) -> set[Operation]:
    """The additions of the sum that ends in `op`; annotated are sums of products that are not chains of MACs."""
    found = sum_of(op, session.prover)
    products = sum(is_product(t.value) for t in found.terms)
    if products >= 2 and not found.is_chain and session.prove(result(op), found.steps):
        op.attributes[SUM] = sum_attribute(found, products)
    return found.inner


def sum_attribute(found: Sum, products: int) -> DictionaryAttr:
    numbers = {"terms": len(found.terms), "products": products, "width": found.width}
    return DictionaryAttr({k: IntegerAttr(v, 64) for k, v in numbers.items()} | {"carry_save": BoolAttr.from_bool(found.carry_save)})


def candidates(op: Operation) -> Iterable[Mac]:
    """The ways to read an addition or subtraction as a MAC, those first whose accumulator is not itself a product, and with zero points before without."""
    sides = (0, 1) if op.name == "arith.addi" else (1,)
    found = [mac for side in sides for mac in _macs(op, side) if _is_realistic(mac)]
    return sorted(found, key=lambda mac: made_by(without_casts(mac.accumulator), "arith.muli") is not None)


def product_of(value: SSAValue) -> Operation | None:
    """The multiplication that `value` is a width cast of."""
    return made_by(without_casts(value), "arith.muli")


def is_product(value: SSAValue) -> bool:
    """Whether `value` is a product of two values that vary, of the widths of data."""
    multiply = product_of(value)
    return multiply is not None and all(_is_data(without_extensions(v)[0]) for v in multiply.operands)


def _macs(op: Operation, side: int) -> list[Mac]:
    multiply = product_of(op.operands[side])
    if multiply is None:
        return []
    a, b = (_factors(v) for v in multiply.operands)
    return [Mac(side, x, y, op.operands[1 - side], op.name == "arith.subi") for x in a for y in b]


def _factors(operand: SSAValue) -> list[Factor]:
    """With a zero point, if the operand is a difference of two extensions from the same signedness; and as it is."""
    bare, signed = without_extensions(operand)
    plain = Factor(bare, signed is not False)
    difference = made_by(bare, "arith.subi")
    if difference is None or signed is False:
        return [plain]
    (a, a_signed), (zero, zero_signed) = (without_extensions(v) for v in difference.operands)
    if is_constant(zero):
        a_signed = zero_signed = a_signed is not False
    if a_signed is None or a_signed is not zero_signed or is_constant(a):
        return [plain]
    return [Factor(a, a_signed, zero, bare), plain]


def _is_realistic(mac: Mac) -> bool:
    accumulator = width(mac.accumulator)
    return accumulator in _WIDTHS and all(_is_data(f.value) and width(f.value) <= accumulator for f in (mac.a, mac.b))


def _is_data(value: SSAValue) -> bool:
    return width(value) in _WIDTHS and not is_constant(value)


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
