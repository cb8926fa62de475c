"""The body of an instruction -> the pattern that the compiler looks for, in the normal form of e-nodes.

Bytes in host memory that are only reinterpreted are read, or written, as whole elements: `bitcast-convert(reshape(%x))` of bytes becomes operand x.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from act.backend.analysis import integral, narrower, type_of
from act.generator.address import NotSelectable
from act.generator.model import Apply, Leaf, Pattern, Splat, Typed
from act.hlo.dtypes import integer_range, stored_bytes, width
from act.hlo.model import Computation, Instruction
from act.records import dataclass, replace
from act.taidl.expr import names
from act.taidl.model import Expr, Int

REINTERPRET = ("bitcast-convert", "reshape", "copy")


def exprs(sizes: tuple) -> tuple[Expr, ...]:
    return tuple(Int(size) if isinstance(size, int) else size for size in sizes)


@dataclass(frozen=True, slots=True)
class Body:
    """`operands[name]` is the number of the operand that the parameter is; `in_host` are the names of those in host memory."""

    computation: Computation
    operands: Mapping[str, int]
    in_host: frozenset[str]

    def names(self) -> frozenset[str]:
        """The attributes and registers on which the computation depends."""
        values = [value for each in self.computation for value in (*type_of(each).dims, *each.attributes.values())]
        return frozenset(name for value in values for name in _names(value))

    def typed(self, name: str) -> Typed:
        """How operand `name` is read."""
        chain = self._reinterpreted(name)
        return _typed(self.computation[name], self.computation[chain[-1]], [self.computation[link] for link in chain])

    def _reinterpreted(self, name: str) -> list[str]:
        """The operand and what only re-interprets it, as long as nothing else is made of it; the last is what is computed with."""
        chain = [name]
        while name in self.in_host:
            users = [each for each in self.computation if chain[-1] in each.operands]
            if len(users) != 1 or users[0].opcode not in REINTERPRET or chain[-1] == self.computation.root:
                break
            chain.append(users[0].name)
        return chain

    def result(self, name: str, in_host: bool) -> tuple[Typed, Pattern]:
        """How the value `name` is written, and what it is."""
        chain = [self.computation[name]]
        while in_host and chain[-1].opcode in REINTERPRET and chain[-1].name not in self._leaves():
            chain.append(self.computation[chain[-1].operands[0]])
        return _typed(chain[0], chain[-1], chain), self.pattern(chain[-1].name)

    def _leaves(self) -> dict[str, int]:
        return {self._reinterpreted(name)[-1]: number for name, number in self.operands.items()}

    def pattern(self, name: str) -> Pattern:
        """The value `name` in normal form."""
        each = self.computation[name]
        dtype, dims = type_of(each).dtype, exprs(type_of(each).dims)
        if name in self._leaves():
            return Leaf(self._leaves()[name], dtype, dims)
        children = tuple(self.pattern(operand) for operand in each.operands)
        return normal(Apply(each.opcode, each.key, dtype, dims, children))


def _names(value: Any) -> frozenset[str]:
    if isinstance(value, tuple):
        return frozenset(name for part in value for name in _names(part))
    return frozenset() if isinstance(value, (int, float, str)) else names(value)


def _typed(memory: Instruction, value: Instruction, chain: Sequence[Instruction]) -> Typed:
    """`memory` holds the bytes of `value`; `chain` are both and what is between them."""
    if width(type_of(value).dtype) % 8 and value is not memory:
        raise NotSelectable(f"elements of {type_of(value).dtype} are not whole bytes")
    dense = any(link.opcode == "reshape" for link in chain)
    wide = stored_bytes(type_of(value).dtype) != stored_bytes(type_of(memory).dtype)
    return Typed(type_of(value).dtype, exprs(type_of(value).dims), int(wide and not dense), dense)


def renormalised(pattern: Pattern) -> Pattern:
    """The normal form of a pattern that was changed."""
    if not isinstance(pattern, Apply):
        return pattern
    return normal(replace(pattern, children=tuple(renormalised(child) for child in pattern.children)))


def normal(node: Apply) -> Pattern:
    """The normal form in which e-nodes are kept, and limits as clamps."""
    children = node.children
    match node.opcode:
        case "copy":
            return children[0]
        case "convert" | "reshape" if (children[0].dtype, children[0].dims) == (node.dtype, node.dims):
            return children[0]
        case "constant":
            return _constant(node)
        case "broadcast" if isinstance(children[0], Splat):
            return Splat(children[0].value, node.dtype, node.dims)
        case "add" if integral(node.dtype):
            terms = [term for child in children for term in (child.children if _is(child, "sum") else (child,))]
            return replace(node, opcode="sum", children=tuple(terms))
        case "dot":
            return replace(node, children=tuple(_widened(child, node.dtype) for child in children))
        case "maximum" | "minimum" if integral(node.dtype) and any(isinstance(child, Splat) for child in children):
            return _limit(node)
        case "clamp":
            bounds = [_scalar(children[0]), children[1], _scalar(children[2])]
            return _merged(replace(node, children=tuple(bounds)))
    return node


def _is(pattern: Pattern, opcode: str) -> TypeGuard[Apply]:
    return isinstance(pattern, Apply) and pattern.opcode == opcode


def _constant(node: Apply) -> Splat:
    value = dict(node.attributes)["value"]
    flat = value
    while isinstance(flat, tuple) and flat and all(part == flat[0] for part in flat):
        flat = flat[0]
    if isinstance(flat, tuple):
        raise NotSelectable("its body has a constant whose elements differ")
    return Splat(flat, node.dtype, node.dims)


def _widened(pattern: Pattern, dtype: str) -> Pattern:
    if not narrower(pattern.dtype, dtype):
        return pattern
    return Apply("convert", (), dtype, pattern.dims, (pattern,))


def _scalar(bound: Pattern) -> Pattern:
    return replace(bound, dims=()) if isinstance(bound, Splat) else bound


def _limit(node: Apply) -> Pattern:
    low, high = integer_range(node.dtype)
    constant, value = sorted(node.children, key=lambda child: not isinstance(child, Splat))
    assert isinstance(constant, Splat)
    low, high = (constant.value, high) if node.opcode == "maximum" else (low, constant.value)
    bounds = [Splat(bound, node.dtype, ()) for bound in (low, high)]
    return normal(replace(node, opcode="clamp", children=(bounds[0], value, bounds[1])))


def _merged(node: Apply) -> Pattern:
    """clamp(l2, clamp(l1, x, h1), h2) is one clamp, when all four are constants and l1 <= h1."""
    outer, inner = _limits(node), _limits(node.children[1])
    if outer is None or inner is None or inner[0] > inner[1]:
        return node
    bounds = [Splat(min(max(bound, outer[0]), outer[1]), node.dtype, ()) for bound in inner]
    value = node.children[1]
    assert isinstance(value, Apply)
    return replace(node, children=(bounds[0], value.children[1], bounds[1]))


def _limits(pattern: Pattern) -> tuple[int, int] | None:
    """The bounds of a clamp by integer constants."""
    if not _is(pattern, "clamp"):
        return None
    bounds = [bound.value for bound in pattern.children[::2] if isinstance(bound, Splat) and isinstance(bound.value, int)]
    return (bounds[0], bounds[1]) if len(bounds) == 2 else None
