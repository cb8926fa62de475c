"""n values of equal shape -> one template in which they differ only by constants that are affine in their position (anti-unification).

word[7:0], word[15:8], word[23:16]                      word >> (8 k), truncated
m[base], m[base + 1], m[base + 2]                       m[base + k]
0 < n ? x0 : 0, 1 < n ? x1 : 0                          k < n ? x(k) : 0
base, base + stride, base + 2 * stride                  base + stride * k
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from lift.ir.emit import Emitter
from lift.ir.operations import PURE, constant_value, describe, result, width
from lift.passes.linear import linear_form


@dataclass(frozen=True, slots=True)
class Invariant:
    """The same value at every position."""

    value: SSAValue


@dataclass(frozen=True, slots=True)
class Affine:
    """The constant offset + stride * k, modulo 2**width; an index if `is_index`."""

    offset: int
    stride: int
    width: int
    is_index: bool


@dataclass(frozen=True, slots=True)
class Apply:
    """The operation of `sample` on templates."""

    sample: Operation
    operands: tuple[Template, ...]


@dataclass(frozen=True, slots=True)
class Combination:
    """The sum of `parts`, each value times its factor, modulo 2**width; the last value may be None, the constant 1."""

    parts: tuple[tuple[SSAValue | None, Affine], ...]


_MOST_STEPS = 64
_MOST_COLUMNS = 400
_MOST_PARTS = 4

Template = Invariant | Affine | Apply | Combination

# With a zero on the right these are their left operand: what a chain leaves out at its first position.
_IDENTITIES = ("arith.shrui", "arith.addi")


def generalise(values: list[SSAValue]) -> Template | None:
    """The template of `values` in order of position, None where there is none (or it has more than a few hundred operations)."""
    return _Search().template(values)


def in_order(values: list[SSAValue]) -> list[SSAValue]:
    """By the constants in them, as far as they are of the same shape: the order in which they may have a template."""
    return sorted(values, key=_constants)


def _constants(value: SSAValue) -> tuple[int, ...]:
    """The constants that `value` is computed from, left to right; a part-select of the lowest bits counts as a shift by 0."""
    found: list[int] = []
    stack, steps = [value], 0
    while stack and steps < _MOST_STEPS:
        steps += 1
        current = stack.pop()
        op = _operation(current)
        if op is None:
            continue
        if (known := constant_value(current)) is not None:
            found.append(known)
            continue
        if op.name == "arith.trunci" and getattr(op._operands[0].owner, "name", None) != "arith.shrui":
            found.append(0)
        stack += op._operands[::-1]
    return tuple(found)


def _operation(value: SSAValue) -> Operation | None:
    op = value.owner
    return op if isinstance(op, Operation) and (op.name in PURE or op.name == "memref.load") else None


def _shape(op: Operation) -> tuple[object, ...]:
    kinds = tuple(type(v.type) for v in op.operands)
    widths = tuple(width(v) for v in op.operands) if op.name in PURE else ()
    return (*(describe(op) if op.name in PURE else (op.name,)), kinds, widths)


def _affine(first: SSAValue, constants: list[int]) -> Affine | None:
    mask = (1 << width(first)) - 1
    stride = constants[1] - constants[0] & mask
    if any(c != (constants[0] + stride * k) & mask for k, c in enumerate(constants)):
        return None
    return Affine(constants[0], stride, width(first), isinstance(first.type, IndexType))


@dataclass(slots=True)
class _Search:
    """Operands that several operations share are looked at once, and are one template."""

    known: dict[tuple[SSAValue, ...], Template | None] = field(default_factory=dict)

    def template(self, values: list[SSAValue]) -> Template | None:
        key = tuple(values)
        if key not in self.known:
            self.known[key] = None if len(self.known) >= _MOST_COLUMNS else self._template(values)
        return self.known[key]

    def _template(self, values: list[SSAValue]) -> Template | None:
        first = values[0]
        if all(v is first for v in values):
            return Invariant(first)
        constants = [constant_value(v) for v in values]
        if None not in constants:
            return _affine(first, constants)  # type: ignore[arg-type]
        if None not in (owners := [_operation(v) for v in values]) and len({_shape(op) for op in owners}) == 1:  # type: ignore[arg-type]
            return self._same_shape(owners) or _combination(values)  # type: ignore[arg-type]
        return self._with_identity(values) or _combination(values)

    def _same_shape(self, ops: list[Operation]) -> Apply | None:
        operands = []
        for column in zip(*(op.operands for op in ops), strict=True):
            template = self.template(list(column))
            if template is None:
                return None
            operands.append(template)
        return Apply(ops[0], tuple(operands))

    def _with_identity(self, values: list[SSAValue]) -> Apply | None:
        """Some are `x op constant` and the others stand for `x op 0`."""
        for name in _IDENTITIES:
            matching = [op for v in values if (op := _operation(v)) is not None and op.name == name and constant_value(op.operands[1]) is not None]
            if not matching:
                continue
            chosen = {result(op): op for op in matching}
            bases = [chosen[v].operands[0] if v in chosen else v for v in values]
            amounts = [constant_value(chosen[v].operands[1]) if v in chosen else 0 for v in values]
            left, right = self.template(bases), _affine(values[0], amounts)  # type: ignore[arg-type]
            if left is not None and right is not None:
                return Apply(matching[0], (left, right))
        return None


def _combination(values: list[SSAValue]) -> Combination | None:
    """Sums of multiples of the same values, of which one moves: `base + stride * k`, but not `x` at one place and `y` at another."""
    forms = [linear_form(v, _MOST_PARTS) for v in values]
    if any(form is None for form in forms):
        return None
    atoms = dict.fromkeys(a for form in forms for a in form)  # type: ignore[union-attr]
    factors = {a: _affine(values[0], [form.get(a, 0) for form in forms]) for a in atoms}  # type: ignore[union-attr]
    moving = [a for a, factor in factors.items() if factor is None or factor.stride]
    if len(atoms) > _MOST_PARTS or len(moving) != 1 or None in (factors[moving[0]], moving[0]):
        return None
    ordered = sorted(factors.items(), key=lambda part: (part[0] is None, part[1].stride != 0))  # type: ignore[union-attr]
    return Combination(tuple(ordered))  # type: ignore[arg-type]


def _parts(template: Template) -> Iterator[Template]:
    """The template and what it is made of, each once."""
    seen, stack = set[int](), [template]
    while stack:
        each = stack.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            stack += each.operands if isinstance(each, Apply) else ()


def invariants(template: Template) -> set[SSAValue]:
    """The values that a template is made of, constants left out."""
    found = {part.value for part in _parts(template) if isinstance(part, Invariant) and constant_value(part.value) is None}
    return found | {value for part in _parts(template) if isinstance(part, Combination) for value, _ in part.parts if value is not None}


def instantiate(template: Template, index: SSAValue, emitter: Emitter) -> SSAValue:
    """The value at position `index` (of index type)."""
    return _instantiate(template, index, emitter, {})


def _instantiate(template: Template, index: SSAValue, emitter: Emitter, done: dict[int, SSAValue]) -> SSAValue:
    if id(template) not in done:
        match template:
            case Invariant():
                done[id(template)] = template.value
            case Affine():
                done[id(template)] = _position(template, index, emitter)
            case Combination():
                done[id(template)] = _sum(template, index, emitter)
            case Apply(sample):
                operands = [_instantiate(t, index, emitter, done) for t in template.operands]
                made = type(sample).create(operands=operands, result_types=(result(sample).type,), properties=sample.properties)
                done[id(template)] = emitter.add(made)
    return done[id(template)]


def _sum(combination: Combination, index: SSAValue, emitter: Emitter) -> SSAValue:
    total: SSAValue | None = None
    for value, factor in combination.parts:
        part = emitter.constant(factor.offset, factor.width) if factor.stride == 0 else _position(factor, index, emitter)
        if value is not None:
            part = value if (factor.offset, factor.stride) == (1, 0) else emitter.binary(arith.MuliOp, value, part)
        total = part if total is None else emitter.binary(arith.AddiOp, total, part)
    assert total is not None
    return total


def _position(affine: Affine, index: SSAValue, emitter: Emitter) -> SSAValue:
    bits = 0 if affine.is_index else affine.width
    value = index if affine.is_index else emitter.from_index(index, affine.width)
    if affine.stride != 1:
        value = emitter.binary(arith.MuliOp, value, emitter.constant(affine.stride, bits))
    return emitter.binary(arith.AddiOp, value, emitter.constant(affine.offset, bits)) if affine.offset else value
