"""Patterns of instructions against e-classes: which instructions compute a class, with which computational attributes and operands.

Every attribute and type of every operator is compared; sizes bind the attributes of the instruction.  A sum is a multiset: a pattern that
adds one term to an operand takes one term out and leaves the class of the sum of the others, which is made when it is first needed.  Which
term that is matters little, so one is taken, best one that no other instruction would have to compute; a `thorough` matcher takes each.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from act.backend.classes import ClassGraph, ENode
from act.backend.equations import Binding, Condition, Match, Rests, Values, equal_attributes, equal_sizes, equal_values, rests_of, search
from act.backend.memo import names_of
from act.generator.model import Apply, Leaf, Pattern, Selector, Splat
from act.hlo.model import Shape
from act.hlo.opcodes import COMMUTATIVE
from act.records import dataclass, field
from act.taidl.model import Binary, Int

__all__ = ["Match", "Matcher"]

MOVES = frozenset(["parameter", "constant", "slice", "reshape", "transpose", "broadcast", "convert"])


@dataclass(slots=True)
class Matcher:
    """Matches on a frozen graph, to which it adds the classes of `partial` sums, and `parts` of classes.  `plain` are patterns that are
    instructions of their own, so that none needs to add them to zero."""

    graph: ClassGraph
    thorough: bool = False
    plain: frozenset[Pattern] = frozenset()
    partial: set[int] = field(default_factory=set)
    _classes: dict[int, tuple[ENode, ...]] = field(default_factory=dict)
    _sums: dict[tuple[Shape, tuple[int, ...]], int] = field(default_factory=dict)
    _splats: dict[tuple[Any, Shape], int] = field(default_factory=dict)
    _kinds: dict[int, tuple] = field(default_factory=dict)
    parts: set[int] = field(default_factory=set)
    _parts: dict[ENode, int] = field(default_factory=dict)
    _next: int = 0
    _solved: dict[tuple, tuple[Values, Values] | None] = field(default_factory=dict)
    _from_zero: dict[int, bool] = field(default_factory=dict)
    _opcodes: dict[int, frozenset[str]] = field(default_factory=dict)
    _moves: dict[tuple[int, Shape], Match | None] = field(default_factory=dict)
    _completed: dict[tuple, tuple[tuple[str, int], ...] | None] = field(default_factory=dict)
    _conditions: dict[str, list[Condition]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._classes = dict(self.graph.classes)
        self._next = max(self._classes, default=-1) + 1
        self.graph = ClassGraph(self._classes, self.graph.roots, dict(self.graph.splats), dict(self.graph.ranges))
        for number, node in list(self.graph):
            if node.opcode == "sum":
                self._sums.setdefault((node.shape, tuple(sorted(node.children))), number)
        for number, value in self.graph.splats.items():
            self._splats.setdefault((value, self.graph.shape(number)), number)

    def may_match(self, selector: Selector, number: int) -> bool:
        """Whether the first operator of an instruction is one of those of a class."""
        pattern = selector.pattern
        if not isinstance(pattern, Apply):
            return True
        opcodes = self._opcodes.get(number)
        if opcodes is None:
            opcodes = self._opcodes[number] = frozenset(node.opcode for node in self._classes[number])
        if pattern.opcode == "sum":
            return "sum" in opcodes or self._may_add_to_zero(selector)
        return pattern.opcode in opcodes

    def _may_add_to_zero(self, selector: Selector) -> bool:
        """Whether an instruction that accumulates is needed for what it adds alone."""
        found = self._from_zero.get(id(selector))
        if found is None:
            parts = (part for part in selector.pattern.children if isinstance(part, Apply))  # type: ignore[union-attr]
            found = self._from_zero[id(selector)] = self.thorough or not self.plain.issuperset(parts)
        return found

    def matches(self, selector: Selector, number: int) -> Iterator[Match]:
        """All ways in which the instruction computes class `number`."""
        shape, pattern = self.graph.shape(number), selector.pattern
        if selector.result.dtype != shape.dtype or len(selector.result.dims) != shape.rank:
            return
        if isinstance(pattern, Leaf):
            yield from self._moved(selector, number, shape)
            return
        seen = set()
        for binding in self._match(pattern, number, Binding({}, {}), rests_of(selector)):
            for found in self._complete(selector, binding):
                if (found.alpha, found.operands) not in seen:
                    seen.add((found.alpha, found.operands))
                    yield found

    def _moved(self, selector: Selector, number: int, shape: Shape) -> Iterator[Match]:
        """An instruction that moves anything of a shape."""
        key = (id(selector), shape)
        if key not in self._moves:
            found = (match for binding in self._match(selector.pattern, number, Binding({}, {}), frozenset()) for match in self._complete(selector, binding))
            self._moves[key] = next(found, None)
        known = self._moves[key]
        if known is not None:
            yield Match(selector, known.alpha, (number,), known.registers)

    def _complete(self, selector: Selector, binding: Binding) -> Iterator[Match]:
        if len(binding.leaves) != len(selector.operands):
            return
        key = (id(selector), tuple(sorted(binding.alpha.items())), binding.pending)
        if key not in self._solved:
            self._solved[key] = self._attributes(selector, binding)
        found = self._solved[key]
        if found is not None:
            leaves = binding.leaves
            yield Match(selector, found[0], tuple([leaves[position] for position in range(len(leaves))]), found[1])

    def completed(self, found: Match, chosen: Iterable[tuple[str, int]]) -> Match | None:
        """The match with values of its free attributes: `chosen` ones, and the least for others; None when no values fit."""
        selector = found.selector
        if not selector.free:
            return found
        key = (selector.name, found.alpha, *(each for each in chosen if each[0] in selector.free))
        if key not in self._completed:
            self._completed[key] = self._chosen(selector, dict(found.alpha), key[2:])
        alpha = self._completed[key]
        return None if alpha is None else Match(selector, alpha, found.operands, found.registers)

    def _chosen(self, selector: Selector, values: dict[str, int], chosen: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...] | None:
        for name, value in chosen:
            if value < 0 or values.setdefault(name, value) != value:
                return None
        complete = search(self._conditions_of(selector), values, [name for name in selector.alpha if name not in values])
        return None if complete is None else tuple((name, complete[name]) for name in selector.alpha)

    def _attributes(self, selector: Selector, binding: Binding) -> tuple[Values, Values] | None:
        """Values of the computational attributes, and of registers, under which the conditions hold; those that nothing determines are the
        least."""
        conditions = [*self._conditions_of(selector)]
        conditions += [(Binary("==", expr, Int(value)), names_of(expr)) for expr, value in binding.pending]
        conditions = [each for each in conditions if not each[1] & set(selector.free)]
        needed = (name for _, known in conditions for name in sorted(known))
        wanted = dict.fromkeys((*(name for name in selector.alpha if name not in selector.free), *needed))
        values = search(conditions, binding.alpha, [name for name in wanted if name not in binding.alpha])
        if values is None or set(values) & set(selector.beta):
            return None
        alpha = tuple((name, values[name]) for name in selector.alpha if name in values)
        return alpha, tuple((name, value) for name, value in values.items() if name not in selector.alpha)

    def _conditions_of(self, selector: Selector) -> list[Condition]:
        """The conditions that do not depend on addresses, with their names."""
        if selector.name not in self._conditions:
            found = [(condition, names_of(condition)) for condition in selector.conditions]
            self._conditions[selector.name] = [each for each in found if not each[1] & set(selector.beta)]
        return self._conditions[selector.name]

    def _match(self, pattern: Pattern, number: int, binding: Binding, rests: Rests) -> Iterator[Binding]:
        shape = self.graph.shape(number)
        if shape.dtype != pattern.dtype:
            return
        if isinstance(pattern, Leaf):
            sized, operand = equal_sizes(pattern.dims, shape.dims, binding), pattern.operand
            if sized and sized.leaves.get(operand, number) == number:
                yield Binding(sized.alpha, {**sized.leaves, operand: number}, sized.pending)
        elif isinstance(pattern, Apply):
            sized, opcode = equal_sizes(pattern.dims, shape.dims, binding), pattern.opcode
            if sized is None:
                return
            for node in self._classes[number]:
                if node.opcode == opcode:
                    yield from self._node(pattern, node, sized, rests)
            if opcode == "sum":
                yield from self._sum_with_zero(pattern, number, sized, rests)
        else:
            found = self.graph.splats.get(number)
            equal = None if found is None else equal_values(pattern.value, found, binding)
            if equal and (sized := equal_sizes(pattern.dims, shape.dims, equal)):
                yield sized

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
        if not patterns:
            yield binding
            return
        if len(patterns) == 1:
            yield from self._match(patterns[0], children[0], binding, rests)
            return
        for found in self._match(patterns[0], children[0], binding, rests):
            yield from self._children(patterns[1:], children[1:], found, rests)

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
        """x = 0 + x: an instruction that only accumulates starts from zero, and one that adds any constant adds zero."""
        if len(pattern.children) != 2 or any(node.opcode == "sum" for node in self._classes[number]):
            return
        leaf = next((part for part in pattern.children if isinstance(part, Leaf)), None)
        other = next((part for part in pattern.children if not isinstance(part, Leaf)), None)
        if isinstance(other, Splat) and leaf is not None:
            zero = equal_values(other.value, 0, binding)
            yield from self._match(leaf, number, zero, rests) if zero is not None else ()
        elif leaf is not None and other is not None and (self.thorough or other not in self.plain):
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
