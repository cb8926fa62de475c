"""An `Identity` -> kernels of its left side, the near ones on which it must be silent, and wrong rules made of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from act.hlo import Computation, Instruction, Shape
from act.hlo.infer import infer
from act.hlo.opcodes import COMMUTATIVE
from act.hlo.shape_rules import ShapeError
from act.rewrites.model import Rewrite
from act.rewrites.pattern import PREDICATES, TYPES, Apply, Identity, Literal, Term, Variable, apply, variables

DTYPES = ("s1", "s2", "s3", "u1", "u4", "s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64", "f16", "bf16", "f32", "f64", "pred")
LIKE = (
    frozenset(("negate", "abs", "not", "sign")),
    frozenset(("floor", "ceil", "round-nearest-even", "round-nearest-afz", "negate", "abs")),
    frozenset(("sum", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor", "shift-left")),
    frozenset(("add", "subtract", "multiply", "maximum", "minimum", "divide")),
)
DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")


class IllTyped(Exception):
    """The pattern has no meaning for this element type."""


@dataclass(slots=True)
class _Kernel:
    dtype: str
    dims: tuple[int, ...]
    scalar_predicates: bool
    lines: list[Instruction] = field(default_factory=list)
    known: dict[str, str] = field(default_factory=dict)

    def emit(self, opcode: str, shape: Shape, operands: tuple[str, ...] = (), **attributes: object) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(Instruction(name, shape, opcode, operands, attributes))
        return name

    def shape(self, name: str) -> Shape:
        found = next(each.shape for each in self.lines if each.name == name)
        assert isinstance(found, Shape)
        return found

    def add(self, term: Term, wanted: str) -> str:
        """The name of the value of `term`; `wanted` is the element type of a literal."""
        match term:
            case Variable(name):
                return self.variable(name)
            case Literal():
                value = term.value(wanted)
                if value is None:
                    raise IllTyped
                constant = self.emit("constant", Shape(wanted), value=value)
                return self.emit("broadcast", Shape(wanted, self.dims), (constant,), dimensions=()) if self.dims else constant
            case Apply():
                return self.apply(term)

    def variable(self, name: str) -> str:
        if name not in self.known:
            number, predicate = len(self.known), name in PREDICATES
            shape = Shape("pred" if predicate else self.dtype, () if predicate and self.scalar_predicates else self.dims)
            self.known[name] = self.emit("parameter", shape, number=number)
        return self.known[name]

    def apply(self, term: Apply) -> str:
        types = ["pred" if term.opcode == "select" and place == 0 else self.dtype for place in range(len(term.children))]
        operands = tuple(self.add(child, kind) for child, kind in zip(term.children, types, strict=True))
        given = {"direction": term.direction} if term.direction else {}
        if term.opcode == "convert":
            return self.emit("convert", Shape(self.dtype, self.shape(operands[0]).dims), operands)
        if term.opcode != "sum":
            return self.typed(term.opcode, operands, given)
        if not TYPES["integers"](self.dtype):
            raise IllTyped
        result, *rest = operands
        for operand in rest:
            result = self.typed("add", (result, operand), given)
        return result

    def typed(self, opcode: str, operands: tuple[str, ...], given: dict[str, str]) -> str:
        shapes = tuple(map(self.shape, operands))
        try:
            shape = infer(opcode, shapes, given, shapes[0])
        except ShapeError:
            raise IllTyped from None
        return self.emit(opcode, shape, operands, **given)


def kernel(term: Apply, dtype: str, dims: tuple[int, ...] = (2, 3), scalar_predicates: bool = False) -> Computation | None:
    """The pattern as a computation of its variables; None where it has no meaning."""
    built = _Kernel(dtype, dims, scalar_predicates)
    try:
        root = built.add(term, dtype)
    except IllTyped:
        return None
    return Computation("main", tuple(built.lines), root)


def kernels(term: Apply, dtype: str) -> Iterator[Computation]:
    """Scalars, vectors, a matrix; scalar predicates among tensors."""
    for dims, scalar in (((), False), ((3,), False), ((2, 3), False), ((1, 2), True)):
        if not scalar or PREDICATES & set(variables(term)):
            found = kernel(term, dtype, dims, scalar)
            if found is not None:
                yield found


def places(term: Term, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Term]]:
    yield path, term
    if isinstance(term, Apply):
        for number, child in enumerate(term.children):
            yield from places(child, (*path, number))


def changed(term: Term, path: tuple[int, ...], new: Term) -> Term:
    if not path:
        return new
    assert isinstance(term, Apply)
    children = list(term.children)
    children[path[0]] = changed(children[path[0]], path[1:], new)
    return replace(term, children=tuple(children))


def literals(term: Term, dtype: str) -> list[object]:
    return [part.value(dtype) for _, part in places(term) if isinstance(part, Literal)]


def unrepeated(term: Term) -> Iterator[Term]:
    """One occurrence of a variable that occurs again is another variable."""
    seen: set[str] = set()
    for path, part in places(term):
        if isinstance(part, Variable):
            if part.name in seen:
                yield changed(term, path, Variable("r" if part.name in PREDICATES else "w"))
            seen.add(part.name)


def other_literals(term: Term) -> Iterator[Term]:
    for path, part in places(term):
        if isinstance(part, Literal):
            for text in ("0", "1", "-1", "2", "3", "LEAST", "GREATEST", "ONES", "true", "false"):
                if text != part.text:
                    yield changed(term, path, Literal(text))


def other_operators(term: Term) -> Iterator[Term]:
    for path, part in places(term):
        if isinstance(part, Apply):
            for direction in DIRECTIONS if part.direction else ():
                if direction != part.direction:
                    yield changed(term, path, replace(part, direction=direction))
            for opcode in sorted(frozenset().union(*(each for each in LIKE if part.opcode in each)) - {part.opcode}):
                yield changed(term, path, replace(part, opcode=opcode))


def without_operator(term: Term) -> Iterator[Term]:
    """An inner operator is its first operand."""
    for path, part in places(term):
        if path and isinstance(part, Apply):
            yield changed(term, path, part.children[0])


def swapped(term: Term) -> Iterator[Term]:
    for path, part in places(term):
        if isinstance(part, Apply) and len(part.children) > 1 and part.opcode not in (*COMMUTATIVE, "sum"):
            *others, a, b = part.children
            if a != b:
                yield changed(term, path, replace(part, children=(*others, b, a)))


def near_misses(rule: Identity, literals: bool = True) -> Iterator[Apply]:
    """Left sides that differ in one thing."""
    for term in (*unrepeated(rule.left), *(other_literals(rule.left) if literals else ()), *other_operators(rule.left), *without_operator(rule.left)):
        assert isinstance(term, Apply)
        yield term


def mutants(rule: Identity) -> Iterator[tuple[str, Rewrite, Apply]]:
    """What was changed, the wrong rule, and the left side by which to try it."""
    for left in (*unrepeated(rule.left), *other_literals(rule.left)):
        assert isinstance(left, Apply)
        if set(variables(rule.right)) <= set(variables(left)):
            yield f"left {left}", _rule(left, rule.right, rule.types), left
    for right in (*other_literals(rule.right), *other_operators(rule.right), *swapped(rule.right)):
        yield f"right {right}", _rule(rule.left, right, rule.types), rule.left
    for types in ("any",) if rule.types != "any" else ():
        yield f"types {types}", _rule(rule.left, rule.right, types), rule.left


def _rule(left: Apply, right: Term, types: str) -> Rewrite:
    return Rewrite("wrong", frozenset((left.opcode,)), lambda graph, node: apply(left, right, types, graph, node), family="algebraic", statement="wrong")
