"""Instructions that only set registers -> setters: each register gets an attribute, a constant, or stays as it is.

Before --> after:  `set activation = old if only_strides else value` --> two setters, with `only_strides` fixed to 0 and to 1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from act.generator.address import NotSelectable, without_wrap
from act.generator.model import Setter
from act.hlo.dtypes import width
from act.records import replace
from act.taidl.expr import children, names, substitute
from act.taidl.model import Accelerator, Choice, Expr, Instruction, Int, Name, Set
from act.taidl.simplify import simplify

MODES = 4
"""At most so many attributes are modes, of two values each."""


def setters(accelerator: Accelerator, operation: Instruction, conditions: Sequence[Expr]) -> tuple[Setter, ...]:
    """One setter for each mode of the instruction that sets registers to what its attributes say."""
    if operation.opaque or operation.part_only or operation.after:
        raise NotSelectable("it may not be issued alone")
    modes = sorted({name for each in operation.sets for name in _decisions(each.value)} & {*operation.attributes})
    if len(modes) > MODES:
        raise NotSelectable(f"it has {len(modes)} modes")
    found = []
    for values in product((0, 1), repeat=len(modes)):
        fixed = dict(zip(modes, values, strict=True))
        effects = _effects(accelerator, operation, fixed)
        if effects is not None:
            found.append(Setter(operation.name, operation.attributes, tuple(conditions), effects, tuple(fixed.items())))
    if not found:
        raise NotSelectable("it sets a register to a computed value")
    return tuple(found)


def _decisions(expr: Expr) -> Iterator[str]:
    """The names on which choices in `expr` depend."""
    if isinstance(expr, Choice):
        yield from names(expr.condition)
    for child in children(expr):
        yield from _decisions(child)


def _effects(accelerator: Accelerator, operation: Instruction, fixed: Mapping[str, int]) -> tuple[Set, ...] | None:
    """What is set when some attributes are fixed; None when a value is computed."""
    known = {name: Int(value) for name, value in fixed.items()}
    registers = {use.name: (use.state, use.index) for use in operation.uses if use.name}
    effects = []
    for each in operation.sets:
        index = None if each.index is None else simplify(substitute(each.index, known))
        value = without_wrap(simplify(substitute(each.value, known)), 1 << width(accelerator.states[each.state].element))
        if isinstance(value, Name) and registers.get(value.name) == (each.state, each.index):
            continue
        plain = isinstance(value, Int) or (isinstance(value, Name) and value.name in operation.attributes)
        if not plain or not (index is None or isinstance(index, (Int, Name))):
            return None
        effects.append(replace(each, index=index, value=value))
    return tuple(effects) or None
