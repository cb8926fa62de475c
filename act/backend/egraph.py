"""An e-graph over HLO operators: terms are added, classes are united, congruence is restored; `freeze` gives it as data.

Operators with all attributes and types are interned to integers, so that a node is a tuple of integers.  Everything is ordered by
insertion: the same input gives the same graph.  All work is proportional to what changes: a union repairs the users of the class that
went away, and `freeze` renews the classes that changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from act.backend.analysis import FOLDED, Range, full_range, integral, narrower, range_of, splat_of
from act.backend.classes import Attributes, ClassGraph, ENode, Scalar, fewer_sums
from act.backend.operators import ALIKE, NO_DIMENSIONS, PLAIN, Key, Name, Operator, scalar_of
from act.hlo.dtypes import wrap
from act.hlo.model import Shape
from act.hlo.opcodes import COMMUTATIVE


class EGraph:
    """Classes are numbered; `find` gives the number that stands for a class now."""

    def __init__(self) -> None:
        self._operators: dict[Name, int] = {}
        self._table: list[Operator] = []
        self._leaders: list[int] = []
        self._known: dict[Key, int] = {}
        self._members: dict[int, dict[Key, None]] = {}
        self._users: dict[int, dict[Key, None]] = {}
        self._shapes: list[Shape] = []
        self._splats: dict[int, Any] = {}
        self._ranges: dict[int, Range] = {}
        self._merged: list[int] = []
        self._learned: list[int] = []
        self._folded: list[int] = []
        self._changed: dict[int, None] = {}
        self._informed: set[int] = set()
        self._nodes: dict[Key, ENode] = {}
        self._leaves: dict[int, tuple[ENode, int]] = {}
        self._frozen: dict[int, tuple[ENode, ...]] = {}
        self._held: set[Key] = set()

    def __len__(self) -> int:
        return len(self._known)

    def find(self, number: int) -> int:
        leaders = self._leaders
        while leaders[number] != number:
            leaders[number] = leaders[leaders[number]]
            number = leaders[number]
        return number

    def shape(self, number: int) -> Shape:
        return self._shapes[self.find(number)]

    def add(self, node: ENode) -> int:
        """The class of `node`, whose nested nodes are added first."""
        if not node.children:
            return self._leaf(node)
        children = [self.add(child) if isinstance(child, ENode) else self.find(child) for child in node.children]
        return self.make(node.opcode, node.attributes, node.shape, children)

    def _leaf(self, node: ENode) -> int:
        """The class of a constant, whose values are looked at once."""
        if id(node) not in self._leaves:
            self._leaves[id(node)] = node, self.make(node.opcode, node.attributes, node.shape, ())
        return self.find(self._leaves[id(node)][1])

    def make(self, opcode: str, attributes: Attributes, shape: Shape, children: Iterable[int]) -> int:
        """The class of opcode(children) in normal form (see `ENode`)."""
        children = list(children)
        if opcode in PLAIN:
            return self._insert(opcode, attributes, shape, children)
        if opcode == "copy" or (opcode in ("convert", "reshape") and self.shape(children[0]) == shape):
            return self.find(children[0])
        if opcode == "add" and integral(shape.dtype):
            opcode = "sum"
        if opcode == "sum":
            children = self._terms(children, shape)
            if len(children) == 1:
                return children[0]
        elif opcode == "dot":
            children = [self._widened(child, shape.dtype) for child in children]
        elif opcode in COMMUTATIVE:
            children = sorted(map(self.find, children))
        elif opcode == "clamp":
            children = [self._scalar(children[0]), children[1], self._scalar(children[2])]
        return self._insert(opcode, attributes, shape, children)

    def _terms(self, children: list[int], shape: Shape) -> list[int]:
        """The terms of a sum in order, all constants as one, and no zero."""
        splats = self._splats
        children = list(map(self.find, children))
        variable = [term for term in children if term not in splats]
        if len(variable) == len(children):
            variable.sort()
            return variable
        total = wrap(shape.dtype, sum([splats[term] for term in children if term in splats]))
        if total or not variable:
            variable.append(self.constant(total, shape))
        return sorted(variable)

    def sums(self, number: int) -> list[list[int]]:
        """The terms of each sum in a class."""
        return [list(map(self.find, key[1:])) for key in self._members[self.find(number)] if self._table[key[0]][0] == "sum"]

    def _widened(self, number: int, dtype: str) -> int:
        """An operand of a product in the type in which that is computed."""
        shape = self.shape(number)
        return self._insert("convert", (), Shape(dtype, shape.dims), [number]) if narrower(shape.dtype, dtype) else number

    def _scalar(self, number: int) -> int:
        """A bound of a clamp as a scalar constant, where it is constant."""
        value, shape = self._splats.get(self.find(number)), self.shape(number)
        return number if value is None or not shape.dims else self.constant(value, scalar_of(shape.dtype))

    def constant(self, value: Scalar, shape: Shape) -> int:
        """The class whose elements all are `value`."""
        scalar = self._insert("constant", (("value", value),), scalar_of(shape.dtype), [])
        return self._insert("broadcast", NO_DIMENSIONS, shape, [scalar]) if shape.dims else scalar

    def _insert(self, opcode: str, attributes: Attributes, shape: Shape, children: list[int]) -> int:
        name = (opcode, attributes, shape.dtype, shape.dims)
        index = self._operators.get(name)
        if index is None:
            index = self._operators[name] = len(self._table)
            self._table.append((opcode, attributes, shape))
        leaders = self._leaders
        key = (index, *[child if leaders[child] == child else self.find(child) for child in children])
        found = self._known.get(key)
        if found is not None:
            return self.find(found)
        if opcode in ALIKE and any(self._shapes[child].dims != shape.dims for child in key[1:]):
            raise AssertionError(f"{opcode} of {shape} on {[str(self.shape(child)) for child in children]}")
        number = len(self._leaders)
        self._leaders.append(number)
        self._shapes.append(shape)
        self._known[key] = number
        self._members[number], self._users[number] = {key: None}, {}
        self._changed[number] = None
        for child in key[1:]:
            self._users[child][key] = None
        known = len(self._learned)
        self._learn(number, key)
        del self._learned[known:]  # nothing uses a new class yet
        return number

    def _learn(self, number: int, key: Key) -> None:
        """Joins what `key` says of its class."""
        opcode, attributes, shape = self._table[key[0]]
        children = [self.find(child) for child in key[1:]]
        types = [self._shapes[child] for child in children]
        splats = self._splats
        known = [splats[child] for child in children if child in splats]
        if number not in splats and len(known) == len(children) and (value := splat_of(opcode, attributes, shape, known, types)) is not None:
            self._is(number, value)
        if not integral(shape.dtype):
            return
        found = range_of(opcode, attributes, shape, [self._ranges.get(child) for child in children], types)
        if found is not None:
            self._narrow(number, found)
            if found[0] == found[1] and number not in splats and opcode in FOLDED:
                self._is(number, found[0])

    def _narrow(self, number: int, found: Range) -> None:
        old = self._ranges.get(number) or full_range(self._shapes[number]) or found
        new = self._ranges[number] = (max(old[0], found[0]), min(old[1], found[1]))
        if new != old:
            self._note(number)

    def _is(self, number: int, value: Scalar) -> None:
        """Every element of a class is `value`."""
        self._splats[number] = value
        self._folded.append(number)
        self._note(number)

    def _note(self, number: int) -> None:
        """Something new is known of a class, which its users may use."""
        self._learned.append(number)
        self._changed[number] = None
        self._informed.add(number)

    def union(self, first: int, second: int) -> bool:
        """Makes two classes one; False if they were.  Call `rebuild` before the next look-up."""
        first, second = sorted((self.find(first), self.find(second)))
        if first == second:
            return False
        if self._shapes[first] is not self._shapes[second] and self._shapes[first] != self._shapes[second]:
            raise AssertionError(f"a rewrite equates {self._shapes[first]} with {self._shapes[second]}")
        self._leaders[second] = first
        self._members[first].update(self._members.pop(second))
        users = self._users.pop(second)
        self._users[first].update(users)
        if second in self._splats:
            value = self._splats.pop(second)
            if first not in self._splats:
                self._splats[first] = value
                self._note(first)
        if second in self._ranges:
            self._narrow(first, self._ranges.pop(second))
        self._merged.append(second)
        self._users[second] = users
        self._changed[first] = None
        self._changed.pop(second, None)
        self._frozen.pop(second, None)
        return True

    def rebuild(self) -> None:
        """Restores congruence (equal operators on equal children are in one class) and what is known of each class."""
        while self._merged or self._learned or self._folded:
            if self._merged:
                self._repair(self._merged.pop())
            elif self._learned:
                number = self.find(self._learned.pop())
                for key in list(self._users[number]):
                    if key in self._known:
                        self._learn(self.find(self._known[key]), key)
            else:
                self._fold(self.find(self._folded.pop()))

    def _repair(self, gone: int) -> None:
        """The nodes that used a class that went away use the one that it became."""
        for old in self._users.pop(gone):
            owner = self._known.pop(old, None)
            if owner is None:
                continue
            owner = self.find(owner)
            children = [self.find(child) for child in old[1:]]
            opcode = self._table[old[0]][0]
            if opcode == "sum" or opcode in COMMUTATIVE:
                children.sort()
            new = (old[0], *children)
            self._members[owner].pop(old, None)
            self._nodes.pop(old, None)
            if old in self._held:
                self._held.add(new)
            for child in children:
                self._users[child].pop(old, None)
                self._users[child][new] = None
            other = self._known.get(new)
            self._members[owner][new] = None
            self._known[new] = owner
            self._changed[owner] = None
            if other is not None and self.find(other) != owner:
                self.union(other, owner)

    def _fold(self, number: int) -> None:
        """A class that turned out to be one constant is the class of that constant, and sums with it have one constant less."""
        self.union(self.constant(self._splats[number], self._shapes[number]), number)
        number = self.find(number)
        for key in list(self._users[number]):
            if key in self._known and self._table[key[0]][0] == "sum":
                shape = self._table[key[0]][2]
                self.union(self.make("sum", (), shape, key[1:]), self._known[key])

    def node(self, key: Key) -> ENode:
        found = self._nodes.get(key)
        if found is None:
            opcode, attributes, shape = self._table[key[0]]
            found = self._nodes[key] = ENode(opcode, attributes, shape, key[1:])
        return found

    def changed(self) -> dict[int, None]:
        """The classes of which something is new since the last `freeze`."""
        return dict.fromkeys(sorted(self._changed))

    def informed(self) -> set[int]:
        """The classes of whose elements more is known than at the last `freeze`."""
        return set(map(self.find, self._informed))

    def kinds(self) -> tuple[set[str], set[str]]:
        """The operators and the element types of all values that there ever were."""
        return {opcode for opcode, _, _ in self._table}, {shape.dtype for _, _, shape in self._table}

    def revisit(self, number: int) -> None:
        """Lets the rules look at a class again: what was added last, before a budget was spent, they may not have seen at all."""
        self._changed[self.find(number)] = None

    def hold(self, number: int) -> None:
        """The nodes that a class has now are in every frozen graph, however many sums there are."""
        self._held.update(self._members[self.find(number)])

    def users(self, number: int) -> Iterable[int]:
        """The classes with a node that has `number` as a child."""
        return (self.find(self._known[key]) for key in self._users[number])

    def freeze(self, roots: Iterable[int]) -> ClassGraph:
        """The graph as data; `roots` are the classes of the outputs.  Call `rebuild` before."""
        for number in sorted(self._changed):
            self._frozen[number] = self._kept(number)
        self._changed.clear()
        self._informed.clear()
        splats = {number: value for number, value in self._splats.items() if number in self._frozen}
        return ClassGraph(dict(self._frozen), tuple(map(self.find, roots)), splats, dict(self._ranges))

    def _kept(self, number: int) -> tuple[ENode, ...]:
        """The nodes of a class that are of use: constants and their conversions, and not the longest of many sums."""
        keys = self._members[number]
        if number in self._splats:
            return tuple(self.node(key) for key in keys if self._is_constant(key))
        return fewer_sums(tuple(map(self.node, keys)), {self.node(key) for key in keys if key in self._held} if self._held else ())

    def _is_constant(self, key: Key) -> bool:
        return self._table[key[0]][0] in ("constant", "convert") or self._table[key[0]][:2] == ("broadcast", NO_DIMENSIONS)
