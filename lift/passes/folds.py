"""An operation -> the values that a chain or tree of one associative operation combines: or, and, exclusive or, greatest, least.

The greatest of two values is a select on a comparison of the same two, in any of its spellings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from lift.ir.emit import Emitter
from lift.ir.operations import PREDICATES, result, width
from lift.passes.match import made_by
from lift.prove.claims import binary, compare, select
from lift.prove.cone import Value
from lift.prove.session import Session

Kind = Literal["or", "and", "xor", "max", "min", "umax", "umin"]

_BITWISE: dict[str, Kind] = {"arith.ori": "or", "arith.andi": "and", "arith.xori": "xor"}
_OPERATIONS: dict[str, type[Operation]] = {"or": arith.OrIOp, "and": arith.AndIOp, "xor": arith.XOrIOp}
_ORDER = {"max": "sgt", "min": "slt", "umax": "ugt", "umin": "ult"}
_LARGER: dict[str, Kind] = {"sgt": "max", "sge": "max", "slt": "min", "sle": "min", "ugt": "umax", "uge": "umax", "ult": "umin", "ule": "umin"}
_OPPOSITE: dict[str, Kind] = {"max": "min", "min": "max", "umax": "umin", "umin": "umax"}


def neutral(kind: Kind, bits: int) -> int:
    """The value that changes nothing."""
    match kind:
        case "or" | "xor" | "umax":
            return 0
        case "and" | "umin":
            return (1 << bits) - 1
        case "max":
            return 1 << (bits - 1)
        case "min":
            return (1 << (bits - 1)) - 1


def pair(op: Operation) -> tuple[Kind, SSAValue, SSAValue] | None:
    """What `op` combines, and how; single bits are control and not read."""
    if op.name in _BITWISE:
        a, b = op.operands
        return (_BITWISE[op.name], a, b) if width(a) > 1 else None
    return _extreme(op) if op.name == "arith.select" else None


def _extreme(op: Operation) -> tuple[Kind, SSAValue, SSAValue] | None:
    condition, then, other = op.operands
    test = made_by(condition, "arith.cmpi")
    if test is None or width(then) == 1 or {*test.operands} != {then, other} or then is other:
        return None
    kind = _LARGER.get(PREDICATES[test.properties["predicate"].value.data])  # type: ignore[attr-defined]
    if kind is None:
        return None
    return (kind if test.operands[0] is then else _OPPOSITE[kind]), then, other


def combine(kind: Kind, a: SSAValue, b: SSAValue, emitter: Emitter) -> SSAValue:
    if kind in _OPERATIONS:
        return emitter.binary(_OPERATIONS[kind], a, b)
    return emitter.select(emitter.compare(_ORDER[kind], a, b), a, b)


def combined(kind: Kind, a: Value, b: Value) -> Value:
    """The same as an expression."""
    return binary(f"{kind}i", a, b) if kind in _OPERATIONS else select(compare(_ORDER[kind], a, b), a, b)


@dataclass(slots=True)
class Fold:
    """`top` combines `leaves`, in the order of the text, through the operations `inner`."""

    top: Operation
    kind: Kind
    leaves: list[SSAValue]
    inner: set[Operation]


def fold_of(top: Operation) -> Fold | None:
    """The fold that ends in `top`, None if that is no operation of a kind."""
    found = pair(top)
    if found is None:
        return None
    fold, stack = Fold(top, found[0], [], {top}), [found[2], found[1]]
    while stack:
        value = stack.pop()
        below = _inside(value, fold)
        if below is None:
            fold.leaves.append(value)
        else:
            fold.inner.add(value.owner)  # type: ignore[arg-type]
            stack += [below[1], below[0]]
    return fold


def _inside(value: SSAValue, fold: Fold) -> tuple[SSAValue, SSAValue] | None:
    """The operands of the operation that `value` is, if it is of the kind and nothing outside the fold sees it."""
    op = value.owner
    below = pair(op) if isinstance(op, Operation) else None
    if below is None or below[0] != fold.kind or not all(_belongs(use.operation, fold.inner) for use in value.uses):
        return None
    return below[1], below[2]


def _belongs(op: Operation, inner: set[Operation]) -> bool:
    """Whether `op` is one of the fold's operations, or the comparison of one."""
    return op in inner or (op.name == "arith.cmpi" and all(use.operation in inner for use in result(op).uses))


def rechain(session: Session, fold: Fold, order: list[SSAValue]) -> SSAValue | None:
    """The fold as a chain in the given order of its leaves, by local steps: a rotation for each node on the right, then swaps of neighbours."""
    inner, top = {result(op) for op in fold.inner}, result(fold.top)
    value, nodes = top, []
    while value in inner:
        _, a, b = pair(value.owner)  # type: ignore[misc, arg-type]
        if b not in inner:
            nodes.append(value)
            value = a
            continue
        after = _rotated(session, fold.kind, value, a, b)
        if after is None:
            return None
        inner |= {after, pair(after.owner)[1]}  # type: ignore[index, arg-type]
        top, value = (after if value is top else top), after
    return _Sorting(session, fold.kind, [value, *reversed(nodes)], list(fold.leaves)).to(order)


def _rotated(session: Session, kind: Kind, value: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue | None:
    """a + (c + d) as (a + c) + d."""
    _, c, d = pair(b.owner)  # type: ignore[misc, arg-type]
    emitter = session.emitter(value.owner)  # type: ignore[arg-type]
    after = combine(kind, combine(kind, a, c, emitter), d, emitter)
    return after if session.replace(value, after, (a, c, d)) else None


def _is_canonical(op: Operation, kind: Kind, a: SSAValue, b: SSAValue) -> bool:
    condition, then, other = op.operands
    test = made_by(condition, "arith.cmpi")
    found = test is not None and PREDICATES[test.properties["predicate"].value.data] == _ORDER[kind]  # type: ignore[attr-defined]
    return found and (then, other) == (a, b) and tuple(test.operands) == (a, b)  # type: ignore[union-attr]


@dataclass(slots=True)
class _Sorting:
    """`nodes[k]` is the chain of the first k + 1 leaves."""

    session: Session
    kind: Kind
    nodes: list[SSAValue]
    leaves: list[SSAValue]

    def to(self, order: list[SSAValue]) -> SSAValue | None:
        for place, leaf in enumerate(order):
            present = self.leaves.index(leaf, place)
            while present > place:
                present -= 1
                if not self._swap(present):
                    return None
        return self.nodes[-1] if all(self._spell(at) for at in range(1, len(self.nodes))) else None

    def _spell(self, at: int) -> bool:
        """The node that adds leaf `at`, as `combine` writes it."""
        node, before, leaf = self.nodes[at], self.nodes[at - 1], self.leaves[at]
        if self.kind in _OPERATIONS or _is_canonical(node.owner, self.kind, before, leaf):  # type: ignore[arg-type]
            return True
        after = self.nodes[at] = combine(self.kind, before, leaf, self.session.emitter(node.owner))  # type: ignore[arg-type]
        return self.session.replace(node, after, (before, leaf))

    def _swap(self, at: int) -> bool:
        """Leaves `at` and `at` + 1."""
        a, b, outer = self.leaves[at], self.leaves[at + 1], self.nodes[at + 1]
        emitter = self.session.emitter(outer.owner)  # type: ignore[arg-type]
        below = [self.nodes[at - 1]] if at else []
        first = combine(self.kind, below[0], b, emitter) if at else b
        after = combine(self.kind, first, a, emitter)
        if not self.session.replace(outer, after, (*below, a, b)):
            return False
        self.leaves[at], self.leaves[at + 1] = b, a
        self.nodes[at], self.nodes[at + 1] = first, after
        return True
