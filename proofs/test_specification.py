"""The instruction set as its text says is what was lifted: for every instruction, mode and state variable, all attributes, states and memories.

The text is read, its bodies, slices and encodings are evaluated over Z3 (`integers`, `tensors`, `specification`), and compared with the lifted functions on the
command words that the encoding makes.  With 16 x 16 elements the text is the one in the tree.
"""

from __future__ import annotations

from functools import cache

import pytest

from proofs.commands import Selected, operations, selected
from proofs.designs import lift_of_gemmini, specification
from proofs.effects import Effect
from proofs.encodings import of_code, prove_arrays_exist, prove_distinct, prove_nothing_left_out, prove_selection
from proofs.recording import Claims
from proofs.replay import about
from proofs.replay_command import by_text
from proofs.specification import BUFFERS, REGISTERS, Command
from proofs.test_passes import EFFECTS, PAIRS

SIZES = [4, pytest.param(16, marks=pytest.mark.slow)]
sizes = pytest.mark.parametrize("dim", SIZES, ids=lambda value: f"DIM{value}")
each = pytest.mark.parametrize(("instruction", "target"), PAIRS, ids=[f"gemmini-{i}-{t}" for i, t in PAIRS])
instructions = pytest.mark.parametrize("instruction", EFFECTS, ids=lambda name: f"gemmini-{name}")


@cache
def commands(dim: int, instruction: str) -> tuple[Command, ...]:
    """What the specification has for an instruction of the RTL."""
    found = of_code(dim, specification(dim), instruction)
    assert found, f"nothing is stated of {instruction}"
    return found


@cache
def choices(dim: int, instruction: str) -> tuple[tuple[Command, Selected], ...]:
    return tuple((c, chosen) for c in commands(dim, instruction) for chosen in selected(dim, c))


@sizes
@each
def test_the_specification_does_what_was_lifted(dim: int, instruction: str, target: str, recorder: Claims) -> None:
    for stated, chosen in choices(dim, instruction):
        subject = by_text(lift_of_gemmini(dim), stated, [target])
        with recorder(dim=dim, instruction=stated.operation.name, effect=target, mode=chosen.case.number), about(subject):
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
    for stated in commands(dim, instruction):
        with about(by_text(lift_of_gemmini(dim), stated)):
            prove_selection(dim, stated)


@sizes
@instructions
def test_no_command_is_two_instructions(dim: int, instruction: str) -> None:
    prove_distinct(commands(dim, instruction))


@sizes
@instructions
def test_no_command_is_left_out(dim: int, instruction: str) -> None:
    """Fields are as wide as they are documented, and no condition excludes a command that is documented."""
    prove_nothing_left_out(dim, instruction, commands(dim, instruction))


@sizes
@instructions
def test_arrays_that_are_named_exist(dim: int, instruction: str) -> None:
    for stated in commands(dim, instruction):
        prove_arrays_exist(stated)


@pytest.mark.parametrize("dim", [4], ids=["DIM4"])
def test_every_instruction_of_the_specification_is_compared(dim: int) -> None:
    assert sorted(c.operation.name for i in EFFECTS for c in commands(dim, i)) == sorted(operations(dim))
