"""An accelerator -> its published Python form, and a list of what that form cannot say.

Before --> after:  `instruction load(n | a) ... read %x = d0[a + i : i < 128 * n]` -->
`instr = isa.add_instruction("load", ["n"], ["a"])`, `instr.set_inputs([["d0", ["@a.a"], ["128 * @c.n"]]])`, ...
"""

from __future__ import annotations

from collections.abc import Iterator

from act.hlo.print import print_body
from act.records import dataclass
from act.taidl.beyond import beyond_selection
from act.taidl.body import body_of
from act.taidl.builder import HBM
from act.taidl.expr import names, substitute
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Expr, Instruction, Int, Name, Slice
from act.taidl.simplify import constant, from_polynomial, polynomial, simplify

Omitted = tuple[str, str]
"""What is left out, and why."""


@dataclass(frozen=True, slots=True)
class PythonForm:
    """`text` is a script that builds what can be said; `omitted` are the things that it cannot."""

    text: str
    omitted: tuple[Omitted, ...]


class NotSayable(Exception):
    """Why an instruction has no published form."""


def to_python(accelerator: Accelerator) -> PythonForm:
    """The script ends with the accelerator in a variable `isa`; running it gives the model of what is not omitted."""
    omitted = list(_declarations(accelerator))
    lines = ["from act.taidl import Accelerator", "", f"isa = Accelerator({accelerator.name!r})", ""]
    buffers = [each for each in accelerator.buffers.values() if not each.hbm]
    lines += [f"isa.add_data_model({each.name!r}, {list(each.access)}, {list(each.unit)}, {each.element!r})" for each in buffers]
    lines += [f"isa.add_state({s.name!r}, {s.element!r}, {s.initial})" for s in accelerator.states.values() if s.kind == "config" and s.count is None]
    for instruction in accelerator.instructions.values():
        try:
            lines += ["", *_instruction(accelerator, instruction)]
            omitted += _clauses(instruction)
        except NotSayable as reason:
            omitted.append((instruction.name, str(reason)))
    return PythonForm("\n".join(lines) + "\n", tuple(omitted))


def _declarations(accelerator: Accelerator) -> Iterator[Omitted]:
    hosts = [buffer.name for buffer in accelerator.buffers.values() if buffer.hbm]
    yield from ((name, f"the host memory is called {HBM} there") for name in hosts[:1] if name != HBM)
    yield from ((name, "there is one host memory only") for name in hosts[1:])
    yield from ((word.name, "there are no encodings") for word in accelerator.words)
    for state in accelerator.states.values():
        if state.kind == "staged" or state.count is not None:
            yield state.name, "registers are single and part of the computation there"
    yield from ((name, "there are no composites") for name in accelerator.composites)
    yield from ((name, "there are no tokens and units") for name in (*accelerator.tokens, *accelerator.units))
    yield from ((note.subject, f"there is no '{note.kind}'") for note in accelerator.notes)


def _clauses(instruction: Instruction) -> Iterator[Omitted]:
    for clause, given in (("encode", instruction.encode), ("after", instruction.after), ("source", instruction.source), ("on", instruction.unit)):
        if given:
            yield f"{instruction.name}.{clause}", "has no published form"


def _instruction(accelerator: Accelerator, instruction: Instruction) -> list[str]:
    beyond = beyond_selection(instruction)
    if beyond:
        raise NotSayable(beyond)
    for clause in ("opaque", "part_only", "clobbers"):
        if getattr(instruction, clause):
            raise NotSayable(f"it has '{clause.removesuffix('s').replace('_only', '')}'")
    if not instruction.body:
        raise NotSayable("it computes nothing")
    if [write.name for write in instruction.writes] != [body_of(instruction, instruction.name).root]:
        raise NotSayable("it has several outputs")
    sigils = _sigils(accelerator, instruction)
    inputs = [_operand(accelerator, read.slice, sigils) for read in instruction.reads]
    outputs = [_operand(accelerator, write.slice, sigils) for write in instruction.writes]
    arguments = [f"{instruction.name!r}, {list(instruction.alpha)}, {list(instruction.beta)}"]
    arguments += [f"cost={_text(instruction.cost, sigils)!r}"] if instruction.cost else []
    arguments += [f"update={[_update(accelerator, instruction, sigils, number) for number in range(len(instruction.sets))]}"] if instruction.sets else []
    return [
        f"instr = isa.add_instruction({', '.join(arguments)})",
        f"instr.set_inputs({inputs})",
        f"instr.set_outputs({outputs})",
        *([f"instr.add_constraints({[_text(condition, sigils) for condition in instruction.when]})"] if instruction.when else []),
        f'instr.add_semantics("""\n{_semantics(instruction, sigils)}\n""")',
    ]


def _sigils(accelerator: Accelerator, instruction: Instruction) -> dict[str, Expr]:
    found: dict[str, Expr] = {name: Name(f"@c.{name}") for name in instruction.alpha}
    found |= {name: Name(f"@a.{name}") for name in instruction.beta}
    for use in instruction.uses:
        state = accelerator.states[use.state]
        if use.name is None or use.index is not None or state.kind == "staged":
            raise NotSayable(f"how it uses register '{use.state}' has no published form")
        found[use.name] = Name(f"@s.{use.state}")
    return found


def _text(expr: Expr, sigils: dict[str, Expr]) -> str:
    return print_expr(substitute(expr, sigils))


def _update(accelerator: Accelerator, instruction: Instruction, sigils: dict[str, Expr], number: int) -> str:
    item = instruction.sets[number]
    state = accelerator.states[item.state]
    if item.index is not None or state.kind == "staged":
        raise NotSayable(f"how it sets register '{item.state}' has no published form")
    return f"@s.{item.state} = {_text(item.value, sigils)}"


def _operand(accelerator: Accelerator, piece: Slice, sigils: dict[str, Expr]) -> list[object]:
    """[buffer, starts, lengths] of a box that takes all of the unit dimensions."""
    buffer, indices = accelerator.buffers[piece.buffer], list(piece.indices)
    sizes = buffer.access + buffer.unit
    if len(indices) != len(sizes):
        raise NotSayable(f"its slice of {buffer.name} is no box")
    starts = [_start(coordinate, index.name, buffer.name) for coordinate, index in zip(piece.coordinates, indices, strict=True)]
    for start, index, size in zip(starts[len(buffer.access) :], indices[len(buffer.access) :], buffer.unit, strict=True):
        if constant(start) != 0 or constant(index.extent) != size:
            raise NotSayable(f"it takes a part of the rows of {buffer.name}")
    rank = len(buffer.access)
    name = HBM if buffer.hbm else buffer.name
    return [name, [_text(start, sigils) for start in starts[:rank]], [_text(simplify(index.extent), sigils) for index in indices[:rank]]]


def _start(coordinate: Expr, index: str, buffer: str) -> Expr:
    terms = polynomial(coordinate)
    if terms.pop((Name(index),), 0) != 1 or any(index in names(factor) for factors in terms for factor in factors):
        raise NotSayable(f"its slice of {buffer} is no box")
    return from_polynomial(terms) if terms else Int(0)


def _semantics(instruction: Instruction, sigils: dict[str, Expr]) -> str:
    body = body_of(instruction, instruction.name)
    lines = print_body(body, lambda expr: _text(expr, sigils)).splitlines()
    return "\n".join([f"ENTRY {instruction.name} {{", *(f"    {line};" for line in lines), "}"])
