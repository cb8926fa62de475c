"""Netlist nodes to Z3 bit-vectors, operator by operator from the table in `lift.netlist.model`.

Nothing of the simplifier or the symbolic execution of lift is used, so that what they get wrong shows.  Each value comes with a mask of
its undefined bits (None: none), in which Verilog's x spreads as far as it may; undefined bits themselves are 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import z3

from lift.crosscheck.bits import Bits, address_bits, bit, const, extract, is_one, resize
from lift.netlist.model import Memory, Netlist, Node
from lift.netlist.simulate import order


@dataclass(frozen=True, slots=True)
class Value:
    """A bit-vector, and the mask of its undefined bits."""

    bits: Bits
    unknown: Bits | None = None


def variable(name: str, width: int) -> Bits:
    """The free variable of an input, a register or an output of a black box."""
    return z3.BitVec(name, width)


def array(memory: Memory) -> Bits:
    """The free variable of a memory before the step."""
    return z3.Array(memory.name, z3.BitVecSort(address_bits(memory.depth)), z3.BitVecSort(memory.width))


_BINARY: dict[str, Callable[[Bits, Bits], Bits]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "udiv": z3.UDiv,
    "urem": z3.URem,
    "sdiv": lambda a, b: a / b,
    "srem": z3.SRem,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "eq": lambda a, b: bit(a == b),
    "ult": lambda a, b: bit(z3.ULT(a, b)),
    "ule": lambda a, b: bit(z3.ULE(a, b)),
    "slt": lambda a, b: bit(a < b),
    "sle": lambda a, b: bit(a <= b),
}
_UNARY: dict[str, Callable[[Bits], Bits]] = {
    "not": lambda a: ~a,
    "neg": lambda a: -a,
    "redor": lambda a: bit(a != const(0, a.size())),
    "redand": lambda a: bit(a == const(-1, a.size())),
    "redxor": lambda a: _parity(a),
}
_SHIFT: dict[str, Callable[[Bits, Bits], Bits]] = {"shl": lambda a, n: a << n, "lshr": z3.LShR, "ashr": lambda a, n: a >> n}
_DIVISIONS = frozenset("udiv urem sdiv srem".split())


class Meaning:
    """The values of nodes of one netlist; `given` are inputs and registers that are no free variables."""

    def __init__(self, netlist: Netlist, given: Mapping[str, Value] = {}) -> None:
        self._netlist, self._given = netlist, given
        self._values: dict[Node, Value] = {}

    def value(self, root: Node) -> Value:
        """The value of a node in terms of inputs, registers and memories before the step."""
        if root not in self._values:
            for node in order([root]):
                if node not in self._values:
                    self._values[node] = self._node(node)
        return self._values[root]

    def word_after(self, memory: Memory, index: Bits) -> Value:
        """Word `index` of a memory after the step."""
        word, unknown = array(memory)[index], None
        for write in memory.writes:
            enable, address, data = (self.value(n) for n in (write.enable, write.address, write.data))
            mask = Value(const(-1, memory.width)) if write.mask is None else self.value(write.mask)
            hit = z3.And(is_one(enable.bits), _same_place(address.bits, index))
            word = z3.If(hit, (word & ~mask.bits) | (data.bits & mask.bits), word)
            unknown = _spread(memory.width, hit, (enable, address, mask), data.unknown, unknown, mask.bits)
        return Value(word, unknown)

    def _node(self, node: Node) -> Value:
        args = [self._values[a] for a in node.args]
        match node.op, node.attr:
            case "const", int(value):
                return Value(const(value & ~node.xmask, node.width), const(node.xmask, node.width) if node.xmask else None)
            case "input" | "reg", str(name):
                return self._given.get(name) or Value(variable(name, node.width))
            case "undef", _:
                return Value(const(0, node.width), const(-1, node.width))
            case "memread", str(name):
                return self._read(self._netlist.memories[name], args[0])
            case "extract", int(low):
                return _each(args, lambda p: extract(p[0], low, node.width))
            case "concat", _:
                return _each(args, lambda p: z3.Concat(*p) if len(p) > 1 else p[0])
            case "zext", _:
                return _each(args, lambda p: z3.ZeroExt(node.width - p[0].size(), p[0]))
            case "sext", _:
                return _each(args, lambda p: z3.SignExt(node.width - p[0].size(), p[0]))
            case "mux", _:
                return _choice(*args)
            case "and" | "or", _ if any(a.unknown is not None for a in args):
                return _bitwise(node.op, args)
        return _operator(node, args)

    def _read(self, memory: Memory, address: Value) -> Value:
        bits = address_bits(memory.depth)
        word, width = array(memory)[resize(address.bits, bits)], address.bits.size()
        unknown = None if address.unknown is None else _filled(memory.width, address.unknown != const(0, width))
        if memory.depth < 1 << width:
            outside = z3.UGE(address.bits, const(memory.depth, width))
            unknown = _either(unknown, _filled(memory.width, outside))
        return Value(word, unknown)


def _same_place(address: Bits, index: Bits) -> Bits:
    width = max(address.size(), index.size())
    return resize(address, width) == resize(index, width)


def _filled(width: int, condition: Bits) -> Bits:
    """A mask: everything when the condition holds."""
    return z3.If(condition, const(-1, width), const(0, width))


def _either(a: Bits | None, b: Bits | None) -> Bits | None:
    return b if a is None else a if b is None else a | b


def _any(values: tuple[Value, ...] | list[Value]) -> Bits | None:
    """A Boolean: one of the values has an undefined bit."""
    conditions = [v.unknown != const(0, v.unknown.size()) for v in values if v.unknown is not None]
    return z3.Or(*conditions) if conditions else None


def _spread(width: int, hit: Bits, control: tuple[Value, ...], data: Bits | None, before: Bits | None, mask: Bits) -> Bits | None:
    """The undefined bits of a word after a write port that may have hit it."""
    if data is None and before is None and _any(control) is None:
        return None
    old = const(0, width) if before is None else before
    new = (old & ~mask) | (mask if data is None else data) & mask if data is not None else old & ~mask
    lost = _any(control)
    after = z3.If(hit, new, old)
    return after if lost is None else after | _filled(width, lost)


def _each(args: list[Value], build: Callable[[list[Bits]], Bits]) -> Value:
    """An operator that only moves bits: the same for values and masks."""
    unknown = None
    if any(a.unknown is not None for a in args):
        unknown = build([const(0, a.bits.size()) if a.unknown is None else a.unknown for a in args])
    return Value(build([a.bits for a in args]), unknown)


def _choice(condition: Value, then: Value, otherwise: Value) -> Value:
    width, chosen = then.bits.size(), is_one(condition.bits)
    unknown: Bits | None = None
    if then.unknown is not None or otherwise.unknown is not None:
        masks = [const(0, width) if v.unknown is None else v.unknown for v in (then, otherwise)]
        unknown = z3.If(chosen, *masks)
    if condition.unknown is not None:
        differing: Bits = z3.If(is_one(condition.unknown), then.bits ^ otherwise.bits, const(0, width))
        both = _either(then.unknown, otherwise.unknown)
        unknown = _either(unknown, differing if both is None else differing | z3.If(is_one(condition.unknown), both, const(0, width)))
    return Value(z3.If(chosen, then.bits, otherwise.bits), unknown)


def _bitwise(op: str, args: list[Value]) -> Value:
    """And, or: a 0 (a 1) decides, whatever the other is."""
    (a, ma), (b, mb) = ((v.bits, const(0, v.bits.size()) if v.unknown is None else v.unknown) for v in args)
    if op == "and":
        return Value(a & b, (ma & mb) | (ma & b) | (mb & a))
    return Value((a | b) & ~(ma | mb) | (a & ~ma) | (b & ~mb), (ma & mb) | (ma & ~b) | (mb & ~a))


def _operator(node: Node, args: list[Value]) -> Value:
    values, unknown = [a.bits for a in args], _any(args)
    if node.op in _DIVISIONS:
        zero = values[1] == const(0, node.width)
        unknown = zero if unknown is None else z3.Or(unknown, zero)
    return Value(_result(node, values), None if unknown is None else _filled(node.width, unknown))


def _result(node: Node, values: list[Bits]) -> Bits:
    if node.op in _SHIFT:
        return _shift(node, *values)
    return _UNARY[node.op](*values) if node.op in _UNARY else _BINARY[node.op](*values)


def _shift(node: Node, value: Bits, amount: Bits) -> Bits:
    """The amount is unsigned and of any width: both are extended to the wider, and the result is cut."""
    width = max(value.size(), amount.size())
    extended = z3.SignExt(width - value.size(), value) if node.op == "ashr" else resize(value, width)
    return extract(_SHIFT[node.op](extended, resize(amount, width)), 0, node.width)


def _parity(a: Bits) -> Bits:
    result = extract(a, 0, 1)
    for position in range(1, a.size()):
        result = result ^ extract(a, position, 1)
    return result
