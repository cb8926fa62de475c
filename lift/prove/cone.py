"""Values of a function -> a cone: the pure operations and loads between them and a cut, as data with the cut points numbered.

Loads may be part of a cone as long as their arrays are never stored to (sources).  Two cones of equal key have equal meaning whatever surrounds them, so a
lemma proved about one holds for all.  Values that are not in the function (what an
annotation claims, an unrolled loop) are written as `Expr`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import OpResult, SSAValue

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
        self.number = {leaf: k for k, leaf in enumerate(self.leaves)}
        for value, operands in order:
            self._add(value, operands)
        return Cone(tuple(self.leaves), tuple(self.nodes), tuple(self.values), tuple(self.number[r] for r in roots))

    def _operands(self, value: Value) -> Sequence[Value] | None:
        """None at a leaf."""
        kind = type(value)
        if kind is Expr:
            return value.operands  # type: ignore[union-attr]
        inside = kind is OpResult and value.op.name in self.inside and value not in self.cut  # type: ignore[union-attr]
        return value.op._operands if inside else None  # type: ignore[union-attr]

    def _postorder(self, roots: Sequence[Value]) -> list[tuple[Value, Sequence[Value]]]:
        """The nodes with their operands; fills in the leaves.  A node is met twice: before its operands, and after them."""
        done: set[Value] = set()
        entered: dict[Value, Sequence[Value]] = {}
        order: list[tuple[Value, Sequence[Value]]] = []
        stack = list(reversed(roots))
        while stack:
            value = stack.pop()
            if value in done:
                continue
            operands = entered.get(value)
            if operands is None:
                operands = self._operands(value)
                if operands:
                    entered[value] = operands
                    stack.append(value)
                    stack += operands[::-1]
                    continue
            done.add(value)
            if operands is None:
                self.leaves.append(value)  # type: ignore[arg-type]
            else:
                order.append((value, operands))
        return order

    def _add(self, value: Value, operands: Sequence[Value]) -> None:
        is_expression = type(value) is Expr
        name, attribute, bits = (value.name, value.attribute, value.width) if is_expression else describe(value.owner)  # type: ignore[union-attr, arg-type]
        numbers = [self.number[v] for v in operands]
        if name in COMMUTATIVE:
            numbers.sort()
        node = (name, attribute, bits, tuple(numbers))
        found = self.interned.get(node)
        if found is None:
            found = self.interned[node] = len(self.leaves) + len(self.nodes)
            self.nodes.append(node)
        if not is_expression:
            self.values.append((value, found))  # type: ignore[arg-type]
        self.number[value] = found
