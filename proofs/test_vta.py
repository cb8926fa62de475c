"""The instruction set of rtl/vta as its text in the tree says: no command is two instructions, and each instruction has a command.

That the words select in the RTL what the text says, and that the bodies are what was lifted, is not proved here.
"""

from __future__ import annotations

from functools import cache

import pytest

from act.taidl.verify import load
from proofs.encodings import applies, prove_distinct
from proofs.solve import Refuted, satisfiable
from proofs.specification import Command
from proofs.vta import GENERATED


@cache
def text() -> str:
    return GENERATED.read_text()


def commands(source: str) -> list[Command]:
    """Every instruction that has an encoding; parts of other instructions have none."""
    accelerator = load(source, "vta")
    return [Command(accelerator, each) for each in accelerator.instructions.values() if each.encode]


NAMES = [each.operation.name for each in commands(text())]


@cache
def by_name() -> dict[str, Command]:
    return {each.operation.name: each for each in commands(text())}


@pytest.mark.parametrize("instruction", NAMES, ids=[f"vta-{name}" for name in NAMES])
def test_a_command_of_the_instruction_is_no_other(instruction: str) -> None:
    this = by_name()[instruction]
    for other in by_name().values():
        if other is not this:
            prove_distinct([this, other])


@pytest.mark.parametrize("instruction", NAMES, ids=[f"vta-{name}" for name in NAMES])
def test_some_command_is_the_instruction(instruction: str) -> None:
    satisfiable(instruction, [applies(by_name()[instruction])])


GEMM = "bits[2:0] = 2; bits[3:3] = pop_prev; bits[4:4] = pop_next; bits[5:5] = push_prev; bits[6:6] = push_next; bits[7:7] = "
MUTATIONS = {
    "reset-is-no-other-command": (f"{GEMM}1", f"{GEMM}0"),
    "accumulators-are-loaded-like-operations": ("push_next; bits[9:7] = 3; bits[25:10]", "push_next; bits[9:7] = 0; bits[25:10]"),
}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[f"vta-{name}" for name in MUTATIONS])
def test_a_wrong_encoding_is_refuted(mutation: str) -> None:
    old, new = MUTATIONS[mutation]
    assert text().count(old) == 1
    with pytest.raises(Refuted) as caught:
        prove_distinct(commands(text().replace(old, new)))
    print(caught.value)
