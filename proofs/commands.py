"""An instruction of the specification -> the lifted functions that its command words select, under the conditions of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import z3
from xdsl.dialects import func

from act.taidl import Instruction
from proofs.designs import Case, gemmini, lift_of_gemmini, specification
from proofs.meaning import Access, Iteration, Meaning, meaning, prove_same
from proofs.solve import NotProved, Refuted, is_possible
from proofs.specification import Command
from proofs.tensors import Product, multiply

Fixed = tuple[str, int, int, int]  # word, lowest bit, bits, value


@dataclass(frozen=True, slots=True)
class Selected:
    """A mode of the lifted instruction that the command can select; `under` are the conditions of the command and of the mode."""

    case: Case
    under: list[z3.BoolRef]


def command(dim: int, name: str, product: Product = multiply) -> Command:
    """An instruction or composite by name."""
    accelerator = specification(dim)
    found = accelerator.instructions.get(name) or accelerator.composites[name].operation
    return Command(accelerator, found, product)


def code_of(dim: int, stated: Command) -> str:
    """The instruction of the RTL that the command words select."""
    return code_among(stated, opcodes(dim))


def code_among(stated: Command, known: Mapping[str, Sequence[Fixed]]) -> str:
    """... by the constants of the decoder."""
    chosen = [name for name, fixed in known.items() if all(_holds(stated, f) for f in fixed)]
    if len(chosen) != 1:
        raise NotProved(f"the encoding of {stated.operation.name} selects {chosen or 'no instruction'}")
    return chosen[0]


def opcodes(dim: int) -> dict[str, tuple[Fixed, ...]]:
    """instruction of the RTL -> what selects it; without the opcodes that do nothing."""
    lifted = lift_of_gemmini(dim)
    return {name: e.opcode.fixed for name, e in lifted.unit.executions.items() if name in lifted.modes}


def _holds(stated: Command, fixed: Fixed) -> bool:
    word, low, bits, value = fixed
    held = {str(name): made for name, made in stated.words}[word]
    return z3.is_true(z3.simplify(z3.Extract(low + bits - 1, low, held) == value))


@cache
def _condition(function: func.FuncOp) -> z3.BoolRef:
    return meaning(function).results[0] == 1


def facts(case: Case) -> z3.BoolRef:
    return _condition(case.facts)


def domain(case: Case) -> z3.BoolRef:
    return _condition(case.domain)


def prove_case(what: str, case: Case, before: func.FuncOp, after: func.FuncOp) -> None:
    """Both functions of the mode do the same for all arguments.  A counterexample is of the mode, if there is one in it."""
    try:
        prove_same(what, before, after)
    except Refuted:
        prove_same(what, before, after, [facts(case), domain(case)])
        raise


def selected(dim: int, stated: Command) -> list[Selected]:
    """The modes that the command can select in some state."""
    return selected_among(stated, gemmini(dim)[code_of(dim, stated)])


def selected_among(stated: Command, cases: Iterable[Case]) -> list[Selected]:
    """... which it must be possible to be in."""
    found = []
    for case in cases:
        holds = z3.simplify(z3.substitute(facts(case), *stated.words))
        under = [*stated.conditions, holds]
        if not z3.is_false(holds) and is_possible(under):
            found.append(Selected(case, [*stated.conditions] if z3.is_true(holds) else under))
    if not found:
        raise NotProved(f"{stated.operation.name} is never possible")
    return found


def encoded(stated: Command, effect: Meaning) -> Meaning:
    """The effects for the words of the command."""
    results = tuple(z3.substitute(r, *stated.words) for r in effect.results)
    return Meaning(results, [_access(stated, a) for a in effect.stores], [_access(stated, a) for a in effect.loads])


def _access(stated: Command, access: Access) -> Access:
    address, data, condition = (z3.substitute(v, *stated.words) for v in (access.address, access.data, access.condition))
    loops = tuple(Iteration(i.index, z3.substitute(i.count, *stated.words)) for i in access.loops)  # type: ignore[arg-type]
    return Access(access.array, address, data, condition, loops)  # type: ignore[arg-type]


def operations(dim: int) -> dict[str, Instruction]:
    """The single instructions of the specification."""
    return specification(dim).instructions


__all__ = [
    "Selected", "code_among", "code_of", "command", "domain", "encoded", "facts", "opcodes", "operations", "prove_case", "selected", "selected_among",
]  # fmt: skip
