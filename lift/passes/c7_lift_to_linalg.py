"""C7: reductions are named as what they are; nothing is rewritten.

A loop over k with one carried value whose body is exactly `sum + a(k) * b(k)`, where each operand is read at k (a part of a word at an affine bit offset, a
word of an array at an affine index, or either under a mask that makes it zero), is a dot product.  One whose body is `sum + a(k)`, the greater of the carried
value and a(k), and so on, is a reduction.

    scf.for %k = 0 to n iter_args(%sum) {...}  -->  the same with {tensorlift.linalg_op = "dot_product", tensorlift.a = {...}, tensorlift.b = {...}}
                                                    or {tensorlift.linalg_op = "reduce_max", tensorlift.a = {...}}

`tensorlift.a` and `.b` say where the operand is read: `kind` ("part" of a word, "load" of an array, "fixed" for the same value at each k), `stride` and
`offset` of the position in bits or words (from the base that is added to it, if any), `bit` the lowest bit of the operand in a word that is loaded whole,
`masked`, `zero` if a zero point that is the same at each k is taken from it, `scaled` if `stride` counts in multiples of a value that is the same at each k,
`moved` if such a value is added to `bit`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import scf
from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntegerAttr, StringAttr
from xdsl.ir import Block, Operation, SSAValue

from lift.ir.operations import constant_value, result, walk, width
from lift.passes.b3_detect_mac import MAC, Factor, candidates
from lift.passes.base import LiftPass
from lift.passes.folds import pair
from lift.passes.match import made_by, without_extensions
from lift.prove.session import Session

LINALG_OP, OPERAND_A, OPERAND_B = "tensorlift.linalg_op", "tensorlift.a", "tensorlift.b"


@dataclass(frozen=True, slots=True)
class Read:
    """Where an operand is read at position k: at offset + stride * k, in bits of a word ("part") or words of an array ("load", then from bit `bit` on).
    `scaled`: the stride is a multiple of a value that is the same at each k; `moved`: so is what is added to `bit`."""

    kind: str
    stride: int
    offset: int
    bit: int = 0
    masked: bool = False
    zero: bool = False
    scaled: bool = False
    moved: bool = False

    def attribute(self) -> DictionaryAttr:
        numbers = {key: IntegerAttr(n, 64) for key, n in (("stride", self.stride), ("offset", self.offset), ("bit", self.bit))}
        flags = {"masked": BoolAttr.from_bool(self.masked)}
        flags |= {name: BoolAttr.from_bool(True) for name, holds in (("zero", self.zero), ("scaled", self.scaled), ("moved", self.moved)) if holds}
        return DictionaryAttr({"kind": StringAttr(self.kind), **numbers, **flags})


class LiftToLinalg(LiftPass):
    name = "c7-lift-to-linalg"

    def rewrite(self, session: Session) -> None:
        for op in walk(session.function.body.block):
            if isinstance(op, scf.ForOp) and LINALG_OP not in op.attributes:
                _annotate(op)


def _annotate(loop: scf.ForOp) -> None:
    body = loop.body.block
    last = _reduction(body)
    if last is None:
        return
    if MAC in last.attributes:
        _annotate_dot(loop, last)
    elif (found := _combined(last, body)) is not None and (read := _read(without_extensions(found[1])[0], body)) is not None and read.kind != "fixed":
        loop.attributes |= {LINALG_OP: StringAttr(f"reduce_{found[0]}"), OPERAND_A: read.attribute()}


def _annotate_dot(loop: scf.ForOp, add: Operation) -> None:
    body = loop.body.block
    for mac in candidates(add):
        reads = [_factor(f, body) for f in (mac.a, mac.b)]
        if mac.accumulator is body.args[1] and None not in reads:
            a, b = (r.attribute() for r in reads)  # type: ignore[union-attr]
            loop.attributes |= {LINALG_OP: StringAttr("dot_product"), OPERAND_A: a, OPERAND_B: b}
            return


def _factor(factor: Factor, body: Block) -> Read | None:
    """A zero point has to be the same at each k."""
    read = _read(factor.value, body)
    if factor.zero is None or read is None:
        return read
    return None if _inside(factor.zero, body) else replace(read, zero=True)


def _combined(last: Operation, body: Block) -> tuple[str, SSAValue] | None:
    """How the carried value and another one are combined, and the other."""
    if last.name == "arith.addi":
        kind, a, b = "sum", *last.operands
    else:
        found = pair(last)
        if found is None:
            return None
        kind, a, b = found
    if body.args[1] not in (a, b):
        return None
    return kind, b if a is body.args[1] else a


def _reduction(body: Block) -> Operation | None:
    """The operation that a loop with one carried value yields; nothing else uses the carried value, except the comparison of a select."""
    if len(body.args) != 2 or any(op.regions or op.name == "memref.store" for op in body.ops):
        return None
    last = body.last_op.operands[0].owner  # type: ignore[union-attr]
    if not isinstance(last, Operation) or last.parent is not body:
        return None
    users = [use.operation for use in body.args[1].uses]
    return last if all(op is last or (last.name == "arith.select" and op is last.operands[0].owner) for op in users) else None


def _read(value: SSAValue, body: Block) -> Read | None:
    """How `value` depends on the index, None if otherwise than by one read."""
    if not _inside(value, body):
        return Read("fixed", 0, 0)
    if (chosen := made_by(value, "arith.select")) is not None and constant_value(chosen.operands[2]) == 0:
        inner = _read(chosen.operands[1], body)
        return None if inner is None else replace(inner, masked=True)
    if (load := made_by(value, "memref.load")) is not None:
        return _at("load", load.operands[1], body)
    part = made_by(value, "arith.trunci")
    if part is None:
        return None
    shift = made_by(part.operands[0], "arith.shrui")
    if shift is not None and not _inside(shift.operands[0], body):
        return _at("part", shift.operands[1], body)
    return _read(part.operands[0], body) if shift is None else _load_part(shift, body)


def _load_part(shift: Operation, body: Block) -> Read | None:
    """A part of a word that is loaded at the index, the same at each k."""
    load, fixed = made_by(shift.operands[0], "memref.load"), not _inside(shift.operands[1], body)
    read = _at("load", load.operands[1], body) if load is not None and fixed else None
    bit = constant_value(shift.operands[1])
    return None if read is None else replace(read, bit=bit or 0, moved=bit is None)


def _inside(value: SSAValue, body: Block) -> bool:
    owner = value.owner
    return owner is body or (isinstance(owner, Operation) and owner.parent is body)


def _at(kind: str, position: SSAValue, body: Block) -> Read | None:
    affine = _affine(position, body)
    return None if affine is None or affine[0] == 0 else Read(kind, affine[0], affine[1], scaled=affine[2])


def _affine(value: SSAValue, body: Block) -> tuple[int, int, bool] | None:
    """(stride, constant offset, whether the stride is in multiples of a value) of a position; an invariant base counts as offset 0."""
    if value is body.args[0]:
        return 1, 0, False
    known = constant_value(value)
    if known is not None or not _inside(value, body):
        return 0, known or 0, False
    op = made_by(value, "arith.index_castui", "arith.addi", "arith.muli")
    if op is None:
        return None
    parts = [_affine(v, body) for v in op.operands]
    if None in parts:
        return None
    if op.name == "arith.index_castui":
        return parts[0]
    (s, a, x), (t, b, y) = parts  # type: ignore[misc]
    if op.name == "arith.addi":
        return None if s and t and (x or y) else (_signed(s + t, value), _signed(a + b, value), x or y)
    return _multiple(op, s, a, x) if not t else _multiple(op, t, b, y, 0) if not s else None


def _multiple(op: Operation, stride: int, offset: int, scaled: bool, by: int = 1) -> tuple[int, int, bool] | None:
    """A position times operand `by`, which is the same at each k."""
    value, factor = result(op), constant_value(op.operands[by])
    if factor is not None:
        return _signed(stride * factor, value), _signed(offset * factor, value), scaled
    return None if scaled else (stride, 0, True)


def _signed(number: int, value: SSAValue) -> int:
    """The representative of least magnitude, so that a descending position has a negative stride."""
    bits = width(value)
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number
