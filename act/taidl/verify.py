"""An accelerator -> what is wrong with it: declarations, names, slices, encodings, and the types of bodies for all attribute values."""

from __future__ import annotations

from collections.abc import Iterator

from act.errors import UserError
from act.hlo.dtypes import integer_range, is_dtype, is_integer, width
from act.taidl.inline import inlined
from act.taidl.model import Accelerator, Buffer, Composite, Instruction, State
from act.taidl.ranges import value_ranges
from act.taidl.text import Locations, TaidlErrors, parse_located
from act.taidl.verify_body import body_problems
from act.taidl.verify_clauses import Problem, clause_problems
from act.taidl.verify_encoding import encoding_problems, part_problems
from act.taidl.verify_steps import step_problems


def verify(accelerator: Accelerator, locations: Locations | None = None) -> list[UserError]:
    """All that is wrong, in the order of the file; empty when the description holds for all attribute values that `when` admits.

    `locations`, from `parse_located`, lets each error say where.  That addresses stay within their buffers is not checked: the
    oracle does that for each command, and a compiler for what it allocates.
    """
    where = locations or {}
    try:
        accelerator = inlined(accelerator)
    except UserError as error:
        name = error.problem.partition(":")[0]
        return [UserError(where.get((name, "body", 0), error.location), error.problem, error.advice)]
    errors = [UserError(where.get(key), problem) for key, problem in _declarations(accelerator)]
    if not all(is_dtype(each.element) for each in (*accelerator.buffers.values(), *accelerator.states.values())):
        return sorted(errors, key=_line)
    for operation in (*accelerator.instructions.values(), *accelerator.composites.values()):
        errors += _operation(accelerator, operation, where)
    return sorted(errors, key=_line)


def load(text: str, filename: str = "<taidl>") -> Accelerator:
    """Parses, verifies, and puts called bodies in their places; `TaidlErrors` with all that is wrong."""
    accelerator, locations = parse_located(text, filename)
    errors = verify(accelerator, locations)
    if errors:
        raise TaidlErrors(errors)
    return inlined(accelerator)


def _line(error: UserError) -> int:
    numbers = [int(part) for part in (error.location or "").split(":") if part.isdigit()]
    return numbers[0] if numbers else 0


def _operation(accelerator: Accelerator, operation: Instruction | Composite, locations: Locations) -> Iterator[UserError]:
    clauses = operation.operation if isinstance(operation, Composite) else operation
    ranges = value_ranges(accelerator, operation)
    problems: list[Problem] = list(clause_problems(accelerator, clauses, ranges))
    problems += step_problems(accelerator, clauses)
    if isinstance(operation, Composite):
        problems += part_problems(accelerator, operation, ranges)
    else:
        problems += encoding_problems(accelerator, operation)
    if not problems:
        problems += body_problems(accelerator, clauses, ranges, locations)
    for clause, position, text, advice in problems:
        found = clause if ":" in clause else locations.get((clauses.name, clause, position)) or locations.get((clauses.name, "instruction", 0))
        yield UserError(found, f"{clauses.name}: {text}", advice)


def _declarations(accelerator: Accelerator) -> Iterator[tuple[tuple[str, str, int], str]]:
    for buffer in accelerator.buffers.values():
        yield from (((buffer.name, "declaration", 0), f"buffer '{buffer.name}': {problem}") for problem in _buffer(buffer))
    for state in accelerator.states.values():
        yield from (((state.name, "declaration", 0), f"register '{state.name}': {problem}") for problem in _state(state))
    both = accelerator.instructions.keys() & accelerator.composites.keys()
    yield from (((name, "instruction", 0), f"'{name}' is both an instruction and a composite") for name in sorted(both))
    known = accelerator.instructions.keys() | accelerator.composites.keys()
    for position, note in enumerate(accelerator.notes):
        if note.subject.split(".")[0] not in known:
            yield ("", "note", position), f"a note ({note.kind}) is about '{note.subject}', which is no instruction"


def _buffer(buffer: Buffer) -> Iterator[str]:
    if not is_dtype(buffer.element):
        yield f"'{buffer.element}' is no element type; expected pred, s1 to s64, u1 to u64, f16, bf16, f32 or f64"
    elif buffer.hbm and (not is_integer(buffer.element) or width(buffer.element) != 8):
        yield f"a host memory has bytes as elements, found {buffer.element}"
    if not buffer.access:
        yield "there is no access dimension"


def _state(state: State) -> Iterator[str]:
    if not is_dtype(state.element) or not (is_integer(state.element) or state.element == "pred"):
        yield f"expected an integer type such as u14, found '{state.element}'"
        return
    low, high = integer_range(state.element)
    if state.initial is not None and not low <= state.initial <= high:
        yield f"the initial value {state.initial} is not in the range of {state.element}"
