"""An e-graph over HLO operators: terms are added, classes are united, congruence is restored; `freeze` gives it as data.

Operators with all attributes and types are interned to integers, so that a node is a tuple of integers.  Everything is ordered by
insertion: the same input gives the same graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from act.backend.analysis import Range, full_range, integral, range_of, splat_of
from act.backend.classes import Attributes, ClassGraph, ENode, Scalar
from act.hlo.dtypes import width, wrap
from act.hlo.model import Shape
from act.hlo.opcodes import BINARY, UNARY

POINTWISE = UNARY | BINARY | {"sum", "convert"}

MOST_SUMS = 4
"""How many sums of one class are kept in a frozen graph."""

Key = tuple[int, ...]
Operator = tuple[str, Attributes, Shape]


class EGraph:
    """Classes are numbered; `find` gives the number that stands for a class now."""

    def __init__(self) -> None:
        self._operators: dict[Operator, int] = {}
        self._table: list[Operator] = []
        self._parents: list[int] = []
        self._known: dict[Key, int] = {}
        self._members: dict[int, dict[Key, None]] = {}
        self._shapes: list[Shape] = []
        self._splats: dict[int, Any] = {}
        self._ranges: dict[int, Range] = {}
        self._stale = False

    def __len__(self) -> int:
        return len(self._known)

    def find(self, number: int) -> int:
        parents = self._parents
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    def shape(self, number: int) -> Shape:
        return self._shapes[self.find(number)]

    def splat(self, number: int) -> Scalar | None:
        return self._splats.get(self.find(number))

    def add(self, node: ENode) -> int:
        """The class of `node`, whose nested nodes are added first."""
        children = [self.add(child) if isinstance(child, ENode) else self.find(child) for child in node.children]
        return self.make(node.opcode, node.attributes, node.shape, children)

    def make(self, opcode: str, attributes: Attributes, shape: Shape, children: Iterable[int]) -> int:
        """The class of opcode(children) in normal form (see `ENode`)."""
        children = list(children)
        if opcode == "copy" or (opcode in ("convert", "reshape") and self.shape(children[0]) == shape):
            return self.find(children[0])
        if opcode == "add" and integral(shape.dtype):
            opcode = "sum"
        if opcode == "sum":
            children = self._flat_terms(children, shape)
            if len(children) == 1:
                return children[0]
        if opcode == "dot" and integral(shape.dtype):
            children = [
                self._insert("convert", (), Shape(shape.dtype, self.shape(child).dims), [child]) if self._widens(child, shape.dtype) else child
                for child in children
            ]
        if opcode == "clamp":
            children = [self._scalar(children[0]), children[1], self._scalar(children[2])]
        return self._insert(opcode, attributes, shape, children)

    def _flat_terms(self, children: list[int], shape: Shape) -> list[int]:
        terms: list[int] = []
        for child in map(self.find, children):
            inner = next((key for key in self._members[child] if self._table[key[0]][0] == "sum"), None)
            terms += map(self.find, inner[1:]) if inner else [child]
        variable = [term for term in terms if term not in self._splats]
        total = wrap(shape.dtype, sum(self._splats[term] for term in terms if term in self._splats))
        if total or not variable:
            variable.append(self.constant(total, shape))
        return sorted(variable)

    def _widens(self, number: int, dtype: str) -> bool:
        """An operand of a product whose type is narrower than the type in which it is computed."""
        return integral(self.shape(number).dtype) and width(self.shape(number).dtype) < width(dtype)

    def _scalar(self, number: int) -> int:
        """A bound of a clamp as a scalar constant, where it is constant."""
        value, shape = self.splat(number), self.shape(number)
        return number if value is None or not shape.dims else self.constant(value, Shape(shape.dtype))

    def constant(self, value: Scalar, shape: Shape) -> int:
        """The class whose elements all are `value`."""
        scalar = self._insert("constant", (("value", value),), Shape(shape.dtype), [])
        return self._insert("broadcast", (("dimensions", ()),), shape, [scalar]) if shape.dims else scalar

    def _insert(self, opcode: str, attributes: Attributes, shape: Shape, children: list[int]) -> int:
        if opcode in POINTWISE and any(self.shape(child).dims != shape.dims for child in children):
            raise AssertionError(f"{opcode} of {shape} on {[str(self.shape(child)) for child in children]}")
        operator = (opcode, attributes, shape)
        index = self._operators.get(operator)
        if index is None:
            index = self._operators[operator] = len(self._table)
            self._table.append(operator)
        key = (index, *map(self.find, children))
        if key in self._known:
            return self.find(self._known[key])
        number = len(self._parents)
        self._parents.append(number)
        self._shapes.append(shape)
        self._known[key] = number
        self._members[number] = {key: None}
        self._learn(number, key)
        return number

    def _learn(self, number: int, key: Key) -> bool:
        """Joins what `key` says of its class; True if that is news."""
        opcode, attributes, shape = self._table[key[0]]
        children = [self.find(child) for child in key[1:]]
        types = [self._shapes[child] for child in children]
        news = False
        if number not in self._splats:
            value = splat_of(opcode, attributes, shape, [self._splats.get(child) for child in children], types)
            if value is not None:
                self._splats[number], news = value, True
        found = range_of(opcode, attributes, shape, [self._ranges.get(child) for child in children], types)
        if found is not None:
            news |= self._narrow(number, found)
        return news

    def _narrow(self, number: int, found: Range) -> bool:
        old = self._ranges.get(number) or full_range(self._shapes[number]) or found
        self._ranges[number] = (max(old[0], found[0]), min(old[1], found[1]))
        return self._ranges[number] != old

    def union(self, first: int, second: int) -> bool:
        """Makes two classes one; False if they were.  Call `rebuild` before the next look-up."""
        first, second = sorted((self.find(first), self.find(second)))
        if first == second:
            return False
        if self._shapes[first] != self._shapes[second]:
            raise AssertionError(f"a rewrite equates {self._shapes[first]} with {self._shapes[second]}")
        self._parents[second] = first
        self._members.setdefault(first, {}).update(self._members.pop(second, {}))
        if second in self._splats:
            self._splats.setdefault(first, self._splats.pop(second))
        if second in self._ranges:
            self._narrow(first, self._ranges.pop(second))
        self._stale = True
        return True

    def rebuild(self) -> None:
        """Restores congruence (equal operators on equal children are in one class) and what is known of each class."""
        while self._stale:
            self._stale = False
            known = self._known
            self._known, self._members = {}, {}
            for key, number in known.items():
                self._readd(key, self.find(number))
        while sum(self._learn(self.find(number), key) for key, number in self._known.items()):
            pass
        for number, value in list(self._splats.items()):
            self._stale |= self.union(self.constant(value, self._shapes[number]), number)
        if self._stale:
            self.rebuild()

    def _readd(self, key: Key, number: int) -> None:
        children = [self.find(child) for child in key[1:]]
        if self._table[key[0]][0] == "sum":
            children.sort()
        key = (key[0], *children)
        if key in self._known:
            self.union(self._known[key], number)
        number = self.find(number)
        self._known[key] = number
        self._members.setdefault(number, {})[key] = None

    def node(self, key: Key) -> ENode:
        opcode, attributes, shape = self._table[key[0]]
        return ENode(opcode, attributes, shape, tuple(map(self.find, key[1:])))

    def freeze(self, roots: Iterable[int]) -> ClassGraph:
        """The graph as data; `roots` are the classes of the outputs."""
        classes = {number: _fewer_sums(tuple(dict.fromkeys(map(self.node, keys)))) for number, keys in sorted(self._members.items())}
        splats = {number: value for number, value in self._splats.items() if number in classes}
        return ClassGraph(classes, tuple(map(self.find, roots)), splats, dict(self._ranges))


def _fewer_sums(nodes: tuple[ENode, ...]) -> tuple[ENode, ...]:
    """Only the shortest of many sums that are equal: the others are longer ways to the same value."""
    sums = sorted((node for node in nodes if node.opcode == "sum"), key=lambda node: len(node.children))
    dropped = set(sums[MOST_SUMS:])
    return tuple(node for node in nodes if node not in dropped) if dropped else nodes
