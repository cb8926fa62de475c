"""Registers that only conditions speak of: any value that satisfies them will do, so one is chosen.

use activation as activation ; when activation != 1      -->  use activation == 0
"""

from __future__ import annotations

from collections.abc import Iterable

from act.records import replace
from act.taidl import Accelerator, Expr, Instruction, Int, Use, evaluate, names

MOST_TRIED = 256
"""Values of a register that are tried, from 0 on."""


def with_chosen_registers(accelerator: Accelerator, operation: Instruction, conditions: tuple[Expr, ...]) -> tuple[Instruction, tuple[Expr, ...]]:
    """The operation and its conditions with the smallest admissible value for each `config` register that is named in conditions alone,
    each of which speaks of no other name; others stay as they are."""
    uses: list[Use] = []
    left = conditions
    for use in operation.uses:
        value = _value(accelerator, operation, use, left)
        uses.append(use if value is None else Use(use.state, use.index, equals=Int(value)))
        if value is not None:
            left = tuple(c for c in left if names(c) != {use.name})
    return replace(operation, uses=tuple(uses), when=left), left


def _value(accelerator: Accelerator, operation: Instruction, use: Use, conditions: Iterable[Expr]) -> int | None:
    own = [c for c in conditions if use.name in names(c)]
    state = accelerator.states[use.state]
    if not own or use.name is None or state.kind != "config" or any(len(names(c)) > 1 for c in own) or use.name in _elsewhere(operation):
        return None
    width = int(state.element[1:])
    name = use.name
    return next((v for v in range(min(1 << width, MOST_TRIED)) if all(evaluate(c, {name: v}) for c in own)), None)


def _elsewhere(operation: Instruction) -> set[str]:
    """Names in slices, the body and what is set."""
    found = {n for s in operation.slices for c in (*s.coordinates, *(i.extent for i in s.indices)) for n in names(c)}
    found |= {n for each in operation.sets for n in names(each.value)}
    return found | {word for text in operation.body.split("`")[1::2] for word in text.replace("(", " ").replace(")", " ").split()}
