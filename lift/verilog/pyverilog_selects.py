"""Names with selects (`m[i][j][7:0]`) to a base, a word index and a lowest bit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from lift.errors import UserError
from lift.netlist import select
from lift.netlist.builder import Builder
from lift.netlist.model import Location, Node
from lift.verilog.pyverilog_parse import tree
from lift.verilog.pyverilog_scope import Constant, FunctionName, Meaning, Scope, Signal
from lift.verilog.pyverilog_text import SourceText


class Selects(ABC):
    """The part of the conversion of expressions that resolves names."""

    def __init__(self, builder: Builder, source: SourceText) -> None:
        self._b, self._source = builder, source
        self.signals: dict[str, Signal] = {}  # by local name, as far as they are declared

    def at(self, node: Any) -> Location:
        """Where `node` of the syntax tree stands."""
        return self._source.at(node.lineno)

    def location(self, node: Any) -> str:
        """The same as text."""
        return str(self.at(node))

    def unsupported(self, node: Any, what: str, advice: str | None = "use the slang reader") -> UserError:
        """The error for a construct that cannot be read."""
        return UserError(self.location(node), f"unsupported: {what}", advice)

    @abstractmethod
    def own(self, e: Any, scope: Scope) -> Node:
        """A self-determined expression."""

    @abstractmethod
    def size(self, e: Any, scope: Scope) -> tuple[int, bool]:
        """The self-determined width and sign of `e`."""

    @abstractmethod
    def integer(self, e: Any, scope: Scope) -> int:
        """A constant expression as a number."""

    def _read(self, e: Any, scope: Scope) -> Node:
        meaning, index, low, bias, width = self._selection(e, scope)
        if isinstance(meaning, Constant):
            base = meaning.node
        else:
            assert isinstance(meaning, Signal)
            op, args = ("var", ()) if index is None else ("word", (index,))
            base = self._b.intern(op, meaning.width, args, meaning.name)
        return base if low is None else select.read(self._b, base, low, width, bias)

    def _selection(self, e: Any, scope: Scope) -> tuple[Meaning, Node | None, Node | None, int, int]:
        """(base, index of the word, lowest bit, bias, width) of a name with selects."""
        part, pointers = (e, []) if isinstance(e, tree.Partselect) else (None, [])
        inner = e.var if part is not None else e
        while isinstance(inner, tree.Pointer):
            pointers.insert(0, inner.ptr)
            inner = inner.var
        meaning, name = self._meaning(inner, scope), getattr(inner, "name", "")
        if isinstance(meaning, Constant):
            left, right, dimensions = meaning.node.width - 1, 0, ()
        elif isinstance(meaning, Signal):
            left, right, dimensions = meaning.left, meaning.right, meaning.dimensions
        else:
            raise self.unsupported(e, f"'{name}' as a value", "use variables and parameters")
        count = len(dimensions)
        if len(pointers) < count or len(pointers) > count + (part is None):
            raise self.unsupported(e, f"this number of selects of '{name}'", "select words one by one")
        index = self._word(pointers[:count], dimensions, scope)
        if part is not None:
            return meaning, index, *self._part(part, left, right, scope)
        if len(pointers) == count:
            return meaning, index, None, 0, abs(left - right) + 1
        return meaning, index, self._position(pointers[-1], left, right, scope), 0, 1

    def _meaning(self, e: Any, scope: Scope) -> Meaning:
        if not isinstance(e, tree.Identifier):
            raise self.unsupported(e, "a select of this expression", "select from names")
        if e.scope is not None:
            return self._in_block(e, scope)
        meaning = scope.find(e.name)
        if meaning is None:
            raise UserError(str(self._source.at(e.lineno)), f"use of undeclared identifier '{e.name}'", "declare it")
        return meaning

    def _in_block(self, e: Any, scope: Scope) -> Meaning:
        """A name inside a block of this module, such as `row[2].x`."""
        labels = [label.name + ("" if label.loop is None else f"[{self.integer(label.loop, scope)}]") for label in e.scope.labellist]
        path = ".".join([*labels, e.name])
        found: Scope | None = scope
        while found is not None:
            if f"{found.prefix}{path}" in self.signals:
                return self.signals[f"{found.prefix}{path}"]
            found = found.parent
        raise self.unsupported(e, f"the hierarchical name '{path}'", "use names of this module, of blocks that stand before")

    def subroutine(self, e: tree.FunctionCall, scope: Scope) -> FunctionName:
        """The function or task that `e` calls."""
        found: Scope | None = scope if e.name.scope is None else None
        while found is not None:
            meaning = found.names.get(e.name.name)
            if isinstance(meaning, FunctionName):  # inside a function its name is a variable too
                return meaning
            found = found.parent
        raise self.unsupported(e, f"a call of '{e.name.name}', which is no function or task", None)

    def _position(self, e: Any, left: int, right: int, scope: Scope, size: int = 1) -> Node:
        return select.position(self._b, self.own(e, scope), self.size(e, scope)[1], left, right, size)

    def _word(self, pointers: list[Any], dimensions: tuple[tuple[int, int], ...], scope: Scope) -> Node | None:
        index: Node | None = None
        for number, (pointer, (left, right)) in enumerate(zip(pointers, dimensions, strict=True)):
            size = 1
            for lower, upper in dimensions[number + 1 :]:
                size *= abs(lower - upper) + 1
            at = self._position(pointer, max(left, right), min(left, right), scope, size)
            index = at if index is None else select.total(self._b, index, at)
        return index

    def part_width(self, e: tree.Partselect, scope: Scope) -> int:
        """The width of a part-select."""
        if _is_indexed(e):
            return self.integer(e.lsb.right, scope)
        return abs(self.integer(e.msb, scope) - self.integer(e.lsb, scope)) + 1

    def _check_direction(self, e: tree.Partselect, left: int, right: int, scope: Scope) -> None:
        first, last = self.integer(e.msb, scope), self.integer(e.lsb, scope)
        if first != last and (first > last) != (left > right):
            raise UserError(self.location(e), f"the part [{first}:{last}] is reversed", f"the range is [{left}:{right}]")

    def _part(self, e: tree.Partselect, left: int, right: int, scope: Scope) -> tuple[Node, int, int]:
        """(lowest bit, bias, width)."""
        width = self.part_width(e, scope)
        if not _is_indexed(e):
            self._check_direction(e, left, right, scope)
            return self._position(e.lsb, left, right, scope), 0, width
        upwards = isinstance(e.lsb, tree.Plus) == (left >= right)
        return self._position(e.msb, left, right, scope), 0 if upwards else width - 1, width


def _is_indexed(e: tree.Partselect) -> bool:
    """pyverilog gives `a[i +: w]` as a range from i to i + w whose i is one object."""
    return isinstance(e.lsb, (tree.Plus, tree.Minus)) and e.lsb.left is e.msb
