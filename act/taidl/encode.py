"""Instruction + attribute values <-> command words; composites <-> their parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from act.taidl.expr import evaluate, names
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Composite, Instruction, Part
from act.taidl.solve import solve

Words = dict[str, int]
Issue = tuple[str, dict[str, int]]
"""An instruction's name and the value of each of its attributes."""


class EncodeError(ValueError):
    """Attribute values that an instruction cannot have; the message says which and why."""


def encode(accelerator: Accelerator, name: str, attributes: Mapping[str, int]) -> Words:
    """The words of one command; bits that no field names are 0.  `EncodeError` when a value is missing or does not fit its field.

    `when` is not checked here: see `violated`.
    """
    instruction = _instruction(accelerator, name)
    check_attributes(instruction, attributes)
    words = {word.name: 0 for word in accelerator.words}
    for field in instruction.encode:
        value, width = evaluate(field.value, attributes), field.high - field.low + 1
        if not 0 <= value < 1 << width:
            raise EncodeError(f"{name}: {print_expr(field.value)} = {value} does not fit {field.word}[{field.high}:{field.low}]")
        words[field.word] |= value << field.low
    return words


def _instruction(accelerator: Accelerator, name: str) -> Instruction:
    if name not in accelerator.instructions:
        raise EncodeError(f"'{name}' is no instruction of {accelerator.name}")
    return accelerator.instructions[name]


def check_attributes(instruction: Instruction, attributes: Mapping[str, int]) -> None:
    """`EncodeError` unless exactly the instruction's attributes are given."""
    expected, found = set(instruction.attributes), set(attributes)
    if expected != found:
        wrong = [f"'{name}' is missing" for name in sorted(expected - found)] + [f"there is no '{name}'" for name in sorted(found - expected)]
        raise EncodeError(f"{instruction.name}: {'; '.join(wrong)}; its attributes are {', '.join(instruction.attributes) or 'none'}")


def violated(instruction: Instruction, values: Mapping[str, int]) -> str | None:
    """The first `when` clause, as text, that does not hold for these values of attributes and of registers that it names.

    A clause about a register whose value is not among `values` is passed over.
    """
    for condition in instruction.when:
        if names(condition) <= values.keys() and not evaluate(condition, values):
            return print_expr(condition)
    return None


def decode(accelerator: Accelerator, words: Mapping[str, int]) -> list[Issue]:
    """All instructions that have this encoding, with their attributes, in the order of the file.

    Several when they differ only in what registers they need; none when the words are no command.
    """
    found = []
    for instruction in accelerator.instructions.values():
        attributes = _decode_as(accelerator, instruction, words)
        if attributes is not None and violated(instruction, attributes) is None:
            found.append((instruction.name, attributes))
    return found


def _decode_as(accelerator: Accelerator, instruction: Instruction, words: Mapping[str, int]) -> dict[str, int] | None:
    equations = [(f.value, words[f.word] >> f.low & (1 << f.high - f.low + 1) - 1) for f in instruction.encode]
    attributes = solve(equations, instruction.attributes)
    if attributes is None:
        return None
    try:
        return attributes if encode(accelerator, instruction.name, attributes) == dict(words) else None
    except EncodeError:
        return None


def expand(accelerator: Accelerator, name: str, attributes: Mapping[str, int]) -> list[Issue]:
    """The real instructions of an operation, in the order in which they are issued: the parts of a composite, or itself alone."""
    if name not in accelerator.composites:
        check_attributes(_instruction(accelerator, name), attributes)
        return [(name, dict(attributes))]
    composite = accelerator.composites[name]
    check_attributes(composite.operation, attributes)
    return [(part.instruction, _arguments(part, attributes)) for part in composite.parts]


def _arguments(part: Part, attributes: Mapping[str, int]) -> dict[str, int]:
    return {name: evaluate(value, attributes) for name, value in part.arguments.items()}


def match_composite(composite: Composite, issued: Sequence[Issue]) -> dict[str, int] | None:
    """The attributes of `composite` for which its parts are the first of `issued`; None when they are not, or `when` is false."""
    if len(issued) < len(composite.parts):
        return None
    equations = []
    for part, (name, attributes) in zip(composite.parts, issued, strict=False):
        if part.instruction != name or set(part.arguments) != set(attributes):
            return None
        equations += [(value, attributes[key]) for key, value in part.arguments.items()]
    found = solve(equations, composite.operation.attributes)
    return found if found is not None and violated(composite.operation, found) is None else None
