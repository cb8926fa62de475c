"""Identities of elementwise operators, as text -> rewrite rules.

Before --> after:  `identity("or_absorbs", "bits", "or(x, and(x, y)) = x")` --> a rule on `or` that proposes the class of x

`p`, `q`, `r` are predicates, other letters are tensors of any type; the same letter is the same value.  Operands of commutative operators
match in any order, a `sum` at the root may have further terms.  `types` is about `x`, or about the result where there is no `x`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from math import copysign

from act.backend.classes import ClassGraph, ENode, Scalar
from act.hlo.dtypes import integer_range, is_float, is_integer, is_signed, wrap
from act.hlo.model import Shape
from act.hlo.opcodes import COMMUTATIVE
from act.records import dataclass
from act.rewrites.model import CONSTANT, Rewrite
from act.rewrites.terms import Proposals, splat, total

TYPES: Mapping[str, Callable[[str], bool]] = {
    "integers": is_integer,
    "signed": lambda dtype: is_integer(dtype) and is_signed(dtype),
    "unsigned": lambda dtype: is_integer(dtype) and not is_signed(dtype),
    "floats": is_float,
    "pred": lambda dtype: dtype == "pred",
    "bits": lambda dtype: is_integer(dtype) or dtype == "pred",
    "numbers": lambda dtype: is_integer(dtype) or is_float(dtype),
    "with one": lambda dtype: is_float(dtype) or (is_integer(dtype) and wrap(dtype, 1) == 1),
    "any": lambda dtype: True,
}
PREDICATES = frozenset("pqr")
REST = "..."


class Mismatch(Exception):
    """The right side cannot be built with these operands."""


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant everywhere; `LEAST`, `GREATEST`, `ONES` (all bits) and `ZERO` (no bit) depend on the element type."""

    text: str

    def value(self, dtype: str) -> Scalar | None:
        """None when the type has no such value."""
        if self.text in ("ONES", "ZERO"):
            ones = self.text == "ONES"
            return None if is_float(dtype) else ones if dtype == "pred" else wrap(dtype, -int(ones))
        if self.text in ("true", "false"):
            return self.text == "true" if dtype == "pred" else None
        if self.text in ("LEAST", "GREATEST"):
            return integer_range(dtype)[self.text == "GREATEST"] if is_integer(dtype) else None
        if is_float(dtype):
            return float(self.text)
        number = int(self.text)
        return number if is_integer(dtype) and wrap(dtype, number) == number else None


@dataclass(frozen=True, slots=True)
class Apply:
    opcode: str
    direction: str | None
    children: tuple[Term, ...]


Term = Variable | Literal | Apply
Binding = dict[str, int]
TOKEN = re.compile(r"\s*([a-z][a-z-]*(?:\.[A-Z]+)?|[A-Z]+|-?[0-9.]+|[(),])")


def parse(text: str) -> Term:
    tokens = TOKEN.findall(text)
    found, rest = _term(tokens)
    if rest or "".join(tokens) != text.replace(" ", ""):
        raise ValueError(f"cannot read the pattern '{text}'")
    return found


def _term(tokens: list[str]) -> tuple[Term, list[str]]:
    head, rest = tokens[0], tokens[1:]
    if not rest or rest[0] != "(":
        literal = head in ("true", "false") or not head[0].islower()
        return (Literal(head) if literal else Variable(head)), rest
    children = []
    while rest[0] != ")":
        child, rest = _term(rest[1:])
        children.append(child)
    opcode, _, direction = head.partition(".")
    return Apply(opcode, direction or None, tuple(children)), rest[1:]


def operators(term: Term) -> frozenset[str]:
    if not isinstance(term, Apply):
        return frozenset()
    return frozenset((term.opcode,)).union(*map(operators, term.children))


def built(term: Term) -> frozenset[str]:
    """The operators, those with a constant operand as `add:constant`."""
    if not isinstance(term, Apply):
        return frozenset()
    limited = term.opcode not in ("clamp", "select") and any(isinstance(child, Literal) for child in term.children)
    return frozenset((f"{term.opcode}{CONSTANT if limited else ''}",)).union(*map(built, term.children))


def size(term: Term) -> int:
    return 1 + sum(map(size, term.children)) if isinstance(term, Apply) else 0


def variables(term: Term) -> tuple[str, ...]:
    """In the order of their first use."""
    match term:
        case Variable(name):
            return (name,)
        case Apply(_, _, children):
            return tuple(dict.fromkeys(name for child in children for name in variables(child)))
    return ()


def matches(graph: ClassGraph, number: int, term: Term, known: Binding) -> Iterator[Binding]:
    """The ways in which class `number` has the form `term`."""
    match term:
        case Variable(name):
            if name in known:
                if known[name] == number:
                    yield known
            elif name not in PREDICATES or graph.shape(number).dtype == "pred":
                yield {**known, name: number}
        case Literal():
            if _same(graph.splats.get(number), term.value(graph.shape(number).dtype)):
                yield known
        case Apply():
            for node in graph.classes[number]:
                if node.opcode == term.opcode and (node.opcode != "sum" or len(node.children) == len(term.children)):
                    yield from node_matches(graph, node, term, known)


def _same(found: Scalar | None, wanted: Scalar | None) -> bool:
    if found is None or wanted is None or found != wanted:
        return False
    return not isinstance(wanted, float) or copysign(1, found) == copysign(1, wanted)


def node_matches(graph: ClassGraph, node: ENode, term: Apply, known: Binding) -> Iterator[Binding]:
    """The same for a node of the right operator; `known["..."]` are the positions of a sum's further terms as a bit mask."""
    if term.direction is not None and node.attribute("direction") != term.direction:
        return
    if term.opcode == "sum":
        free = (1 << len(node.children)) - 1
        ordered = sorted(term.children, key=lambda child: not isinstance(child, Apply))
        yield from _terms(graph, node, tuple(ordered), free, known)
        return
    yield from _in_order(graph, node.children, term.children, known)
    if term.opcode in COMMUTATIVE and node.children[0] != node.children[1]:
        yield from _in_order(graph, node.children[::-1], term.children, known)


def _in_order(graph: ClassGraph, numbers: tuple[int, ...], terms: tuple[Term, ...], known: Binding) -> Iterator[Binding]:
    if not terms:
        yield known
        return
    for found in matches(graph, numbers[0], terms[0], known):
        yield from _in_order(graph, numbers[1:], terms[1:], found)


def _terms(graph: ClassGraph, node: ENode, terms: tuple[Term, ...], free: int, known: Binding) -> Iterator[Binding]:
    if not terms:
        yield {**known, REST: free}
        return
    tried = set()
    for position, child in enumerate(node.children):
        if free >> position & 1 and child not in tried:
            tried.add(child)
            for found in matches(graph, child, terms[0], known):
                yield from _terms(graph, node, terms[1:], free & ~(1 << position), found)


def build(graph: ClassGraph, term: Term, known: Binding, shape: Shape) -> ENode | int:
    """`term` as a new value of this shape."""
    match term:
        case Variable(name):
            if graph.shape(known[name]) != shape:
                raise Mismatch
            return known[name]
        case Literal():
            value = term.value(shape.dtype)
            if value is None:
                raise Mismatch
            return splat(value, shape)
        case Apply(opcode, direction, children):
            attributes = (("direction", direction),) if direction else ()
            return ENode(opcode, attributes, shape, tuple(_operands(graph, opcode, children, known, shape)))


def _operands(graph: ClassGraph, opcode: str, children: tuple[Term, ...], known: Binding, shape: Shape) -> Iterator[ENode | int]:
    for position, child in enumerate(children):
        wanted = shape
        if opcode in ("compare", "convert", "is-finite"):
            name = next(iter(name for each in children for name in variables(each)))
            wanted = Shape(graph.shape(known[name]).dtype, shape.dims)
        elif opcode == "select" and position == 0:
            wanted = _like(graph, Shape("pred", shape.dims), child, known)
        elif opcode == "clamp" and position != 1:
            wanted = _like(graph, shape, child, known)
        yield build(graph, child, known, wanted)


def _like(graph: ClassGraph, shape: Shape, child: Term, known: Binding) -> Shape:
    """Predicates of a select and bounds of a clamp may be scalars among tensors."""
    names = variables(child)
    scalar = not names or not graph.shape(known[names[0]]).dims
    return Shape(shape.dtype) if scalar else shape


def apply(left: Apply, right: Term, types: str, graph: ClassGraph, node: ENode) -> Proposals:
    """What the identity proposes for one node."""
    inner = {child.opcode for child in left.children if isinstance(child, Apply)}
    if inner and not inner <= {each.opcode for child in node.children for each in graph.classes[child]}:
        return
    for known in node_matches(graph, node, left, {}):
        subject = graph.shape(known["x"]).dtype if "x" in known else node.shape.dtype
        if not TYPES[types](subject):
            continue
        try:
            found = build(graph, right, known, node.shape)
        except Mismatch:
            continue
        rest = [child for position, child in enumerate(node.children) if known.get(REST, 0) >> position & 1 and left.opcode == "sum"]
        yield total([found, *rest], node.shape) if rest else found


@dataclass(frozen=True, slots=True)
class Identity(Rewrite):
    """A rule that is one equation; `left` and `right` are its sides."""

    left: Apply = Apply("", None, ())
    right: Term = Literal("0")


def identity(family: str, name: str, types: str, equation: str, replaces: str | None = None) -> Identity:
    """`types` is a key of TYPES, `equation` is `pattern = result`."""
    sides = equation.split(" = ")
    left, right = map(parse, sides)
    if not isinstance(left, Apply) or types not in TYPES or not set(variables(right)) <= set(variables(left)):
        raise ValueError(f"the rule '{name}' is not well-formed")
    within = frozenset().union(*map(operators, left.children))
    return Identity(
        name,
        frozenset((left.opcode,)),
        lambda graph, node: apply(left, right, types, graph, node),
        within,
        family=family,
        statement=f"{equation}, for {types}",
        types=types,
        builds=built(right),
        replaces=replaces,
        shrinks=size(right) < size(left),
        left=left,
        right=right,
    )
