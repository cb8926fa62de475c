"""Fields and parts -> fields that do not fit their words, overlap, or cannot hold their values; parts that cannot be issued."""

from __future__ import annotations

from collections.abc import Iterator

from act.taidl.bounds import Range, never
from act.taidl.expr import names, substitute
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Composite, Field, Instruction, Part
from act.taidl.simplify import constant
from act.taidl.verify_clauses import Problem


def encoding_problems(accelerator: Accelerator, instruction: Instruction) -> Iterator[Problem]:
    widths = {word.name: word.width for word in accelerator.words}
    placed: list[Field] = []
    for field in instruction.encode:
        yield from ((("encode", 0, text, None)) for text in _field(field, widths, instruction))
        for other in placed:
            if field.word == other.word and field.low <= other.high and other.low <= field.high:
                yield "encode", 0, f"{_bits(field)} and {_bits(other)} overlap", "give each bit one meaning"
        placed.append(field)
    encoded = frozenset().union(*(names(field.value) for field in instruction.encode))
    for name in () if is_step(instruction) else instruction.attributes:
        if accelerator.words and name not in encoded:
            yield "encode", 0, f"attribute '{name}' is in no field, so that no command carries it", "encode it, or make it a register"


def is_step(instruction: Instruction) -> bool:
    """Is it a part that no command carries?  Only macros do such."""
    return instruction.part_only and not instruction.encode


def _bits(field: Field) -> str:
    return f"{field.word}[{field.high}:{field.low}]"


def _field(field: Field, widths: dict[str, int], instruction: Instruction) -> Iterator[str]:
    if field.word not in widths:
        yield f"'{field.word}' is no command word (known: {', '.join(widths) or 'none'})"
    elif not 0 <= field.low <= field.high < widths[field.word]:
        yield f"{_bits(field)} is not within the {widths[field.word]} bits of {field.word}"
    value = constant(field.value)
    if value is not None and not 0 <= value < 1 << max(0, field.high - field.low + 1):
        yield f"{value} does not fit {_bits(field)}"
    for name in sorted(names(field.value) - set(instruction.attributes)):
        yield f"'{name}' is no attribute"


def part_problems(accelerator: Accelerator, composite: Composite, ranges: dict[str, Range]) -> Iterator[Problem]:
    used: set[str] = set()
    for part in composite.parts:
        used |= frozenset().union(*map(names, part.arguments.values()))
        yield from ((("instruction", 0, f"part {part.instruction}: {text}", None)) for text in _part(accelerator, composite, part, ranges))
    if composite.operation.encode:
        yield "encode", 0, "a composite has no encoding of its own", "the parts are encoded"
    for name in composite.operation.attributes:
        if name not in used:
            yield "instruction", 0, f"attribute '{name}' is in no part, so that no command carries it", "give it to a part"


def _part(accelerator: Accelerator, composite: Composite, part: Part, ranges: dict[str, Range]) -> Iterator[str]:
    instruction = accelerator.instructions.get(part.instruction)
    if instruction is None:
        yield f"'{part.instruction}' is no instruction"
        return
    if accelerator.words and is_step(instruction):
        yield "it has no encoding: only macros do it"
    missing, extra = set(instruction.attributes) - set(part.arguments), set(part.arguments) - set(instruction.attributes)
    yield from (f"no value for '{name}'" for name in sorted(missing))
    yield from (f"there is no attribute '{name}'" for name in sorted(extra))
    for name, value in part.arguments.items():
        yield from (f"{name}: '{unknown}' is no attribute of the composite" for unknown in sorted(names(value) - set(composite.operation.attributes)))
    for condition in instruction.when:
        if names(condition) <= part.arguments.keys() and never(substitute(condition, part.arguments), ranges):
            yield f"its 'when' {print_expr(condition)} can never hold here"
