"""`Accelerator` -> canonical `.taidl` text: `parse(print_text(a)) == a`, and `print_text(parse(t)) == t` for every printed `t`.

Order: words, buffers, registers, tokens and units, instructions, composites, notes; columns aligned within a group; comments are not kept, except the header.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from act.taidl.clauses import normal_body
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Buffer, Composite, Expr, Field, Index, Instruction, Slice, State, Token, TokenUse, Use, Write
from act.taidl.steps import print_part, print_steps


def print_text(accelerator: Accelerator) -> str:
    """The file, with a final newline."""
    sections = [
        _words(accelerator),
        _buffers(accelerator.buffers.values()),
        _states(accelerator.states.values()),
        [f"token {token.name}{_limit(token)}{f' = {token.initial}' if token.initial else ''}" for token in accelerator.tokens.values()],
        [f"unit {', '.join(accelerator.units)}"] if accelerator.units else [],
        *(_instruction(accelerator, instruction) for instruction in accelerator.instructions.values()),
        *(_composite(accelerator, composite) for composite in accelerator.composites.values()),
        [f"{note.kind}  {note.subject} : {note.text}" for note in accelerator.notes],
    ]
    head = ["taidl 1", *(f"# {line}".rstrip() for line in accelerator.header.splitlines()), f"accelerator {accelerator.name}"]
    return "\n\n".join("\n".join(section) for section in [head, *sections] if section) + "\n"


def _words(accelerator: Accelerator) -> list[str]:
    words = ", ".join(f"{word.name} : {word.width}" for word in accelerator.words)
    return [f"command {words}"] if words else []


def _size(size: int) -> str:
    large = size >= 1 << 20 and size & (size - 1) == 0
    return f"1 << {size.bit_length() - 1}" if large else str(size)


def _sizes(sizes: tuple[int, ...]) -> str:
    return f"[{', '.join(map(_size, sizes))}]" if sizes else ""


def _aligned(rows: list[tuple[str, str]]) -> list[str]:
    width = max((len(left) for left, _ in rows), default=0)
    return [f"{left:{width}} : {right}" for left, right in rows]


def _buffers(buffers: Iterable[Buffer]) -> list[str]:
    return _aligned([(f"{'hbm' if b.hbm else 'buffer':6} {b.name}", f"{b.element}{_sizes(b.access)}{_sizes(b.unit)}") for b in buffers])


def _states(states: Iterable[State]) -> list[str]:
    return _aligned([(f"{s.kind} {s.name}{'' if s.count is None else f'[{s.count}]'}", _state_type(s)) for s in states])


def _state_type(state: State) -> str:
    return state.element if state.initial is None else f"{state.element} = {state.initial}"


def _instruction(accelerator: Accelerator, instruction: Instruction) -> list[str]:
    return [f"instruction {_signature(instruction)}", *_clauses(accelerator, instruction)]


def _composite(accelerator: Accelerator, composite: Composite) -> list[str]:
    parts = [f"    {print_part(part)} ;" for part in composite.parts]
    parts[-1] = parts[-1].removesuffix(" ;")
    return [f"composite {_signature(composite.operation)} =", *parts, *_clauses(accelerator, composite.operation)]


def _signature(instruction: Instruction) -> str:
    alpha, beta = ", ".join(instruction.alpha), ", ".join(instruction.beta)
    bar = f" | {beta}" if alpha and beta else f"| {beta}" if beta else ""
    return f"{instruction.name}({alpha}{bar})"


def _clauses(accelerator: Accelerator, instruction: Instruction) -> Iterator[str]:
    for keyword, text in _clause_texts(accelerator, instruction):
        yield f"  {keyword:7} {text}".rstrip()
    if instruction.steps:
        yield from ["  do {", *print_steps(instruction.steps, "    "), "  }"]
    if instruction.body:
        body = normal_body(instruction.body).splitlines()
        yield from ["  body {", *(f"    {line}".rstrip() for line in body), "  }"]


def _clause_texts(accelerator: Accelerator, instruction: Instruction) -> Iterator[tuple[str, str]]:
    if instruction.part_only:
        yield "part", ""
    if instruction.unit:
        yield "on", instruction.unit
    yield from (("source", text) for text in instruction.source)
    if instruction.encode:
        yield "encode", "; ".join(_field(accelerator, field) for field in instruction.encode)
    yield from (("when", print_expr(condition)) for condition in instruction.when)
    yield from (("use", _use(use)) for use in instruction.uses)
    yield from (("read", f"%{read.name} = {_slice(accelerator, read.slice)}") for read in instruction.reads)
    yield from (("write", _write(accelerator, write)) for write in instruction.writes)
    yield from (("clobber", _slice(accelerator, clobber)) for clobber in instruction.clobbers)
    yield from (("set", f"{_register(item.state, item.index)} = {print_expr(item.value)}") for item in instruction.sets)
    yield from (("pop", _token(use)) for use in instruction.pops)
    yield from (("push", _token(use)) for use in instruction.pushes)
    for clause in ("after", "before", "exclusive"):
        if getattr(instruction, clause):
            yield clause, ", ".join(getattr(instruction, clause))
    if instruction.cost is not None:
        yield "cost", print_expr(instruction.cost)
    if instruction.opaque:
        yield "opaque", ""


def _field(accelerator: Accelerator, field: Field) -> str:
    widths = {word.name: word.width for word in accelerator.words}
    whole = field.low == 0 and field.high + 1 == widths.get(field.word)
    return f"{field.word}{'' if whole else f'[{field.high}:{field.low}]'} = {print_expr(field.value)}"


def _register(state: str, index: Expr | None) -> str:
    return state if index is None else f"{state}[{print_expr(index)}]"


def _use(use: Use) -> str:
    register = _register(use.state, use.index)
    return f"{register} as {use.name}" if use.equals is None else f"{register} == {print_expr(use.equals)}"


def _write(accelerator: Accelerator, write: Write) -> str:
    return f"{_slice(accelerator, write.slice)} = %{write.name}{f' if %{write.mask}' if write.mask else ''}"


def _limit(token: Token) -> str:
    return "" if token.limit is None else f" < {token.limit}"


def _token(use: TokenUse) -> str:
    return use.token if use.condition is None else f"{use.token} if {print_expr(use.condition)}"


def _slice(accelerator: Accelerator, piece: Slice) -> str:
    buffer = accelerator.buffers.get(piece.buffer)
    coordinates = [print_expr(coordinate) for coordinate in piece.coordinates]
    split = len(buffer.access) if buffer else len(coordinates)
    indices = f" : {', '.join(map(_index, piece.indices))}" if piece.indices else ""
    groups = [", ".join(group) for group in (coordinates[:split], coordinates[split:]) if group]
    return f"{piece.buffer}[{']['.join(groups)}{indices}]"


def _index(index: Index) -> str:
    return f"{index.name} < {print_expr(index.extent)}"
