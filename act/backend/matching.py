"""Patterns of instructions against e-classes: which instructions compute a class, with which computational attributes and operands.

Every attribute and type of every operator is compared; sizes bind the attributes of the instruction.  A sum is a multiset: a pattern that
adds one term to an operand takes one term out and leaves the class of the sum of the others, which is made when it is first needed.  Which
term that is matters little, so one is taken, best one that no other instruction would have to compute; a `thorough` matcher takes each.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from typing import Any

from act.backend.classes import ClassGraph, ENode
from act.backend.equations import Binding, Match, Rests, Values, equal_attributes, equal_sizes, equal_values, rests_of
from act.backend.solutions import Solutions
from act.generator.model import Apply, Leaf, Pattern, Selector, Splat
from act.hlo.model import Shape
from act.hlo.opcodes import COMMUTATIVE
from act.records import dataclass, field

__all__ = ["Match", "Matcher"]

NOTHING = Binding({}, {})
"""What is known before a match."""

MOVES = frozenset(["parameter", "constant", "slice", "reshape", "transpose", "broadcast", "convert"])


@dataclass(slots=True)
class Matcher:
    """Matches on a frozen graph, to which it adds the classes of `partial` sums, and `parts` of classes.  `plain` are patterns that are
    instructions of their own, so that none needs to add them to zero."""

    graph: ClassGraph
    thorough: bool = False
    plain: frozenset[Pattern] = frozenset()
    solutions: Solutions = field(default_factory=Solutions)
    partial: set[int] = field(default_factory=set)
    _classes: dict[int, tuple[ENode, ...]] = field(default_factory=dict)
    _sums: dict[tuple[Shape, tuple[int, ...]], int] = field(default_factory=dict)
    _splats: dict[tuple[Any, Shape], int] = field(default_factory=dict)
    _kinds: dict[int, tuple] = field(default_factory=dict)
    parts: set[int] = field(default_factory=set)
    _parts: dict[ENode, int] = field(default_factory=dict)
    _next: int = 0
    _nodes: dict[int, dict[str, list[ENode]]] = field(default_factory=dict)
    _known_plain: dict[int, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._classes = dict(self.graph.classes)
        self._next = max(self._classes, default=-1) + 1
        self.graph = ClassGraph(self._classes, self.graph.roots, dict(self.graph.splats), dict(self.graph.ranges))
        for number, node in list(self.graph):
            if node.opcode == "sum":
                self._sums.setdefault((node.shape, tuple(sorted(node.children))), number)
        for number, value in self.graph.splats.items():
            self._splats.setdefault((value, self.graph.shape(number)), number)

    def nodes(self, number: int) -> Mapping[str, Sequence[ENode]]:
        """The operators of a class, each with its nodes."""
        found = self._nodes.get(number)
        if found is None:
            found = self._nodes[number] = {}
            for node in self._classes[number]:
                found.setdefault(node.opcode, []).append(node)
        return found

    def first_operator(self, selector: Selector) -> str | None:
        """The operator that a class must have for an instruction to compute it; None where it may have any."""
        pattern = selector.pattern
        return pattern.opcode if isinstance(pattern, Apply) and not self._may_add_to_zero(pattern) else None

    def _may_add_to_zero(self, pattern: Apply) -> bool:
        """Whether an instruction that accumulates is needed for what it adds alone."""
        parts = [part for part in pattern.children if isinstance(part, Apply)]
        return pattern.opcode == "sum" and (self.thorough or not all(map(self._is_plain, parts)))

    def _is_plain(self, part: Pattern) -> bool:
        """Whether a pattern is an instruction of its own; looked up once, since to hash a pattern is to walk through it."""
        found = self._known_plain.get(id(part))
        if found is None:
            found = self._known_plain[id(part)] = part in self.plain
        return found

    def matches(self, selector: Selector, number: int) -> Iterator[Match]:
        """All ways in which the instruction computes class `number`."""
        shape, pattern = self.graph.shape(number), selector.pattern
        if selector.result.dtype != shape.dtype or len(selector.result.dims) != shape.rank:
            return
        if isinstance(pattern, Leaf):
            yield from self._moved(selector, number, shape)
            return
        seen: set[tuple[Values, tuple[int, ...]]] = set()
        for binding in self._match(pattern, number, NOTHING, rests_of(selector)):
            found = self._complete(selector, binding)
            if found is not None and (found.alpha, found.operands) not in seen:
                seen.add((found.alpha, found.operands))
                yield found

    def _moved(self, selector: Selector, number: int, shape: Shape) -> Iterator[Match]:
        """An instruction that moves anything of a shape."""
        key = (id(selector), shape)
        moves = self.solutions.moves
        if key not in moves:
            found = (self._complete(selector, binding) for binding in self._match(selector.pattern, number, NOTHING, frozenset()))
            moves[key] = next((each for each in found if each is not None), None)
        known = moves[key]
        if known is not None:
            yield Match(selector, known.alpha, (number,), known.registers)

    def _complete(self, selector: Selector, binding: Binding) -> Match | None:
        leaves = binding.leaves
        found = self.solutions.attributes(selector, binding) if len(leaves) == len(selector.operands) else None
        return None if found is None else Match(selector, found[0], tuple([leaves[position] for position in range(len(leaves))]), found[1])

    def _match(self, pattern: Pattern, number: int, binding: Binding, rests: Rests) -> Iterator[Binding]:
        if isinstance(pattern, Leaf):
            leaf = self._leaf(pattern, number, binding)
            if leaf is not None:
                yield leaf
            return
        shape = self._classes[number][0].shape
        if shape.dtype != pattern.dtype:
            return
        if isinstance(pattern, Apply):
            nodes = self.nodes(number).get(pattern.opcode)
            if nodes is None and pattern.opcode != "sum":
                return
            sized = equal_sizes(pattern.dims, shape.dims, binding)
            if sized is None:
                return
            if nodes is None:
                yield from self._sum_with_zero(pattern, number, sized, rests)
                return
            for node in nodes:
                yield from self._node(pattern, node, sized, rests)
        else:
            found = self.graph.splats.get(number)
            equal = None if found is None else equal_values(pattern.value, found, binding)
            if equal and (sized := equal_sizes(pattern.dims, shape.dims, equal)):
                yield sized

    def _leaf(self, pattern: Leaf, number: int, binding: Binding) -> Binding | None:
        """The binding in which an operand is class `number`."""
        shape, operand = self._classes[number][0].shape, pattern.operand
        if shape.dtype != pattern.dtype or binding.leaves.get(operand, number) != number:
            return None
        sized = equal_sizes(pattern.dims, shape.dims, binding)
        return sized and Binding(sized.alpha, {**sized.leaves, operand: number}, sized.pending)

    def _node(self, pattern: Apply, node: ENode, binding: Binding, rests: Rests) -> Iterator[Binding]:
        if pattern.attributes or node.attributes:
            equal = equal_attributes(pattern.attributes, node.attributes, binding)
            if equal is None:
                return
            binding = equal
        if pattern.opcode == "sum":
            yield from self._terms(pattern, node, binding, rests)
            return
        if len(pattern.children) != len(node.children):
            return
        yield from self._children(pattern.children, node.children, binding, rests)
        if node.opcode in COMMUTATIVE and node.children[0] != node.children[1]:
            yield from self._children(pattern.children, node.children[::-1], binding, rests)

    def _children(self, patterns: Sequence[Pattern], children: Sequence[int], binding: Binding, rests: Rests) -> Iterator[Binding]:
        for position, pattern in enumerate(patterns):
            if not isinstance(pattern, Leaf):
                break
            found = self._leaf(pattern, children[position], binding)
            if found is None:
                return
            binding = found
        else:
            yield binding
            return
        after = position + 1
        if after == len(patterns):
            yield from self._match(pattern, children[position], binding, rests)
            return
        for found in self._match(pattern, children[position], binding, rests):
            yield from self._children(patterns[after:], children[after:], found, rests)

    def _terms(self, pattern: Apply, node: ENode, binding: Binding, rests: Rests) -> Iterator[Binding]:
        """One operand takes the rest of the sum, every other part of the pattern one term."""
        leaves = [part for part in pattern.children if isinstance(part, Leaf)]
        usual = [leaf for leaf in leaves if leaf.operand in rests]
        for rest in (leaves if self.thorough else usual or leaves) or [None]:
            parts = [part for part in pattern.children if part is not rest]
            yield from self._take(parts, rest, node.shape, node.children, binding, rests)

    def _take(self, parts: Sequence[Pattern], rest: Leaf | None, shape: Shape, terms: tuple[int, ...], binding: Binding, rests: Rests) -> Iterator[Binding]:
        if not parts:
            if rest is None and not terms:
                yield binding
            elif rest is not None and terms:
                yield from self._match(rest, self.partial_sum(shape, terms), binding, rests)
            return
        for position in self._choices(parts[0], terms):
            left, taken = (*terms[:position], *terms[position + 1 :]), False
            for found in self._match(parts[0], terms[position], binding, rests):
                taken = True
                yield from self._take(parts[1:], rest, shape, left, found, rests)
            if taken and not self.thorough:
                return

    def _choices(self, part: Pattern, terms: tuple[int, ...]) -> list[int]:
        """Positions of terms to take out, the best first: the last of each kind, since the order of addition does not matter."""
        kinds = list({self._kind(term): position for position, term in enumerate(terms)}.values())
        if self.thorough:
            return kinds
        wanted = {part.opcode} if isinstance(part, Apply) else MOVES
        return sorted(kinds, key=lambda position: (not self._computed(terms[position], wanted), -position))

    def _computed(self, number: int, opcodes: Container[str]) -> bool:
        """Whether a class is the result of one of these operators on other classes."""
        return any(node.opcode in opcodes and number not in node.children for node in self._classes[number])

    def _kind(self, number: int) -> tuple:
        if number not in self._kinds:
            found = {(node.opcode, *(self._classes[child][0].opcode for child in node.children[:1])) for node in self._classes[number]}
            self._kinds[number] = tuple(sorted(found))
        return self._kinds[number]

    def _sum_with_zero(self, pattern: Apply, number: int, binding: Binding, rests: Rests) -> Iterator[Binding]:
        """x = 0 + x, where x is no sum: an instruction that only accumulates starts from zero, and one that adds any constant adds zero."""
        if len(pattern.children) != 2:
            return
        leaf = next((part for part in pattern.children if isinstance(part, Leaf)), None)
        other = next((part for part in pattern.children if not isinstance(part, Leaf)), None)
        if isinstance(other, Splat) and leaf is not None:
            zero = equal_values(other.value, 0, binding)
            yield from self._match(leaf, number, zero, rests) if zero is not None else ()
        elif leaf is not None and other is not None and (self.thorough or not self._is_plain(other)):
            for found in self._match(other, number, binding, rests):
                yield from self._match(leaf, self.splat(0, self.graph.shape(number)), found, rests)

    def partial_sum(self, shape: Shape, terms: tuple[int, ...]) -> int:
        """The class of the sum of `terms`, which may be one."""
        if len(terms) == 1:
            return terms[0]
        key = (shape, tuple(sorted(terms)))
        if key not in self._sums:
            self._sums[key] = self._new(ENode("sum", (), shape, key[1]))
            self.partial.add(self._sums[key])
        return self._sums[key]

    def constant(self, values: tuple[int, ...], shape: Shape) -> int:
        """A class of its own for a tensor of these values."""
        return self._new(ENode("constant", (("value", values),), shape))

    def splat(self, value: Any, shape: Shape) -> int:
        """The class of a tensor with one value everywhere."""
        if (value, shape) not in self._splats:
            scalar = ENode("constant", (("value", value),), Shape(shape.dtype))
            node = ENode("broadcast", (("dimensions", ()),), shape, (self._new(scalar),)) if shape.dims else scalar
            number = self._splats[value, shape] = self._new(node)
            self.graph.splats[number] = value  # type: ignore[index]
        return self._splats[value, shape]

    def part(self, number: int, axis: int, index: int) -> int:
        """The class of the elements at `index` along one dimension, which keeps size 1."""
        dims = self.graph.shape(number).dims
        start = tuple(index if dimension == axis else 0 for dimension in range(len(dims)))
        limit = tuple(index + 1 if dimension == axis else size for dimension, size in enumerate(dims))
        shape = Shape(self.graph.shape(number).dtype, tuple(1 if dimension == axis else size for dimension, size in enumerate(dims)))
        node = ENode("slice", (("limit", limit), ("start", start), ("stride", (1,) * len(dims))), shape, (number,))
        if node not in self._parts:
            self._parts[node] = self._new(node)
            self.parts.add(self._parts[node])
        return self._parts[node]

    def _new(self, node: ENode) -> int:
        number, self._next = self._next, self._next + 1
        self._classes[number] = (node,)
        return number
