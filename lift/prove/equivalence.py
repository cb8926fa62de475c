"""A function before and after a pass -> the outputs in which they are not equal, by congruence from proved lemmas.

The check does not trust the pass: it numbers the values of both functions bottom-up so that equal numbers mean equal values, merges two numbers only where a
lemma was proved, and compares results and arrays at return.  What a pass changed without a lemma therefore shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lift.ir.operations import COMMUTATIVE, PURE, describe
from lift.prove.cone import Cone

_WITH_PROPERTIES = frozenset({"arith.constant", "arith.cmpi"})


@dataclass(frozen=True, slots=True)
class Record:
    """An operation as it was: `kind` is ("pure", name, attribute, width) or the operation's name; `bodies` its blocks; `types` those of its results."""

    kind: tuple[object, ...]
    results: tuple[SSAValue, ...]
    operands: tuple[SSAValue, ...]
    bodies: tuple[Body, ...] = ()
    name: str = ""
    types: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True)
class Body:
    arguments: tuple[SSAValue, ...]
    records: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
class Equation:
    """A proved lemma: in `cone`, which has two roots, the value `before` of the function equals what replaced it.  `loop` is the loop
    that computes the second root, when that is not a pure cone."""

    before: SSAValue
    cone: Cone
    loop: Record | None = None


def snapshot(function: func.FuncOp, before: Body | None = None) -> Body:
    """The body of a function as data that later changes to it don't touch.  What did not change since `before` is taken from there."""
    return _body(function.body.block, {} if before is None else _by_result(before, {}))


def _by_result(body: Body, found: dict[int, Record]) -> dict[int, Record]:
    """Records by the identities of their results, which they keep alive."""
    for entry in body.records:
        if len(entry.results) == 1:
            found[id(entry.results[0])] = entry
        for inner in entry.bodies:
            _by_result(inner, found)
    return found


def _body(block: Block, known: dict[int, Record]) -> Body:
    records, op = [], block.first_op
    while op is not None:
        records.append(record(op, known))
        op = op.next_op
    return Body(tuple(block.args), tuple(records))


def record(op: Operation, known: dict[int, Record] | None = None) -> Record:
    """Constants and comparisons are read again even if they are known: a property may have changed; anything else is what it was when its name, the
    types of its results and its operands are."""
    results, operands = tuple(op.results), op._operands
    if known and len(results) == 1 and op.name not in _WITH_PROPERTIES and not op.regions:
        found = known.get(id(results[0]))
        if found is not None and found.operands == operands and found.types[0] is results[0].type and found.name == op.name:
            return found
    kind: tuple[object, ...] = ("pure", *describe(op)) if op.name in PURE else (op.name,)
    bodies = tuple(_body(region.block, known or {}) for region in op.regions if region.blocks) if op.regions else ()
    return Record(kind, results, tuple(operands), bodies, op.name, tuple(r.type for r in results))


def differences(before: Body, after: func.FuncOp, equations: Iterable[Equation], assumed: Mapping[SSAValue, int] | None = None) -> list[str]:
    """The outputs of `before` and `after` that are not congruent; empty when the functions are equal for all arguments (that have the
    `assumed` values)."""
    return differences_between(before, snapshot(after), equations, assumed)


def differences_between(before: Body, now: Body, equations: Iterable[Equation], assumed: Mapping[SSAValue, int] | None = None) -> list[str]:
    """The same for a function that was read already."""
    if now == before and not assumed:
        return []
    lemmas: dict[SSAValue, list[Equation]] = {}
    for equation in equations:
        lemmas.setdefault(equation.before, []).append(equation)
    numbering = _Numbering(lemmas)
    for argument, value in (assumed or {}).items():
        numbering.assume(argument, value)
    # Merging may make values congruent that were numbered before; the next round sees them.
    wrong, merged = numbering.compare(before, now), 0
    while wrong and numbering.merged != merged:
        merged = numbering.merged
        wrong = numbering.compare(before, now)
    return wrong


def _compare(before: _Outputs, after: _Outputs) -> list[str]:
    wrong = [f"result {k}" for k, (a, b) in enumerate(zip(before.results, after.results, strict=True)) if a != b]
    return wrong + [f"array {k}" for k, (a, b) in enumerate(zip(before.arrays, after.arrays, strict=True)) if a != b]


def _stored(body: Body) -> list[SSAValue]:
    """The arrays that a block stores to, in order."""
    found = {entry.operands[1]: None for entry in body.records if entry.name == "memref.store"}
    return list(found | {a: None for entry in body.records for inner in entry.bodies for a in _stored(inner)})


@dataclass(frozen=True, slots=True)
class _Outputs:
    results: tuple[int, ...]
    arrays: tuple[int, ...]


@dataclass(slots=True)
class _Numbering:
    lemmas: dict[SSAValue, list[Equation]]
    table: dict[tuple[object, ...], int] = field(default_factory=dict)
    parent: list[int] = field(default_factory=list)
    numbers: dict[SSAValue, int] = field(default_factory=dict)
    arrays: dict[SSAValue, int] = field(default_factory=dict)
    merged: int = 0
    read: set[SSAValue] = field(default_factory=set)  # in this round, and in this function

    def intern(self, key: tuple[object, ...]) -> int:
        found = self.table.get(key)
        if found is None:
            found = self.table[key] = len(self.parent)
            self.parent.append(found)
        return self.find(found)

    def find(self, number: int) -> int:
        while self.parent[number] != number:
            number = self.parent[number]
        return number

    def of(self, value: SSAValue) -> int:
        """A number given before; a constant that a pass made gets its own here."""
        found = self.numbers.get(value)
        if found is None:
            assert isinstance(value.owner, arith.ConstantOp), f"used before it is defined: {value}"
            found = self.numbers[value] = self.intern(("pure", *describe(value.owner)))
        return self.find(found)

    def merge(self, a: int, b: int) -> None:
        """The older number represents both, as keys made with it stay valid."""
        a, b = self.find(a), self.find(b)
        self.merged += a != b
        self.parent[max(a, b)] = min(a, b)

    def assume(self, argument: SSAValue, value: int) -> None:
        kind = argument.type.width.data  # type: ignore[attr-defined]
        self.merge(self.intern(("pure", "arith.constant", value, kind)), self.intern(("leaf", argument)))

    def function(self, body: Body) -> _Outputs:
        self.arrays, self.read = {}, set(body.arguments)
        for argument in body.arguments:
            self.leaf(argument)
        results = self.block(body)
        arrays = tuple(self.find(self.arrays[a]) for a in body.arguments if isinstance(a.type, MemRefType))
        return _Outputs(tuple(self.find(r) for r in results), arrays)

    def compare(self, before: Body, after: Body) -> list[str]:
        return _compare(self.function(before), self.function(after))

    def leaf(self, value: SSAValue) -> None:
        self.numbers[value] = self.intern(("leaf", value))
        if isinstance(value.type, MemRefType):
            self.arrays[value] = self.numbers[value]

    def block(self, body: Body) -> tuple[int, ...]:
        """Numbers everything in a block; the numbers of its terminator's operands."""
        for entry in body.records:
            operands = tuple(self.of(v) for v in entry.operands)
            match entry.kind:
                case ("pure", name, *_):
                    self.numbers[entry.results[0]] = self.intern((*entry.kind, *(sorted(operands) if name in COMMUTATIVE else operands)))
                case ("memref.load",):
                    self.numbers[entry.results[0]] = self.intern(("load", self.find(self.arrays[entry.operands[0]]), operands[1]))
                case ("memref.store",):
                    array = entry.operands[1]
                    self.arrays[array] = self.intern(("store", self.find(self.arrays[array]), operands[2], operands[0]))
                case ("scf.if",):
                    self.branch(entry, operands[0])
                case ("scf.for",):
                    self.loop(entry, operands)
                case _:
                    return operands
            self.read.update(entry.results)
            for result in entry.results:
                self.apply_lemmas(result)
        raise AssertionError("a block without a terminator")

    def branch(self, entry: Record, condition: int) -> None:
        """The arrays (and results) after a conditional; one whose condition is a constant is the chosen side."""
        start, sides = dict(self.arrays), []
        for body in entry.bodies:
            self.arrays = dict(start)
            sides.append((self.block(body), self.arrays))
        sides += [((), dict(start))] * (2 - len(sides))
        (then, after_then), (other, after_other) = sides
        self.arrays = {a: self.choose(condition, after_then[a], after_other[a]) for a in start}
        for result, a, b in zip(entry.results, then, other, strict=True):
            self.numbers[result] = self.choose(condition, a, b)

    def choose(self, condition: int, then: int, other: int) -> int:
        if condition == self.find(self.intern(("pure", "arith.constant", 1, 1))):
            return then
        if condition == self.find(self.intern(("pure", "arith.constant", 0, 1))):
            return other
        return then if then == other else self.intern(("choose", condition, then, other))

    def loop(self, entry: Record, operands: Sequence[int]) -> None:
        """A loop is its bounds, initial values and body; arrays that the body stores to enter it as leaves.  One with equal bounds does nothing."""
        if operands[0] == operands[1]:
            self.numbers |= dict(zip(entry.results, operands[3:], strict=True))
            return
        body, outside = entry.bodies[0], dict(self.arrays)
        for argument in body.arguments:
            self.numbers[argument] = self.intern(("leaf", argument))
        stored = _stored(body)
        for array in stored:
            self.arrays[array] = self.intern(("carried", body.arguments[0], array))
        inside = dict(self.arrays)
        yielded = self.block(body)
        changed = [a for a in stored if self.arrays[a] != inside[a]]
        effects = tuple((outside[a], inside[a], self.arrays[a]) for a in changed)
        reads = tuple((inside[a], outside[a]) for a in stored if a not in changed)
        whole = self.intern(("for", *operands, "yield", *yielded, effects, reads))
        self.arrays = outside | {a: self.intern(("for array", whole, k)) for k, a in enumerate(changed)}
        for k, result in enumerate(entry.results):
            self.numbers[result] = self.intern(("for result", whole, k))

    def apply_lemmas(self, value: SSAValue) -> None:
        for equation in self.lemmas.get(value, ()):
            numbers = self.cone(equation.cone)
            first, second = (numbers[r] for r in equation.cone.roots)
            if equation.loop is not None:
                operands = tuple(self.of(v) for v in equation.loop.operands)
                self.loop(equation.loop, operands)
                second = self.numbers[equation.loop.results[0]]
            self.merge(first, second)

    def cone(self, part: Cone) -> list[int]:
        numbers = [self.of(leaf) for leaf in part.leaves]
        for name, attribute, bits, operands in part.nodes:
            args = [self.find(numbers[k]) for k in operands]
            if name == "memref.load":
                array = part.leaves[operands[0]]
                numbers.append(self.intern(("load", self.find(self.arrays[array]), args[1])))
                continue
            numbers.append(self.intern(("pure", name, attribute, bits, *(sorted(args) if name in COMMUTATIVE else args))))
        for value, number in part.values:
            if value not in self.read:
                self.read.add(value)
                self.numbers[value] = numbers[number]
                self.apply_lemmas(value)  # a value that came and went within the pass
        return numbers
