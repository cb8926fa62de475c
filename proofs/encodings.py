"""Instructions of a specification -> what is claimed of their encodings: they select what was lifted, exclude each other, and leave no command out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import z3

from act.taidl import Accelerator, Int
from proofs.commands import Selected, code_of, domain, facts, opcodes, selected
from proofs.formats import documented
from proofs.integers import constant, exact, less, unsigned
from proofs.meaning import variable
from proofs.solve import prove
from proofs.specification import BUFFERS, INDEX_BITS, Command


def of_code(dim: int, accelerator: Accelerator, instruction: str) -> tuple[Command, ...]:
    """What a text has for an instruction of the RTL."""
    every = (Command(accelerator, operation) for operation in accelerator.instructions.values())
    return tuple(each for each in every if code_of(dim, each) == instruction)


def applies(stated: Command) -> z3.BoolRef:
    """Whether the instruction is meant by a command, in a state; bits that no field names may be anything."""
    fields, equations = [], []
    for f in stated.operation.encode:
        word = next(w for w in stated.accelerator.words if w.name == f.word)
        held = z3.Extract(f.high, f.low, variable(word.name, word.width))
        named = next((n for n, v in stated.attributes.items() if getattr(f.value, "name", None) == n and v.size() == held.size()), None)
        if named is None:
            equations.append(held == stated.constant(f.value, held.size()))
        else:
            fields.append((stated.attributes[named], held))
    return z3.And(*equations, *(z3.substitute(c, *fields) for c in stated.conditions))


def others_are_0(stated: Command) -> z3.BoolRef:
    """Bits of a command that no field names."""
    found = []
    for word in stated.accelerator.words:
        named = sum(1 << bit for f in stated.operation.encode if f.word == word.name for bit in range(f.low, f.high + 1))
        found.append(variable(word.name, word.width) & ~z3.BitVecVal(named, word.width) == 0)
    return z3.And(*found)


def prove_selection(dim: int, stated: Command) -> None:
    """The words select this instruction, in every state some mode that was considered, and a command for which the loops are right."""
    prove_modes(stated, selected(dim, stated))


def prove_modes(stated: Command, modes: Sequence[Selected], under: Sequence[z3.BoolRef] = ()) -> None:
    """In every state that satisfies `under` the command is in one of `modes`, and within its bounds."""
    some = z3.Or(*(z3.substitute(facts(m.case), *stated.words) for m in modes))
    prove(f"{stated.operation.name}: some mode", some, [*stated.conditions, *under])
    for mode in modes:
        prove(f"{stated.operation.name}: bounds", z3.substitute(domain(mode.case), *stated.words), mode.under)


def prove_distinct(found: Sequence[Command]) -> None:
    """No command is two instructions."""
    for a, b in combinations(found, 2):
        prove(f"{a.operation.name} and {b.operation.name}", z3.Not(z3.And(applies(a), applies(b))))


def prove_nothing_left_out(dim: int, instruction: str, found: Sequence[Command]) -> None:
    """Every command that the documentation has, in every state, is one of `found`, and no bit of it outside of their fields is set."""
    words = {word.name: variable(word.name, word.width) for word in found[0].accelerator.words}
    opcode = [z3.Extract(low + bits - 1, low, words[word]) == value for word, low, bits, value in opcodes(dim)[instruction]]
    some = z3.Or(*(z3.And(applies(each), others_are_0(each)) for each in found))
    prove(f"{instruction}: every command is stated", some, [*opcode, *documented(dim, instruction)])


def prove_arrays_exist(stated: Command, under: Sequence[z3.BoolRef] = ()) -> None:
    """Of a buffer that is several arrays, those that are named: the other claims take their number modulo how many there are."""
    conditions = [*stated.conditions, *under]
    for each in (*stated.operation.reads, *stated.operation.writes):
        count = len(BUFFERS[each.slice.buffer])
        if count > 1:
            index = [unsigned(variable(i.name, INDEX_BITS)) for i in each.slice.indices]
            number = exact(each.slice.coordinates[0], stated.indexed(each.slice, index))
            exists = z3.And(z3.Not(less(number, constant(0))), less(number, exact(Int(count), {})))
            prove(f"{stated.operation.name}: the array of {each.slice.buffer} exists", exists, [*conditions, stated.inside(each.slice, index)])


__all__ = ["applies", "of_code", "others_are_0", "prove_arrays_exist", "prove_distinct", "prove_modes", "prove_nothing_left_out", "prove_selection"]
