"""A program -> a Python script that runs it on the oracle: it holds the instruction set, the memory map and the commands, with loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.backend.reroll import Affine, Call, Item, reroll
from act.program import Program
from act.taidl.model import Accelerator
from act.taidl.print import print_text

TEXT = '''"""A program for {isa} (sha256 {sha256}), which runs on the oracle:  python PROGRAM.py IN.npz OUT.npz"""

import sys
from collections.abc import Iterator

import numpy as np

from act.oracle import Machine
from act.program import Command, Program, Region
from act.taidl import parse

ISA = r"""
{text}"""

MEMORY = {memory!r}
REGIONS = (
{regions})


def commands() -> Iterator[tuple[str, dict[str, int], dict[str, int]]]:
    """Instructions with their computational attributes and their addresses, in order."""
{commands}

def run(inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The outputs out0, ... from one array for each input."""
    issued = tuple(Command(name, alpha, beta) for name, alpha, beta in commands())
    return Machine(parse(ISA.lstrip())).run(Program({isa!r}, {sha256!r}, MEMORY, REGIONS, issued), inputs)


if __name__ == "__main__":
    with np.load(sys.argv[1]) as archive:
        np.savez(sys.argv[2], **run({{name: archive[name] for name in archive.files}}))
'''


def emit_python(accelerator: Accelerator, program: Program) -> str:
    """The text of the script."""
    commands = []
    for command in program.commands:
        names = accelerator.instructions[command.instruction].attributes
        commands.append((command.instruction, tuple(command.attributes[name] for name in names)))
    lines = "".join(f"{line}\n" for line in _lines(accelerator, reroll(commands), 1)) or "    yield from ()\n"
    return TEXT.format(
        isa=program.isa,
        sha256=program.sha256,
        text=print_text(accelerator).replace('"""', "'''"),
        memory=program.memory,
        regions="".join(f"    {region!r},\n" for region in program.regions),
        commands=lines,
    )


def _lines(accelerator: Accelerator, items: Sequence[Item], depth: int) -> Iterator[str]:
    indent = "    " * depth
    for item in items:
        if isinstance(item, Call):
            instruction = accelerator.instructions[item.name]
            values = dict(zip(instruction.attributes, map(_value, item.values), strict=True))
            alpha, beta = ({name: values[name] for name in names} for names in (instruction.alpha, instruction.beta))
            yield f"{indent}yield {item.name!r}, {_dict(alpha)}, {_dict(beta)}"
        else:
            yield f"{indent}for i{depth - 1} in range({item.times}):"
            yield from _lines(accelerator, item.body, depth + 1)


def _dict(values: dict[str, str]) -> str:
    return f"{{{', '.join(f'{name!r}: {value}' for name, value in values.items())}}}"


def _value(value: Affine) -> str:
    terms = [f"{step} * i{depth}" for depth, step in enumerate(value.steps) if step]
    return " + ".join([*([str(value.base)] if value.base or not terms else []), *terms])
