"""Values of a function -> a cone: the pure operations and loads between them and a cut, as data with the cut points numbered.

Loads may be part of a cone as long as their arrays are never stored to (sources).  Two cones of equal key have equal meaning whatever surrounds them, so a lemma proved about one holds for all.  Values that are not in the function (what an
annotation claims, an unrolled loop) are written as `Expr`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from lift.ir.evaluate import apply
from lift.ir.operations import COMMUTATIVE, PURE, describe, width, width_of


@dataclass(frozen=True, slots=True, eq=False)
class Expr:
    """A pure operation (or a load of a source) that is not in a function; `name`, `attribute` and `width` as `operations.describe` gives them."""

    name: str
    attribute: int
    width: int
    operands: tuple[Expr | SSAValue, ...] = ()


Value = Expr | SSAValue
Node = tuple[str, int, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Cone:
    """`leaves` are numbered from 0 and `nodes` go on from there; a node is (name, attribute, width, numbers of operands), `values` are the function's values
    that have a node and its number, `roots` numbers."""

    leaves: tuple[SSAValue, ...]
    nodes: tuple[Node, ...]
    values: tuple[tuple[SSAValue, int], ...]
    roots: tuple[int, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """What the meaning depends on."""
        return tuple(_sort(leaf) for leaf in self.leaves), self.nodes, self.roots

    def evaluate(self, values: Sequence[int]) -> tuple[int, ...]:
        """The roots for these values of the leaves."""
        numbers, widths = list(values), [width(leaf) for leaf in self.leaves]
        for name, attribute, bits, operands in self.nodes:
            numbers.append(apply(name, attribute, bits, [widths[k] for k in operands], [numbers[k] for k in operands]))
            widths.append(bits)
        return tuple(numbers[r] for r in self.roots)


def _sort(leaf: SSAValue) -> int:
    """Width of a scalar, minus the width of the words of an array."""
    return -width_of(leaf.type.element_type) if isinstance(leaf.type, MemRefType) else width(leaf)


def cone(roots: Sequence[Value], cut: Iterable[SSAValue] = (), loads: bool = False) -> Cone:
    """The operations from `roots` down to `cut` and to whatever is not pure: arguments, results of loops, and loads unless
    `loads` includes them.  Constants are never cut."""
    return _Extraction(frozenset(v for v in cut if type(v.owner) is not ConstantOp), PURE | {"memref.load"} if loads else PURE).run(roots)


class _Extraction:
    def __init__(self, cut: frozenset[SSAValue], inside: frozenset[str]) -> None:
        self.cut, self.inside = cut, inside
        self.leaves: list[SSAValue] = []
        self.nodes: list[Node] = []
        self.values: list[tuple[SSAValue, int]] = []
        self.number: dict[Value, int] = {}
        self.interned: dict[Node, int] = {}

    def run(self, roots: Sequence[Value]) -> Cone:
        order = self._postorder(roots)
        self.leaves = [v for v in order if isinstance(v, SSAValue) and self._is_leaf(v)]
        self.number = {leaf: k for k, leaf in enumerate(self.leaves)}
        for value in order:
            if value not in self.number:
                self._add(value)
        return Cone(tuple(self.leaves), tuple(self.nodes), tuple(self.values), tuple(self.number[r] for r in roots))

    def _is_leaf(self, value: SSAValue) -> bool:
        return value in self.cut or not isinstance(value.owner, Operation) or value.owner.name not in self.inside

    def _operands(self, value: Value) -> Sequence[Value]:
        if isinstance(value, Expr):
            return value.operands
        return () if self._is_leaf(value) else value.owner._operands  # type: ignore[union-attr, return-value]

    def _postorder(self, roots: Sequence[Value]) -> list[Value]:
        seen: set[Value] = set()
        order: list[Value] = []
        stack: list[tuple[Value, bool]] = [(root, False) for root in reversed(roots)]
        while stack:
            value, ready = stack.pop()
            if ready:
                order.append(value)
            elif value not in seen:
                seen.add(value)
                stack.append((value, True))
                stack.extend((operand, False) for operand in self._operands(value))
        return order

    def _add(self, value: Value) -> None:
        name, attribute, bits = (value.name, value.attribute, value.width) if isinstance(value, Expr) else describe(value.owner)  # type: ignore[arg-type]
        operands = tuple(self.number[v] for v in self._operands(value))
        node = (name, attribute, bits, tuple(sorted(operands)) if name in COMMUTATIVE else operands)
        found = self.interned.get(node)
        if found is None:
            found = self.interned[node] = len(self.leaves) + len(self.nodes)
            self.nodes.append(node)
        if isinstance(value, SSAValue):
            self.values.append((value, found))
        self.number[value] = found
