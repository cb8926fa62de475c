"""B5: saturation, ReLU, wrapping and rounding shifts are told apart and annotated; nothing is rewritten but the parts of a lane (lanes.py).

How they are spelled does not matter (compare-and-select in any order and nesting, tests of overflow bits, guard and sticky bits, an added half): a value
that depends on one or two values only is evaluated on samples, which give the bounds, the shift and the rounding (forms.py), and these are kept if Z3 proves
them for every input.

    select(127 < x, 127, select(x < -128, -128, x))   -->  {tensorlift.clamp = {low = -128, high = 127, signed = true, width = 32}}
    select(overflow, sum < 0 ? 127 : -128, sum)       -->  {tensorlift.clamp = {low = -128, high = 127, signed = true, width = 9, of = "sum"}}
    select(x < 0, 0, x)                               -->  {tensorlift.relu = {width = 32}}
    select(g & (x < 0), 0, x)                         -->  {tensorlift.relu = {width = 32, guard = 0}}
    extsi(trunci %x : i32 to i20) : i32               -->  {tensorlift.wrap = {width = 20, signed = true}}
    (x + 8) >> 4                                      -->  {tensorlift.round = {mode = "half_up", signed = true, width = 32, shift = 4}}

`guard` is the operand of the conjunction that switches the ReLU on.  In a clamp `signed` is how the input is read and `width` its width; a clamp to [0, high]
of a signed input is a ReLU fused with a saturation and has both annotations.  An operation with a rounding and a clamp first rounds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from lift.ir.operations import PURE, constant_value, result, walk, width
from lift.passes.b3_detect_mac import address_operations
from lift.passes.base import LiftPass
from lift.passes.bounded import closed, fronts, positions, sources
from lift.passes.clamp_attributes import CLAMP, RELU, WRAP, attributes_of, claim, guarded, wrapped
from lift.passes.forms import Form, Forms, Sampled
from lift.passes.lanes import Lane, lane_of, whole_of, word_of
from lift.passes.match import made_by
from lift.prove.claims import relu, resize, select
from lift.prove.cone import cone
from lift.prove.session import Session

_BOUNDED = frozenset("arith.trunci arith.select arith.andi arith.ori arith.xori".split())
_SHIFTED = frozenset("arith.addi arith.subi arith.select arith.shrsi arith.shrui arith.divsi arith.trunci arith.ori".split())
_SHIFTS = frozenset("arith.shrsi arith.shrui arith.divsi".split())
_SUMS = frozenset("arith.addi arith.subi arith.divsi".split())
_DECISIONS = frozenset("arith.select arith.cmpi".split())
_NEAR = 12


class DetectClamp(LiftPass):
    """From the results down, so that the whole of a saturation or a rounding is found before its parts."""

    name = "b5-detect-clamp"

    def rewrite(self, session: Session) -> None:
        operations = walk(session.function.body.block)
        addresses, at, forms = address_operations(operations), positions(session.function.body.block), Forms()
        decided = _near(operations, _DECISIONS)
        divided = _near(operations, _SHIFTS) & (decided | _near(operations, _SUMS))
        covered: set[Operation] = set()
        for op in reversed(operations):
            bounded, shifted = op.name in _BOUNDED and op in decided, op.name in _SHIFTED and op in divided and op not in addresses
            if (bounded or shifted) and op not in covered and width(result(op)) > 1:
                covered |= _form(session, op, at, forms, bounded, shifted)
        for op in operations:
            if op.name in ("arith.extsi", "arith.extui") and op not in addresses and op not in covered:
                _wrap(session, op)
            elif op.name == "arith.select" and CLAMP not in op.attributes and RELU not in op.attributes:
                _guarded_relu(session, op, at)


def _near(operations: list[Operation], names: Collection[str]) -> set[Operation]:
    """The operations that are, or have among the last few that lead to them, one of these."""
    distance: dict[SSAValue, int] = {}
    for op in operations:
        if op.name in PURE and op.name != "arith.constant":
            below = min((distance.get(v, _NEAR) for v in op._operands), default=_NEAR)
            distance[result(op)] = 0 if op.name in names else min(below + 1, _NEAR)
    return {value.owner for value, steps in distance.items() if steps < _NEAR}  # type: ignore[misc]


def _form(session: Session, op: Operation, at: dict[Operation, int], forms: Forms, bounded: bool, shifted: bool) -> set[Operation]:
    """Annotates `op` by the values of which it is a saturation or rounding; the operations that this is made of and nothing else uses."""
    value = result(op)
    found = _Choice()
    for front in fronts(value, at):
        if any(width(v) == 1 or _is_extended(v) for v in front):
            continue
        for lanes, late in _readings(value, front):
            if shifted or lanes[0].bits == lanes[-1].bits:
                for order in (lanes, lanes[::-1])[: len(lanes)]:
                    found.offer(order, _kept(op, order, forms, bounded, shifted), late)
    for lanes, form in found.ordered():
        leaves = _taken(session, lanes, at)
        if session.annotate(op, attributes_of(form, leaves), claim(form, leaves, width(value)), leaves):
            return _inside(op, leaves, at)
    return set()


def _readings(value: SSAValue, front: tuple[SSAValue, ...]) -> Iterator[tuple[tuple[Lane, ...], bool]]:
    """What is read of a front, and whether other readings come first: where the rest of a word leads elsewhere, lanes do, else whole words."""
    inside = set(closed(value, front) or ())
    whole, lanes = tuple(map(whole_of, front)), tuple(lane_of(word, inside) for word in front)
    elsewhere = any(lane.parts and any(use.operation not in inside for use in lane.word.uses) for lane in lanes)
    if not elsewhere:
        yield whole, False
    if lanes != whole:
        yield lanes, not elsewhere


def _taken(session: Session, lanes: tuple[Lane, ...], at: dict[Operation, int]) -> tuple[SSAValue, ...]:
    """The lanes as values; operations that this makes have places, too."""
    leaves = tuple(lane.taken(session) for lane in lanes)
    if any(lane.parts for lane in lanes):
        at.update(positions(session.function.body.block))
    return leaves


@dataclass(slots=True)
class _Choice:
    """What an operation may be: bounds on the farthest value, as a ReLU may be inside; else of the nearest values, rounded rather than rounded down."""

    bounds: list[tuple[tuple[Lane, ...], Form]] = field(default_factory=list)
    others: list[tuple[tuple[Lane, ...], Form]] = field(default_factory=list)
    late: list[tuple[tuple[Lane, ...], Form]] = field(default_factory=list)

    def offer(self, lanes: tuple[Lane, ...], forms: Iterable[Form], late: bool) -> None:
        for form in forms:
            kind = self.late if late else self.bounds if form.shift == 0 and form.of is None else self.others
            kind.append((lanes, form))

    def ordered(self) -> list[tuple[tuple[Lane, ...], Form]]:
        return [*reversed(self.bounds), *sorted(self.others, key=lambda each: each[1].mode is None), *self.late]


def _kept(op: Operation, lanes: tuple[Lane, ...], forms: Forms, bounded: bool, shifted: bool) -> list[Form]:
    leaves = tuple(lane.word for lane in lanes)
    part = cone((result(op),), leaves)
    if set(part.leaves) != set(leaves) or part.roots[0] < len(leaves):
        return []
    function = Sampled(part, leaves, tuple(lane.span for lane in lanes))
    return [form for form in forms.of(function, bounded, shifted) if not _is_misread(form, leaves)]


def _inside(op: Operation, leaves: tuple[SSAValue, ...], at: Mapping[Operation, int]) -> set[Operation]:
    found = {op}
    for inner in sorted((o for o in closed(result(op), leaves) or () if o in at), key=at.__getitem__, reverse=True):  # not constants that are new
        if all(use.operation in found for use in result(inner).uses):
            found.add(inner)
    return found


def _is_extended(value: SSAValue) -> bool:
    """What it is an extension of is a front of its own."""
    return made_by(value, "arith.extsi", "arith.extui") is not None


def _is_misread(form: Form, leaves: tuple[SSAValue, ...]) -> bool:
    """A product of two zero extensions whose highest bit is taken for a sign."""
    product = made_by(leaves[0], "arith.muli") if form.signed and form.of is None else None
    factors = [made_by(v, "arith.extui") for v in product.operands] if product is not None else []
    return bool(factors) and all(f is not None for f in factors) and sum(width(f.operands[0]) for f in factors if f is not None) >= width(leaves[0])


def _wrap(session: Session, op: Operation) -> None:
    """An extension of a truncation that is not the end of a saturation, nor the choice of a part of a word."""
    cut = made_by(op.operands[0], "arith.trunci")
    if cut is None or CLAMP in cut.attributes or made_by(cut.operands[0], "memref.load", "arith.shrui") is not None:
        return
    (x,), signed, bits = cut.operands, op.name == "arith.extsi", width(result(cut))
    session.annotate(op, {WRAP: wrapped(bits, signed)}, resize(resize(x, bits, signed), width(result(op)), signed), (x,))


def _guarded_relu(session: Session, op: Operation, at: dict[Operation, int]) -> None:
    """select(guard and (x < 0), 0, y), where y is as negative as x: a ReLU of y when the guard holds."""
    condition, zero, y = op.operands
    both = made_by(condition, "arith.andi")
    if both is None or constant_value(zero) != 0 or width(y) == 1:
        return
    for side in (0, 1):
        _through_lane(session, both.operands[1 - side], op.operands[2], at)
        if _relu_when(session, op, side, at):
            return


def _relu_when(session: Session, op: Operation, side: int, at: Mapping[Operation, int]) -> bool:
    """If operand `side` of the conjunction holds."""
    condition, _, y = op.operands
    guard, negative = (condition.owner.operands[k] for k in (side, 1 - side))  # type: ignore[union-attr]
    meaning = select(guard, relu(y), y)
    for x in [y, *sources(y, at)]:
        closing = closed(negative, {x}) is not None and (x is y or closed(y, {x}) is not None)
        if closing and session.annotate(op, {RELU: guarded(width(y), side)}, meaning, (guard, x)):
            return True
    return False


def _through_lane(session: Session, negative: SSAValue, y: SSAValue, at: dict[Operation, int]) -> None:
    """If `y` is a lane of a word, and `negative` is about other parts of it, these are read through it."""
    word = word_of(y)
    inside = {y.owner, *(closed(negative, {word}) or ())}
    lane = lane_of(word, inside)  # type: ignore[arg-type]
    if lane.bits == width(y):
        _taken(session, (lane,), at)
