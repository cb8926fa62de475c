"""C6: chains of multiply-accumulate operations become reductions.

A chain of at least two MACs, each the accumulator of the next and seen by nothing else, whose products differ only by constants that are affine in their
place in the chain, becomes one scf.for that carries the sum.  Proved by writing the loop out again: its iterations are the operations of the chain.

    %s1 = addi %init, ext(muli(ext(%a[7:0]), ext(%b0)))          %s = scf.for %k = 0 to n iter_args(%sum = %init) {
    %s2 = addi %s1, ext(muli(ext(%a[15:8]), ext(%b1)))     -->     %x = trunci(shrui %a, 8 * %k); %y = load %b[base + %k]
    ...                                                            yield addi %sum, ext(muli(ext %x, ext %y)) }

A chain whose middle is observed, or whose operands follow no pattern, stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from lift.ir.emit import INDEX, Emitter
from lift.ir.operations import result, walk, width
from lift.passes.b3_detect_mac import MAC, candidates, product_of
from lift.passes.base import LiftPass, share
from lift.passes.match import made_by, used_once
from lift.passes.positions import Template, generalise, instantiate, invariants
from lift.prove.claims import multiply_add
from lift.prove.session import Session

_SIDES = (IntegerAttr(0, 64), IntegerAttr(1, 64))


@dataclass(frozen=True, slots=True)
class Chain:
    """`top` = start + products[0] + products[1] + ...; `start` None is zero."""

    top: Operation
    start: SSAValue | None
    products: tuple[SSAValue, ...]


class ReconstructLoops(LiftPass):
    name = "c6-reconstruct-loops"

    def rewrite(self, session: Session) -> None:
        operations = walk(session.function.body.block)
        stored = {op.operands[1] for op in operations if op.name == "memref.store"}
        for op in operations:
            if _is_mac(op) and not _continues(op):
                chain = _chain(op)
                if len(chain.products) >= 2:
                    _reconstruct(session, chain, stored)
        share(session)


def _accumulator(op: Operation) -> SSAValue:
    return op.operands[1 - _product_side(op)]


def _is_mac(op: Operation) -> bool:
    """Annotated by B3, and readable: annotations of a text may be anything, and are only hints here."""
    mac = op.attributes.get(MAC)
    return op.name == "arith.addi" and isinstance(mac, DictionaryAttr) and mac.data.get("product") in _SIDES


def _product_side(op: Operation) -> int:
    return _SIDES.index(op.attributes[MAC].data["product"])  # type: ignore[attr-defined]


def _continues(op: Operation) -> bool:
    """Whether the sum is only the accumulator of another MAC."""
    if not used_once(result(op)):
        return False
    (use,) = result(op).uses
    return _is_mac(use.operation) and use.operation.operands[1 - _product_side(use.operation)] is result(op)


def _chain(top: Operation) -> Chain:
    """Down the accumulators to the first that is not a MAC; a bare product there starts the sum."""
    products, op = [], top
    while True:
        products.append(op.operands[_product_side(op)])
        accumulator = _accumulator(op)
        below = made_by(accumulator, "arith.addi")
        if below is None or not _is_mac(below) or not used_once(accumulator):
            break
        op = below
    bare = product_of(accumulator) is not None
    return Chain(top, None if bare else accumulator, (*([accumulator] if bare else []), *reversed(products)))


def _reconstruct(session: Session, chain: Chain, stored: set[SSAValue]) -> None:
    """Loads may move into the loop as long as nothing stores to their array."""
    template = generalise(list(chain.products))
    if template is None or invariants(template) & stored:
        return
    loop = _loop(session, chain, template)
    cut = invariants(template) | ({chain.start} if chain.start is not None else set())
    if session.replace_by_loop(result(chain.top), loop, cut):
        _annotate(session, loop)
    else:
        loop.detach()


def _loop(session: Session, chain: Chain, template: Template) -> scf.ForOp:
    outer = session.emitter(chain.top)
    kind = result(chain.top).type
    start = outer.constant(0, width(result(chain.top))) if chain.start is None else chain.start
    body = Block(arg_types=[INDEX, kind])
    body.args[0].name_hint, body.args[1].name_hint = "k", "sum"
    inner = Emitter(body, session.constants)
    total = inner.binary(arith.AddiOp, body.args[1], instantiate(template, body.args[0], inner))
    body.add_op(scf.YieldOp.create(operands=(total,)))
    bounds = (outer.constant(0, 0), outer.constant(len(chain.products), 0), outer.constant(1, 0), start)
    loop = scf.ForOp.create(operands=bounds, result_types=(kind,), regions=[Region(body)])
    outer.add(loop)
    return loop


def _annotate(session: Session, loop: scf.ForOp) -> None:
    """The addition in the body is a MAC of its own."""
    add = loop.body.block.last_op.operands[0].owner  # type: ignore[union-attr]
    assert isinstance(add, Operation)
    for mac in candidates(add):
        attributes: dict[str, Attribute] = {MAC: mac.attribute()}
        claim = multiply_add(mac.accumulator, mac.a, mac.b, mac.a_signed, mac.b_signed)
        if mac.accumulator is loop.body.block.args[1] and session.annotate(add, attributes, claim, (mac.a, mac.b, mac.accumulator)):
            return
