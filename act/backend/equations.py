"""Matches of instructions, and the equations between expressions over attributes and integers that they collect and solve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from act.backend.dots import PLAIN_DOT
from act.backend.memo import by_identity
from act.generator.model import OnChip, Selector
from act.taidl.expr import ExprError, evaluate
from act.taidl.model import Binary, Expr, Int, Name

Condition = tuple[Expr, frozenset[str]]
"""A condition and its names."""

SEARCH = 64
"""How many values are tried for an attribute that the operands do not determine."""


Values = tuple[tuple[str, int], ...]
"""Names with their values."""

Rests = frozenset[int]
"""Operands of an instruction that may be a sum to which it adds."""


class Match(NamedTuple):
    """`selector` computes a class from `operands`, with these attributes (at first without the free ones) and these values of registers
    that its body depends on."""

    selector: Selector
    alpha: tuple[tuple[str, int], ...]
    operands: tuple[int, ...]
    registers: tuple[tuple[str, int], ...] = ()


@by_identity
def rests_of(selector: Selector) -> Rests:
    """The operands in the memory of the result, from where accumulation goes on."""
    memory = selector.result.access.buffer
    return frozenset(number for number, each in enumerate(selector.operands) if isinstance(each.access, OnChip) and each.access.buffer == memory)


class Binding(NamedTuple):
    """What is known in the middle of a match; `pending` are equations that wait for attributes to be known.  Its parts are not changed."""

    alpha: dict[str, int]
    leaves: dict[int, int]
    pending: tuple[tuple[Expr, int], ...] = ()


def search(conditions: Sequence[Condition], values: dict[str, int], missing: Sequence[str]) -> dict[str, int] | None:
    """The least values of `missing`, each in turn, under which all conditions hold."""
    if not all(_holds(condition, values) for condition, needed in conditions if needed <= values.keys()):
        return None
    if not missing:
        return values
    found = (search(conditions, {**values, missing[0]: value}, missing[1:]) for value in range(SEARCH))
    return next((each for each in found if each is not None), None)


def _holds(condition: Expr, values: dict[str, int]) -> bool:
    try:
        return evaluate(condition, values) != 0
    except ExprError:
        return False


def equal_sizes(dims: Sequence[Expr], sizes: Sequence[int], binding: Binding) -> Binding | None:
    """`dims` must be `sizes`; names that are not bound yet become them, anything else with unbound names waits."""
    if len(dims) != len(sizes):
        return None
    alpha, pending = binding.alpha, binding.pending
    for expr, size in zip(dims, sizes):  # noqa: B905 -- of one length, and this is called very often
        kind = expr.__class__
        if kind is Name:
            known = alpha.get(expr.name)  # type: ignore[union-attr]
            if known is None:
                if alpha is binding.alpha:
                    alpha = alpha.copy()
                alpha[expr.name] = size  # type: ignore[union-attr]
            elif known != size:
                return None
        elif kind is not Int:
            pending = (*pending, (expr, size))
        elif expr.value != size:  # type: ignore[union-attr]
            return None
    return binding if alpha is binding.alpha and pending is binding.pending else Binding(alpha, binding.leaves, pending)


def _equate(expr: Any, value: Any, binding: Binding | None) -> Binding | None:
    """`expr` must be `value`; a name that is not bound yet becomes it, anything else with unbound names waits."""
    if binding is None:
        return None
    match expr:
        case Int(known):
            return binding if known == value else None
        case Name(name) if name not in binding.alpha:
            return Binding({**binding.alpha, name: value}, binding.leaves, binding.pending)
        case Name(name):
            return binding if binding.alpha[name] == value else None
    solved = _solved(expr, value) if isinstance(value, int) else None
    alpha = binding.alpha if solved is None or solved[0] in binding.alpha else {**binding.alpha, solved[0]: solved[1]}
    return Binding(alpha, binding.leaves, (*binding.pending, (expr, value)))


def _solved(expr: Any, value: int) -> tuple[str, int] | None:
    """The name of which `expr` is a sum with constants, also modulo one, and the (least) value for which it is `value`: a register that a body reads
    as a signed number, say."""
    match expr:
        case Name(name):
            return name, value
        case Binary("+", inner, Int(known)) | Binary("+", Int(known), inner):
            return _solved(inner, value - known)
        case Binary("-", inner, Int(known)):
            return _solved(inner, value + known)
        case Binary("%", inner, Int(modulus)) if 0 <= value < modulus and (found := _solved(inner, value)) is not None:
            return found[0], found[1] % modulus
    return None


def equal_attributes(pattern: Sequence[tuple[str, Any]], found: Sequence[tuple[str, Any]], binding: Binding) -> Binding | None:
    """Every attribute by name; integers inside tuples may be expressions."""
    if pattern == PLAIN_DOT and found == PLAIN_DOT:
        return binding
    if len(pattern) != len(found):
        return None
    result: Binding | None = binding
    for (name, wanted), (other, value) in zip(pattern, found, strict=True):
        result = equal_values(wanted, value, result) if name == other else None
    return result


def equal_values(wanted: Any, value: Any, binding: Binding | None) -> Binding | None:
    if isinstance(wanted, tuple):
        if not isinstance(value, tuple) or len(wanted) != len(value):
            return None
        for inner, other in zip(wanted, value, strict=True):
            binding = equal_values(inner, other, binding)
        return binding
    if isinstance(wanted, float) or isinstance(value, float):
        return binding if repr(wanted) == repr(value) else None
    if isinstance(wanted, (int, str)):
        return binding if type(wanted) is type(value) and wanted == value else None
    return _equate(wanted, value, binding)
