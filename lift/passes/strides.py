"""A function -> for each array, how the address moves from one access to the next: over the loops around it, and along accesses that were unrolled.

An address is read as a sum of values times constants, with loop indices among them; that it wraps at the width of the address is not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from xdsl.dialects import func, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from lift.ir.operations import constant_value, result, walk
from lift.passes.b3_detect_mac import address_operations
from lift.passes.facts import Facts
from lift.passes.known_bits import full
from lift.passes.match import without_casts

_CASTS = frozenset("arith.index_castui arith.extui arith.extsi arith.trunci".split())
_UNKNOWN = -1
Key = tuple[SSAValue, ...]


@dataclass(frozen=True, slots=True)
class Affine:
    """`constant` + the sum of coefficients times products of values; `terms` in the order in which they were met."""

    terms: Mapping[Key, int]
    constant: int = 0

    def plus(self, other: Affine, sign: int = 1) -> Affine:
        terms = dict(self.terms)
        for key, factor in other.terms.items():
            terms[key] = terms.get(key, 0) + sign * factor
        return Affine({k: f for k, f in terms.items() if f}, self.constant + sign * other.constant)

    def times(self, factor: int) -> Affine:
        return Affine({k: f * factor for k, f in self.terms.items()} if factor else {}, self.constant * factor)


@dataclass(frozen=True, slots=True)
class Stride:
    """`count` accesses, each `words` after the one before (-1: a symbolic number); `by` the value that the words are, where that is one."""

    count: int
    words: int
    by: SSAValue | None = None


@dataclass(frozen=True, slots=True)
class _Access:
    address: Affine
    loops: tuple[scf.ForOp, ...]


def strides(function: func.FuncOp) -> dict[SSAValue, list[Stride]]:
    """For each array argument with a regular pattern of accesses its strides, outermost first."""
    accesses: dict[SSAValue, list[_Access]] = {}
    forms = _forms(function)
    for op in walk(function.body.block):
        if op.name in ("memref.load", "memref.store"):
            array, index = op.operands[-2:]
            accesses.setdefault(array, []).append(_Access(_form(forms, index), _around(op)))
    found = {array: _pattern(each) for array, each in accesses.items() if isinstance(array.type, MemRefType)}
    return {array: levels for array, levels in found.items() if levels}


def _around(op: Operation) -> tuple[scf.ForOp, ...]:
    """The loops around an access, outermost first."""
    found: list[scf.ForOp] = []
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, scf.ForOp):
            found.append(parent)
        parent = parent.parent_op()
    return tuple(reversed(found))


def _pattern(accesses: list[_Access]) -> list[Stride]:
    """Empty if the accesses are in different loops or have different strides."""
    loops = accesses[0].loops
    if any(a.loops != loops for a in accesses):
        return []
    levels = [{_along(loop, a.address) for a in accesses} for loop in loops]
    if any(len(level) > 1 for level in levels):
        return []
    unrolled = _unrolled([a.address for a in accesses])
    return [stride for level in levels for stride in level] + ([] if unrolled is None else [unrolled])


def _along(loop: scf.ForOp, address: Affine) -> Stride:
    index, bounds = loop.body.block.args[0], [constant_value(v) for v in (loop.lb, loop.ub, loop.step)]
    count = _UNKNOWN if None in bounds else len(range(*bounds))  # type: ignore[arg-type]
    factors = {tuple(v for v in key if v is not index): f for key, f in address.terms.items() if index in key}
    match list(factors.items()):
        case []: return Stride(count, 0)
        case [((), words)]: return Stride(count, words)
        case [((by,), 1)]: return Stride(count, _UNKNOWN, without_casts(by))
        case _: return Stride(count, _UNKNOWN)


def _unrolled(addresses: list[Affine]) -> Stride | None:
    """Different addresses from the same base, one after another at equal distances."""
    different = list({(tuple(a.terms.items()), a.constant): a for a in addresses}.values())
    steps = {b.constant - a.constant for a, b in pairwise(different)}
    if len(steps) != 1 or any(a.terms != different[0].terms for a in different):
        return None
    return Stride(len(different), steps.pop())


def _forms(function: func.FuncOp) -> dict[SSAValue, Affine]:
    operations, facts = walk(function.body.block), Facts()
    wanted = address_operations(operations)
    forms: dict[SSAValue, Affine] = {}
    for op in operations:
        if op.name == "arith.index_castui" or op in wanted:
            forms[result(op)] = _read(op, forms, facts)
    return forms


def _form(forms: Mapping[SSAValue, Affine], value: SSAValue) -> Affine:
    known = constant_value(value)
    if known is not None:
        return Affine({}, known)
    return forms.get(value) or Affine({(value,): 1})


def _read(op: Operation, forms: Mapping[SSAValue, Affine], facts: Facts) -> Affine:
    operands = [_form(forms, v) for v in op.operands]
    match op.name, operands:
        case name, [a] if name in _CASTS:
            return a
        case "arith.addi", [a, b]:
            return a.plus(b)
        case "arith.subi", [a, b]:
            return a.plus(b, -1)
        case "arith.ori", [a, b] if _disjoint(op, facts):
            return a.plus(b)
        case "arith.shli", [a, b] if not b.terms and b.constant < 64:
            return a.times(1 << b.constant)
        case "arith.muli", [a, b]:
            return _product(op, a, b)
        case "arith.constant", _:
            return Affine({}, constant_value(result(op)) or 0)
    return Affine({(result(op),): 1})


def _disjoint(op: Operation, facts: Facts) -> bool:
    a, b = (facts.of(v) for v in op.operands)
    return a.zeros | b.zeros == full(a.width)


def _product(op: Operation, a: Affine, b: Affine) -> Affine:
    """By a constant, or of two values."""
    for x, y in ((a, b), (b, a)):
        if not y.terms:
            return x.times(y.constant)
    if all(len(x.terms) == 1 and not x.constant for x in (a, b)):
        ((p, f),), ((q, g),) = a.terms.items(), b.terms.items()
        return Affine({(*p, *q): f * g})
    return Affine({(result(op),): 1})

