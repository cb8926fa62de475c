"""C6: chains and trees of one associative operation become reductions.

Sums of products (with an initial value), sums, the greatest or least of several values, and bitwise or: where the parts differ only by constants that are
affine in their place, the operations become one scf.for that carries the value.  Proved by writing the loop out again; the order and the widths of the
adders of a tree are changed by local steps, each proved.

    %s1 = addi %init, ext(muli(ext(%a[7:0]), ext(%b0)))          %s = scf.for %k = 0 to n iter_args(%sum = %init) {
    %s2 = addi %s1, ext(muli(ext(%a[15:8]), ext(%b1)))     -->     %x = trunci(shrui %a, 8 * %k); %y = load %b[base + %k]
    ...                                                            yield addi %sum, ext(muli(ext %x, ext %y)) }

What follows no pattern, or whose middle is observed, stays as it is; so do sums that addresses are computed from and words packed of parts by or.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from lift.ir.emit import INDEX, Emitter
from lift.ir.operations import constant_value, result, walk, width
from lift.passes.b3_detect_mac import address_operations, candidates, is_product
from lift.passes.base import LiftPass, share
from lift.passes.folds import Fold, combine, combined, fold_of, neutral, rechain
from lift.passes.match import made_by
from lift.passes.positions import Affine, Apply, Combination, Invariant, Template, generalise, in_order, instantiate, invariants
from lift.passes.sums import ADDERS, Sum, Term, chain, sum_of
from lift.prove.cone import Value
from lift.prove.expand import number
from lift.prove.session import Session
from lift.prove.steps import Step


class ReconstructLoops(LiftPass):
    """From the results down, so that the whole of a reduction is found before its parts."""

    name = "c6-reconstruct-loops"

    def rewrite(self, session: Session) -> None:
        operations = walk(session.function.body.block)
        addresses, covered = address_operations(operations), set[Operation]()
        stored = {op.operands[1] for op in operations if op.name == "memref.store"}
        for op in reversed(operations):
            if op in covered or op in addresses:
                continue
            if op.name in ADDERS:
                covered |= _sum(session, op, stored)
            elif (fold := fold_of(op)) is not None:
                covered |= fold.inner
                _fold(session, fold, stored)
        share(session)


@dataclass(frozen=True, slots=True)
class Split:
    """A sum as `start` and the sum of `repeated`, which have the template."""

    start: list[Term]
    repeated: list[Term]
    template: Template


def _sum(session: Session, op: Operation, stored: set[SSAValue]) -> set[Operation]:
    """The additions of the sum that ends in `op`, which becomes a loop if there is a template for it."""
    found = sum_of(op, session.prover)
    split = _split(found.terms)
    if split is not None and not invariants(split.template) & stored:
        _sum_as_loop(session, found, split)
    return found.inner


def _split(terms: list[Term]) -> Split | None:
    """Products are repeated and the rest is where the sum starts; without products, all terms or all but the first or last."""
    products = [t for t in terms if is_product(t.value)]
    if len(products) >= 2:
        return _with_template([t for t in terms if t not in products], products)
    if products or len(terms) < 2:
        return None
    rests = [([], terms)] + ([([terms[0]], terms[1:]), ([terms[-1]], terms[:-1])] if len(terms) > 2 else [])
    return next((split for start, repeated in rests if (split := _with_template(start, repeated)) is not None), None)


def _with_template(start: list[Term], repeated: list[Term]) -> Split | None:
    if len({(width(t.value), t.signed, t.negative) for t in repeated}) > 1:
        return None
    by_value = {t.value: t for t in repeated}
    values = [t.value for t in repeated]
    for order in _orders(values):
        template = generalise(order)
        if template is not None and not isinstance(template, Invariant | Combination):
            return Split(sorted(start, key=lambda t: t.negative), [by_value[v] for v in order], template)
    return None


def _orders(values: list[SSAValue]) -> Iterator[list[SSAValue]]:
    """As they are, then by the constants in them, if it may be that they are in disorder; of two the latter, as both ways have a pattern."""
    if len(values) == 2:
        yield in_order(values)
        return
    yield values
    if len({getattr(v.owner, "name", None) for v in values}) == 1:
        yield in_order(values)


def _sum_as_loop(session: Session, found: Sum, split: Split) -> None:
    top, to = result(found.top), found.width
    outer = session.emitter(found.top)
    start = _emitted(split.start, to, outer)
    terms, first = [*split.start, *split.repeated], split.repeated[0]

    def body(total: SSAValue, index: SSAValue, emitter: Emitter) -> SSAValue:
        part = _extended(Term(instantiate(split.template, index, emitter), first.signed), to, emitter)
        return emitter.binary(arith.SubiOp if first.negative else arith.AddiOp, total, part)

    loop = _loop(outer, start, len(split.repeated), body)
    via = None
    same = terms in (found.terms, [found.terms[1], found.terms[0], *found.terms[2:]])  # the first two are added to each other
    if not found.is_chain or not same:
        via = chain(terms, to)
        if not session.prove(top, [*found.steps, found.reordered(terms)]):
            return _drop(loop)
    cut = invariants(split.template) | {t.value for t in split.start}
    if not session.replace_by_loop(top, loop, cut, via):
        return _drop(loop)
    _annotate(session, loop)


def _emitted(start: list[Term], to: int, emitter: Emitter) -> SSAValue:
    if not start:
        return emitter.constant(0, to)
    first, *rest = start
    total = _extended(first, to, emitter)
    if first.negative:
        total = emitter.binary(arith.SubiOp, emitter.constant(0, to), total)
    for term in rest:
        total = emitter.binary(arith.SubiOp if term.negative else arith.AddiOp, total, _extended(term, to, emitter))
    return total


def _extended(term: Term, to: int, emitter: Emitter) -> SSAValue:
    if width(term.value) == to:
        return term.value
    return emitter.cast(arith.ExtSIOp if term.signed else arith.ExtUIOp, term.value, to)


def _loop(outer: Emitter, start: SSAValue, count: int, make) -> scf.ForOp:  # type: ignore[no-untyped-def]
    """for k in 0 .. count - 1: total = make(total, k, emitter)."""
    body = Block(arg_types=[INDEX, start.type])
    body.args[0].name_hint, body.args[1].name_hint = "k", "sum"
    total = make(body.args[1], body.args[0], Emitter(body, outer.constants))
    body.add_op(scf.YieldOp.create(operands=(total,)))
    bounds = (outer.constant(0, 0), outer.constant(count, 0), outer.constant(1, 0), start)
    loop = scf.ForOp.create(operands=bounds, result_types=(start.type,), regions=[Region(body)])
    outer.add(loop)
    return loop


def _drop(loop: scf.ForOp) -> None:
    loop.detach()


def _annotate(session: Session, loop: scf.ForOp) -> None:
    """The addition in the body is a MAC of its own."""
    add = loop.body.block.last_op.operands[0].owner  # type: ignore[union-attr]
    assert isinstance(add, Operation)
    total = loop.body.block.args[1]
    any(mac.annotate(session, add) for mac in candidates(add) if mac.accumulator is total)


def _fold(session: Session, fold: Fold, stored: set[SSAValue]) -> None:
    """All leaves, or all but one from which the fold starts, as a loop."""
    leaves = fold.leaves
    names = Counter(getattr(v.owner, "name", None) for v in leaves)
    if max(names.values()) < len(leaves) - 1 or _is_packing(leaves):
        return
    for start, rest in ((None, leaves), (leaves[0], leaves[1:]), (leaves[-1], leaves[:-1])):
        for order in _orders(rest) if len(rest) >= 2 else ():
            template = generalise(order)
            if template is not None and _is_pattern(template) and not invariants(template) & stored:
                return _fold_as_loop(session, fold, start, order, template)


def _is_packing(leaves: list[SSAValue]) -> bool:
    """Parts (all but one at most) that are put at different places of a word."""
    shifts = [op for v in leaves if (op := made_by(v, "arith.shli")) is not None]
    amounts = {constant_value(op.operands[1]) for op in shifts}
    return len(shifts) >= len(leaves) - 1 > 0 and None not in amounts and len(amounts) == len(shifts)


def _is_pattern(template: Template) -> bool:
    """Not one value several times, a constant, or a part put at its place in a word."""
    return isinstance(template, Apply) and not (template.sample.name == "arith.shli" and isinstance(template.operands[1], Affine))


def _fold_as_loop(session: Session, fold: Fold, start: SSAValue | None, order: list[SSAValue], template: Template) -> None:
    bits = width(order[0])
    top = rechain(session, fold, order if start is None else [start, *order])
    if top is None:
        return
    outer = session.emitter(top.owner)  # type: ignore[arg-type]
    begin = outer.constant(neutral(fold.kind, bits), bits) if start is None else start
    loop = _loop(outer, begin, len(order), lambda total, k, inner: combine(fold.kind, total, instantiate(template, k, inner), inner))
    via: Value = number(neutral(fold.kind, bits), bits) if start is None else start
    first = combined(fold.kind, via, order[0])
    steps = [Step(first, order[0], (order[0],))] if start is None else []
    via = first
    for value in order[1:]:
        via = combined(fold.kind, via, value)
    cut = invariants(template) | ({start} if start is not None else set())
    if not session.prove(top, steps) or not session.replace_by_loop(top, loop, cut, via):
        _drop(loop)
