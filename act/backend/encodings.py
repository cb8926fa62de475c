"""What the emitters need of an instruction set: command words in pieces of 64 bits, and which attributes are addresses in host memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

from act.errors import UserError
from act.generator.address import without_wrap
from act.program import Program
from act.records import dataclass
from act.taidl.expr import names
from act.taidl.model import Accelerator, Expr, Instruction, Name, Word
from act.taidl.simplify import polynomial

LIMB = 64


@dataclass(frozen=True, slots=True)
class Piece:
    """`value`, of `width` bits, goes into limb number `limb`, shifted left by `shift` (right where it is negative)."""

    limb: int
    value: Expr
    width: int
    shift: int


def limbs(words: Sequence[Word]) -> list[tuple[str, int]]:
    """The name of the word and the number of the limb in it, in the order in which they are issued; the lowest first."""
    return [(word.name, number) for word in words for number in range(-(-word.width // LIMB))]


def pieces(accelerator: Accelerator, instruction: Instruction) -> list[Piece]:
    """Where the fields of an instruction go."""
    order = limbs(accelerator.words)
    found = []
    for field in instruction.encode:
        for number in range(field.low // LIMB, field.high // LIMB + 1):
            found.append(Piece(order.index((field.word, number)), field.value, field.high - field.low + 1, field.low - number * LIMB))
    return found


def used(accelerator: Accelerator, program: Program) -> list[Instruction]:
    """The instructions of a program, in the order of the instruction set; `UserError` if there are no encodings."""
    issued = {command.instruction for command in program.commands}
    found = [instruction for name, instruction in accelerator.instructions.items() if name in issued]
    if not accelerator.words:
        raise UserError(None, f"{accelerator.name} has no encodings", "add a line 'command WORD : BITS, ...' and 'encode' clauses, or use --emit asm")
    return found


def host_addresses(accelerator: Accelerator, instruction: Instruction) -> dict[str, int]:
    """The attributes that are addresses in host memory, with the bytes that they count in: they begin its slices there.  An attribute with
    which an index variable is multiplied is a stride."""
    found: dict[str, int] = {}
    strides: set[str] = set()
    for piece in (each for each in instruction.slices if accelerator.buffers[each.buffer].hbm):
        (coordinate,), (size,) = piece.coordinates, accelerator.buffers[piece.buffer].access
        for monomial, scale in polynomial(without_wrap(coordinate, size)).items():
            within = {name for factor in monomial for name in names(factor)}
            if len(monomial) > 1:
                strides |= within
            elif within <= {*instruction.beta} and isinstance(monomial[0] if monomial else None, Name):
                found.update(dict.fromkeys(within, scale))
    return {name: scale for name, scale in found.items() if name not in strides and scale > 0}


def host_alignment(accelerator: Accelerator, program: Program) -> int:
    """The host memory must begin at a multiple of this, so that addresses that count in several bytes can be said."""
    instructions = {command.instruction for command in program.commands}
    return lcm(1, *(scale for name in instructions for scale in host_addresses(accelerator, accelerator.instructions[name]).values()))


def one_memory(program: Program) -> int:
    """The size of the host memory; `UserError` if there are several."""
    sizes = {name: max([size, *(region.end for region in program.regions if region.buffer == name)]) for name, size in program.memory.items()}
    if len(sizes) > 1:
        raise UserError(None, f"the program uses several host memories: {', '.join(sizes)}", "use --emit asm or python")
    return next(iter(sizes.values()), 0)


def identifiers(given: Sequence[str]) -> dict[str, str]:
    """Names as identifiers of C and MLIR, all different and none of them a keyword."""
    found: dict[str, str] = {}
    for name in given:
        plain = "t_" + "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
        while plain in found.values():
            plain += "_"
        found[name] = plain
    return found
