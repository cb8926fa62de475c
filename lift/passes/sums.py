"""An addition -> the sum that ends in it: its terms, whatever the shape of the adders is, with the proof in steps.

Adders may be a chain or a tree, grow by a bit from level to level, subtract, and keep sum and carry apart (a ^ b ^ c and twice the majority).  A value that
something else sees, or that wraps before it is extended, is a term as it is.

    ext(ext(p0) + ext(p1) : i17) + ext(ext(p2) + ext(p3) : i17) : i18      -->   p0, p1, p2, p3, each extended to 18 bits
    (a ^ b ^ c) + ((a & b | a & c | b & c) << 1)                           -->   a, b, c
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from lift.ir.operations import constant_value, result, width
from lift.passes.bounded import closed
from lift.passes.match import made_by, used_once
from lift.prove.claims import binary, resize
from lift.prove.cone import Value
from lift.prove.expand import number
from lift.prove.lemmas import Prover
from lift.prove.steps import Step

ADDERS = ("arith.addi", "arith.subi")
_EXTENSIONS = ("arith.extsi", "arith.extui")


@dataclass(frozen=True, slots=True)
class Term:
    """`value`, extended (as a signed number if `signed`; None where it has the width of the sum), subtracted if `negative`."""

    value: SSAValue
    signed: bool | None
    negative: bool = False

    def wide(self, to: int) -> Value:
        return resize(self.value, to, bool(self.signed))


@dataclass(slots=True)
class Sum:
    """`top` is the sum of `terms`, by `steps`; `inner` are the additions it is made of, `carry_save` says whether some kept their carries."""

    top: Operation
    terms: list[Term] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    inner: set[Operation] = field(default_factory=set)
    carry_save: bool = False
    is_chain: bool = True

    @property
    def width(self) -> int:
        return width(result(self.top))

    def reordered(self, terms: list[Term]) -> Step:
        """That the sum of its terms is the sum of the same terms in another order."""
        return Step(chain(self.terms, self.width), chain(terms, self.width), _cut(terms))


def sum_of(top: Operation, prover: Prover) -> Sum:
    """The sum that ends in an addition or subtraction; it has at least two terms."""
    found = Sum(top)
    shape = _Visit(found, prover).node(top, None, False)
    found.steps.append(Step(shape, chain(found.terms, found.width), _cut(found.terms)))
    while (pair := _carry_save_pair(found, prover)) is not None:
        _join(found, prover, *pair)
    return found


def chain(terms: list[Term], to: int) -> Value:
    """((t0 + t1) + t2) + ..., or - t where a term is negative."""
    first, *rest = terms
    total = binary("subi", number(0, to), first.wide(to)) if first.negative else first.wide(to)
    return add_all(total, rest, to)


def add_all(total: Value, terms: list[Term], to: int) -> Value:
    for term in terms:
        total = binary("subi" if term.negative else "addi", total, term.wide(to))
    return total


def holds(prover: Prover, step: Step) -> bool:
    return prover.equal(step.left, step.right, step.cut)[0].verdict == "proved"


def _cut(terms: list[Term]) -> tuple[SSAValue, ...]:
    return tuple(dict.fromkeys(t.value for t in terms))


@dataclass(slots=True)
class _Visit:
    sum: Sum
    prover: Prover

    def node(self, op: Operation, signed: bool | None, negative: bool) -> Value:
        """An addition, extended to the width of the sum, as additions of that width.  The deeper operand comes first in the order of terms."""
        self.sum.inner.add(op)
        parts = [_bare(v, signed) for v in op.operands]
        deeper = [self.inner(*p) is not None for p in parts]
        self.sum.is_chain &= not all(deeper)
        found: dict[int, Value] = {}
        for side in (1, 0) if deeper == [False, True] else (0, 1):
            found[side] = self.value(*parts[side], negative != (side == 1 and op.name == "arith.subi"))
        return binary(op.name.removeprefix("arith."), found[0], found[1])

    def value(self, value: SSAValue, signed: bool | None, negative: bool) -> Value:
        op = self.inner(value, signed)
        if op is not None:
            if signed is not None:
                self.sum.steps.append(self.widening(op, signed))
                self.sum.is_chain = False
            return self.node(op, signed, negative)
        self.sum.terms.append(Term(value, signed, negative))
        return Term(value, signed).wide(self.sum.width)

    def inner(self, value: SSAValue, signed: bool | None) -> Operation | None:
        """The addition that `value` is, if the sum goes on through it."""
        op = made_by(value, *ADDERS)
        if op is None or not used_once(value):
            return None
        return op if signed is None or holds(self.prover, self.widening(op, signed)) else None

    def widening(self, op: Operation, signed: bool) -> Step:
        """That the extension of the sum is the sum of the extensions: nothing wraps."""
        to, parts = self.sum.width, [_bare(v, signed) for v in op.operands]
        wide = binary(op.name.removeprefix("arith."), *(Term(*p).wide(to) for p in parts))
        return Step(resize(result(op), to, signed), wide, tuple(dict.fromkeys(v for v, _ in parts)))


def _bare(value: SSAValue, signed: bool | None) -> tuple[SSAValue, bool | None]:
    """What an operand is extended from, when it and then the sum are extended, and how."""
    inner = made_by(value, *_EXTENSIONS)
    if inner is None or not used_once(value):
        return value, signed
    by = inner.name == "arith.extsi"
    return (inner.operands[0], by) if signed in (None, by) or not by else (value, signed)


def _carry_save_pair(found: Sum, prover: Prover) -> tuple[Term, Term, tuple[SSAValue, ...]] | None:
    """Two terms that are the sum bits and the carries of two or three values."""
    usable = [t for t in found.terms if t.signed is None and not t.negative]
    for term in usable:
        for parts in _parity(term.value):
            for other in usable:
                if other is not term and _is_pair(found, prover, term, other, parts):
                    return term, other, parts
    return None


def _is_pair(found: Sum, prover: Prover, term: Term, other: Term, parts: tuple[SSAValue, ...]) -> bool:
    if closed(other.value, parts) is None:
        return False
    return holds(prover, _compressed(found, term, other, parts))


def _parity(value: SSAValue) -> Iterator[tuple[SSAValue, ...]]:
    """The values that `value` is the exclusive or of: three, or two."""
    op = made_by(value, "arith.xori")
    if op is None:
        return
    a, b = op.operands
    for inner, last in ((a, b), (b, a)):
        below = made_by(inner, "arith.xori")
        if below is not None:
            yield (*below.operands, last)
    if constant_value(b) is None:
        yield a, b


def _compressed(found: Sum, term: Term, other: Term, parts: tuple[SSAValue, ...]) -> Step:
    left = binary("addi", term.value, other.value)
    return Step(left, chain([Term(v, None) for v in parts], found.width), tuple(dict.fromkeys(parts)))


def _join(found: Sum, prover: Prover, term: Term, other: Term, parts: tuple[SSAValue, ...]) -> None:
    """The pair is replaced by what it is the sum of."""
    rest = [t for t in found.terms if t is not term and t is not other]
    found.steps.append(found.reordered([term, other, *rest]))
    found.steps.append(_compressed(found, term, other, parts))
    found.carry_save, found.is_chain, found.terms = True, False, []
    visit = _Visit(found, prover)
    shape = [visit.value(*_bare(v, None), False) for v in parts]
    total = shape[0]
    for value in shape[1:]:
        total = binary("addi", total, value)
    found.terms += rest
    total = add_all(total, rest, found.width)
    found.steps.append(Step(total, chain(found.terms, found.width), _cut(found.terms)))
