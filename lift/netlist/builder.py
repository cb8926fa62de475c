"""Operators and operands to shared nodes.

Equal nodes are one object.  Constant operands are folded, and bits are routed through extracts, concatenations and extensions, and through choices
of constants and extended values (states that are written as plain integers); nothing else is simplified, so that the design stays what its author wrote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lift.netlist.fold import EVALUATE, evaluate
from lift.netlist.model import Node

_COMPARISONS = frozenset("eq ult slt ule sle redor redand redxor".split())


class Builder:
    """A table of nodes.  Nodes of different builders must not be mixed in one expression that is compared by identity."""

    def __init__(self) -> None:
        self._table: dict[tuple[object, ...], Node] = {}
        self._least: dict[Node, int] = {}
        self._cut: dict[tuple[Node, int], Node] = {}

    def intern(
        self, op: str, width: int, args: tuple[Node, ...] = (), attr: int | str | None = None, xmask: int = 0, label: str | None = None
    ) -> Node:
        """The one node with these fields, without folding."""
        key = (op, width, args, attr, xmask, label)
        found = self._table.get(key)
        if found is None:
            found = self._table[key] = Node(op, width, args, attr, xmask, label)
        return found

    def const(self, value: int, width: int, xmask: int = 0, label: str | None = None) -> Node:
        """`value` modulo 2**width; bits under `xmask` are undefined (value bit 1 there: written as z)."""
        ones = (1 << width) - 1
        return self.intern("const", width, (), value & ones, xmask & ones, label)

    def make(self, op: str, width: int, args: Sequence[Node], attr: int | str | None = None) -> Node:
        """`op` of `args`, folded."""
        match op:
            case "extract":
                assert isinstance(attr, int)
                return self.extract(args[0], attr, width)
            case "concat":
                return self.concat(args)
            case "mux":
                return self.mux(*args)
            case "zext" | "sext":
                return self.extend(args[0], width, op == "sext")
            case "and" | "or" | "xor":
                return self._bitwise(op, width, args[0], args[1])
            case "eq":
                args = self._narrow(*args)
            case "not" if args[0].op == "not":
                return args[0].args[0]
        return self._fold(op, width, tuple(args)) or self.intern(op, width, tuple(args), attr)

    def op(self, op: str, *args: Node) -> Node:
        """`op` of `args` with the width that the operands imply (not for extracts and extensions)."""
        return self.make(op, 1 if op in _COMPARISONS else args[0].width, args)

    def extract(self, a: Node, low: int, width: int) -> Node:
        """Bits [low + width - 1 : low] of `a`."""
        assert low >= 0 and width > 0 and low + width <= a.width, (low, width, a.width)
        if width == a.width:
            return a
        match a.op:
            case "const":
                return self._resized(a, _value(a) >> low, a.xmask >> low, width)
            case "extract":
                assert isinstance(a.attr, int)
                return self.extract(a.args[0], a.attr + low, width)
            case "concat":
                return self.concat([self.extract(p, lo, w) for p, lo, w in pieces(a.args, low, width)])
            case "zext" | "sext" if low + width <= a.args[0].width:
                return self.extract(a.args[0], low, width)
            case "zext" if low >= a.args[0].width:
                return self.const(0, width)
            case "zext" | "sext" if low < a.args[0].width:
                inner = a.args[0]
                return self.extend(self.extract(inner, low, inner.width - low), width, a.op == "sext")
            case "lshr" if (amount := _constant(a.args[1])) is not None and amount + low + width <= a.width:
                return self.extract(a.args[0], amount + low, width)
            case "mux" if low == 0 and self._meant(a) <= width:
                return self._narrowed(a, width)
        return self.intern("extract", width, (a,), low)

    def _meant(self, a: Node) -> int:
        """How many low bits of a choice come from anything but constants and extensions; its whole width where that cannot be told."""
        if a not in self._least:
            match a.op:
                case "const":
                    self._least[a] = 1
                case "zext" | "sext":
                    self._least[a] = a.args[0].width
                case "mux":
                    self._least[a] = max(self._meant(a.args[1]), self._meant(a.args[2]))
                case _:
                    self._least[a] = a.width
        return self._least[a]

    def _narrowed(self, a: Node, width: int) -> Node:
        """The low `width` bits of a choice, as a choice of low bits."""
        if a.op != "mux":
            return self.extract(a, 0, width)
        key = a, width
        if key not in self._cut:
            self._cut[key] = self.mux(a.args[0], self._narrowed(a.args[1], width), self._narrowed(a.args[2], width))
        return self._cut[key]

    def concat(self, parts: Sequence[Node]) -> Node:
        """`parts`, the highest first."""
        joined: list[Node] = []
        for part in parts:
            for piece in part.args if part.op == "concat" else (part,):
                self._append(joined, piece)
        return joined[0] if len(joined) == 1 else self.intern("concat", sum(p.width for p in joined), tuple(joined))

    def mux(self, condition: Node, then: Node, otherwise: Node) -> Node:
        """`then` where the 1-bit condition holds."""
        assert condition.width == 1 and then.width == otherwise.width, (condition.width, then.width, otherwise.width)
        if then is otherwise:
            return then
        if condition.op == "const" and not condition.xmask:
            return then if condition.attr else otherwise
        return self.intern("mux", then.width, (condition, then, otherwise))

    def extend(self, a: Node, width: int, sign: bool) -> Node:
        """`a` extended to `width`."""
        if width == a.width:
            return a
        if a.op == "const" and (not sign or not a.xmask >> (a.width - 1)):
            value = _value(a)
            high = -1 << a.width if sign and value >> (a.width - 1) else 0
            return self._resized(a, value | high, a.xmask, width)
        op = "sext" if sign else "zext"
        if a.op == op or (a.op == "zext" and sign):
            a, op = a.args[0], a.op
        return self.intern(op, width, (a,))

    def resize(self, a: Node, width: int, sign: bool) -> Node:
        """`a` cut or extended to `width`."""
        return self.extract(a, 0, width) if width <= a.width else self.extend(a, width, sign)

    def true(self, a: Node) -> Node:
        """1 bit: `a` is not zero."""
        return a if a.width == 1 else self.op("redor", a)

    def conjunction(self, terms: Sequence[Node]) -> Node:
        """1 bit: all of the 1-bit `terms`."""
        result = self.const(1, 1)
        for term in terms:
            result = self.op("and", result, term)
        return result

    def _resized(self, old: Node, value: int, xmask: int, width: int) -> Node:
        ones = (1 << width) - 1
        same = value & ones == old.attr and xmask & ones == old.xmask
        return self.const(value, width, xmask, old.label if same or value < 0 else None)

    def _fold(self, op: str, width: int, args: tuple[Node, ...]) -> Node | None:
        if op not in EVALUATE or any(a.op != "const" or a.xmask for a in args):
            return None
        value = evaluate(op, width, args[0].width, [_value(a) for a in args])
        return self.const(0, width, -1) if value is None else self.const(value, width)

    def _bitwise(self, op: str, width: int, a: Node, b: Node) -> Node:
        folded = self._fold(op, width, (a, b))
        if folded is not None:
            return folded
        zero, ones = self.const(0, width), self.const(-1, width)
        for x, y in ((a, b), (b, a)):
            match op, y:
                case ("or" | "xor", _) if y is zero:
                    return x
                case ("and", _) if y is ones:
                    return x
                case ("and", _) if y is zero:
                    return zero
                case ("or", _) if y is ones:
                    return ones
        return self.intern(op, width, (a, b))

    def _narrow(self, a: Node, b: Node) -> tuple[Node, Node]:
        """Compare an extended value with a constant in the value's own width."""
        if a.op == "const":
            a, b = b, a
        if a.op == "zext" and b.op == "const" and not b.xmask and not _value(b) >> a.args[0].width:
            return a.args[0], self.extract(b, 0, a.args[0].width)
        return a, b

    def _append(self, parts: list[Node], piece: Node) -> None:
        if not parts:
            parts.append(piece)
            return
        last = parts[-1]
        if last.op == piece.op == "const":
            value = _value(last) << piece.width | _value(piece)
            parts[-1] = self.const(value, last.width + piece.width, last.xmask << piece.width | piece.xmask)
        elif (base := _adjacent(last, piece)) is not None:
            low = piece.attr if piece.op == "extract" else 0
            assert isinstance(low, int)
            parts[-1] = self.extract(base, low, last.width + piece.width)
        else:
            parts.append(piece)


def pieces(parts: Sequence[Node], low: int, width: int) -> Iterator[tuple[Node, int, int]]:
    """The (part, low bit, width) that make up bits [low + width - 1 : low] of a concatenation, the highest first."""
    top = sum(p.width for p in parts)
    for part in parts:
        bottom = top - part.width
        lo, hi = max(low, bottom), min(low + width, top)
        if lo < hi:
            yield part, lo - bottom, hi - lo
        top = bottom


def _value(constant: Node) -> int:
    assert isinstance(constant.attr, int)
    return constant.attr


def _constant(node: Node) -> int | None:
    return _value(node) if node.op == "const" and not node.xmask else None


def _adjacent(high: Node, low: Node) -> Node | None:
    """The node of which `high` and `low` are neighbouring bits."""
    if high.op != "extract" or low.op != "extract" or high.args[0] is not low.args[0]:
        return None
    assert isinstance(high.attr, int) and isinstance(low.attr, int)
    return high.args[0] if high.attr == low.attr + low.width else None
