"""The instruction set as its text says is what was lifted: for every instruction, mode and state variable, all attributes, states and memories.

The text is read, its bodies, slices and encodings are evaluated over Z3 (`integers`, `tensors`, `specification`), and compared with the lifted functions on the
command words that the encoding makes.  With 16 x 16 elements the text is the one in the tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
import z3

from proofs.commands import Selected, code_of, command, domain, facts, operations, selected
from proofs.effects import Effect
from proofs.meaning import variable
from proofs.recording import Recorder
from proofs.solve import prove
from proofs.specification import BUFFERS, REGISTERS, Command
from proofs.test_passes import EFFECTS, PAIRS

SIZES = [4, pytest.param(16, marks=pytest.mark.slow)]
sizes = pytest.mark.parametrize("dim", SIZES, ids=lambda value: f"DIM{value}")
each = pytest.mark.parametrize(("instruction", "target"), PAIRS, ids=[f"gemmini-{i}-{t}" for i, t in PAIRS])
instructions = pytest.mark.parametrize("instruction", EFFECTS, ids=lambda name: f"gemmini-{name}")


@cache
def commands(dim: int, instruction: str) -> tuple[Command, ...]:
    """What the specification has for an instruction of the RTL."""
    found = tuple(c for c in (command(dim, name) for name in operations(dim)) if code_of(dim, c) == instruction)
    assert found, f"nothing is stated of {instruction}"
    return found


@cache
def choices(dim: int, instruction: str) -> tuple[tuple[Command, Selected], ...]:
    return tuple((c, chosen) for c in commands(dim, instruction) for chosen in selected(dim, c))


@sizes
@each
def test_the_specification_does_what_was_lifted(dim: int, instruction: str, target: str, recorder: Recorder) -> None:
    for stated, chosen in choices(dim, instruction):
        with recorder(dim=dim, instruction=stated.operation.name, effect=target, mode=chosen.case.number):
            Effect(stated, chosen, target, dim).prove()


@sizes
@instructions
def test_the_specification_changes_nothing_else(dim: int, instruction: str) -> None:
    """What it writes and sets are state variables that some mode changes."""
    for stated in commands(dim, instruction):
        operation = stated.operation
        changed = {n for w in operation.writes for n in BUFFERS[w.slice.buffer]} | {REGISTERS[s.state] for s in operation.sets}
        assert changed <= set(EFFECTS[instruction])
        assert not operation.clobbers and not operation.pushes and not operation.pops and not operation.steps and not operation.opaque


@sizes
@instructions
def test_the_encoding_selects_the_instruction_and_keeps_within_its_bounds(dim: int, instruction: str) -> None:
    """The words select this instruction, in every state some mode that was considered, and a command for which the loops are right."""
    for stated in commands(dim, instruction):
        modes = selected(dim, stated)
        prove(f"{stated.operation.name}: some mode", z3.Or(*(z3.substitute(facts(m.case), *stated.words) for m in modes)), stated.conditions)
        for mode in modes:
            prove(f"{stated.operation.name}: bounds", z3.substitute(domain(mode.case), *stated.words), mode.under)


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


def pairs(found: tuple[Command, ...]) -> Iterator[tuple[Command, Command]]:
    return ((a, b) for n, a in enumerate(found) for b in found[:n])


@sizes
@instructions
def test_no_command_is_two_instructions(dim: int, instruction: str) -> None:
    for a, b in pairs(commands(dim, instruction)):
        prove(f"{a.operation.name} and {b.operation.name}", z3.Not(z3.And(applies(a), applies(b))))


@pytest.mark.parametrize("dim", [4], ids=["DIM4"])
def test_every_instruction_of_the_specification_is_compared(dim: int) -> None:
    assert sorted(c.operation.name for i in EFFECTS for c in commands(dim, i)) == sorted(operations(dim))
