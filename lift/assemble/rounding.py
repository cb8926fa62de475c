"""x / 2**amount, rounded -> one spelling in the operators of `lift.unroll.terms`, whatever the design's is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr
from xdsl.ir import Attribute, Operation, SSAValue

from lift.assemble.errors import NoTemplate
from lift.assemble.rewriting import plain
from lift.ir.operations import result, width
from lift.passes.bounded import fronts
from lift.passes.clamp_attributes import ROUND
from lift.unroll import terms
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import Term

MOST_AMOUNT = 6  # bits


@dataclass(frozen=True, slots=True)
class Rounding:
    """`x`, read as signed or not, over 2**`amount`, rounded as `mode` says."""

    x: SSAValue
    amount: SSAValue
    mode: str
    signed: bool

    def of(self, x: Term, amount: Term, to: int) -> Term:
        return rounded(x, amount, self.mode, self.signed, to)


def rounding_of(op: Operation, at: Mapping[Operation, int], over: Callable[[dict[SSAValue, Term]], Term]) -> Rounding | None:
    """What an operation that is annotated as a rounding shift rounds, and by how much; None where the amount is a constant.  `over` gives its value for
    given values of those that it depends on.  Rounding toward zero keeps its own spelling."""
    attribute = op.attributes[ROUND]
    assert isinstance(attribute, DictionaryAttr)
    mode, bits, signed = (attribute.data[key] for key in ("mode", "width", "signed"))
    if "shift" in attribute.data or mode.data == "toward_zero":  # type: ignore[attr-defined]
        return None
    for x, amount in _pairs(op, at):
        if width(x) == bits.value.data and width(amount) <= MOST_AMOUNT:  # type: ignore[attr-defined]
            found = Rounding(x, amount, mode.data, bool(signed.value.data))  # type: ignore[attr-defined]
            if _is_rounding(found, over, width(result(op))):
                return found
    return None


def quotient_of(attribute: Attribute, x: Term) -> Term:
    """The quotient of an operation that is annotated as a rounding shift and bounds it after that, with a bit more than `x` before it is shifted.  Only of
    halves that are rounded up, by a constant; else `x`."""
    assert isinstance(attribute, DictionaryAttr)
    mode, signed, shift = (attribute.data.get(key) for key in ("mode", "signed", "shift"))
    if shift is None or mode.data != "half_up":  # type: ignore[union-attr]
        return x
    by, bits = shift.value.data, x.width + 1  # type: ignore[attr-defined]
    wide = terms.apply("sext" if signed.value.data else "zext", bits, (x,))  # type: ignore[union-attr]
    return terms.extract(terms.apply("add", bits, (wide, terms.const(1 << by - 1, bits))), by, bits - by)


def _pairs(op: Operation, at: Mapping[Operation, int]) -> Iterator[tuple[SSAValue, SSAValue]]:
    for front in fronts(result(op), at):
        if len(front) == 2:
            yield front[0], front[1]
            yield front[1], front[0]


def _is_rounding(found: Rounding, over: Callable[[dict[SSAValue, Term]], Term], to: int) -> bool:
    x, amount = terms.sym("rounded", width(found.x)), terms.sym("amount", width(found.amount))
    value = over({found.x: x, found.amount: amount})
    return implied([], terms.equal(plain(value), plain(found.of(x, amount, to)))) is Verdict.PROVED


def rounded(x: Term, amount: Term, mode: str, signed: bool, to: int) -> Term:
    """The low `to` bits, computed in so many that no amount is too great and nothing wraps."""
    if amount.width > MOST_AMOUNT:
        raise NoTemplate("a rounding shift by a number that may be great", amount)
    width = max(to, 1 << (x.width.bit_length()), 1 << amount.width)
    return terms.extract(_rounded(x, amount, mode, signed, width), 0, to)


def _rounded(x: Term, amount: Term, mode: str, signed: bool, width: int) -> Term:
    x, by = terms.apply("sext" if signed else "zext", width, (x,)), terms.apply("zext", width, (amount,))
    one = terms.const(1, width)
    kept, unit = terms.apply("ashr", width, (x, by)), terms.apply("shl", width, (one, by))
    dropped = terms.apply("and", width, (x, terms.apply("sub", width, (unit, one))))
    rest = terms.apply("sub", width, (unit, dropped))  # up to the next multiple of 2**amount
    tie = terms.both(terms.equal(rest, dropped), _tie(mode, x, kept))
    up = terms.apply("or", 1, (terms.apply("ult", 1, (rest, dropped)), tie))
    return terms.mux(up, terms.apply("add", width, (kept, one)), kept)


def _tie(mode: str, x: Term, kept: Term) -> Term:
    """Whether a number halfway between two goes to the greater."""
    match mode:
        case "half_even":
            return terms.extract(kept, 0, 1)
        case "half_up":
            return terms.TRUE
        case "half_away":
            return terms.negate(terms.apply("slt", 1, (x, terms.const(0, x.width))))
    raise NoTemplate(f"rounding {mode}", x)
