"""The clauses of an operation -> unknown or misused names, buffers and registers, and slices that do not fit their buffers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from act.hlo.dtypes import is_float
from act.taidl.bounds import Range, always, bounds, never
from act.taidl.expr import lookups, names
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Binary, Expr, Instruction, Int, Set, Slice, Use
from act.taidl.ranges import with_indices

Problem = tuple[str, int, str, str | None]
"""(clause, its position among those of its kind, what is wrong, what to do)."""


def clause_problems(accelerator: Accelerator, operation: Instruction, ranges: dict[str, Range]) -> Iterator[Problem]:
    yield from _uses(accelerator, operation)
    scope = set(operation.attributes) | {use.name for use in operation.uses if use.name}
    for position, condition in enumerate(operation.when):
        yield from _scope("when", position, [condition], scope)
    yield from _scope("cost", 0, [operation.cost] if operation.cost else [], scope)
    for position, item in enumerate(operation.sets):
        yield from _scope("set", position, [item.value, *([] if item.index is None else [item.index])], scope)
        yield from ((("set", position, text, None)) for text in _register(accelerator, item))
    for clause, position, piece in slices(operation):
        yield from ((clause, position, text, advice) for text, advice in _slice(accelerator, operation, piece, scope, ranges))
    yield from _shape_of_operation(operation)
    yield from _order(accelerator, operation, scope)
    yield from _misplaced_lookups(operation)
    if any(found.empty for found in ranges.values()) or any(never(condition, ranges) for condition in operation.when):
        yield "when", 0, "no attribute values satisfy 'when' and fit the fields", "correct 'when' or the encoding"


def _order(accelerator: Accelerator, operation: Instruction, scope: set[str]) -> Iterator[Problem]:
    for clause in ("after", "before", "exclusive"):
        for name in getattr(operation, clause):
            if name not in accelerator.instructions:
                yield clause, 0, f"'{name}' is no instruction", None
    for clause, uses in (("pop", operation.pops), ("push", operation.pushes)):
        for position, use in enumerate(uses):
            if use.token not in accelerator.tokens:
                yield clause, position, f"'{use.token}' is no token (known: {', '.join(accelerator.tokens) or 'none'})", "declare it: token NAME"
            yield from _scope(clause, position, [use.condition] if use.condition else [], scope)
    if operation.unit is not None and operation.unit not in accelerator.units:
        yield "on", 0, f"'{operation.unit}' is no unit (known: {', '.join(accelerator.units) or 'none'})", "declare it: unit NAME"


def _misplaced_lookups(operation: Instruction) -> Iterator[Problem]:
    """Contents of buffers decide where a slice is, and nothing else."""
    exprs = [("encode", position, field.value) for position, field in enumerate(operation.encode)]
    exprs += [("when", position, condition) for position, condition in enumerate(operation.when)]
    exprs += [("set", position, item.value) for position, item in enumerate(operation.sets)]
    exprs += [("use", position, expr) for position, use in enumerate(operation.uses) for expr in (use.index, use.equals) if expr is not None]
    exprs += [(clause, position, index.extent) for clause, position, piece in slices(operation) for index in piece.indices]
    for clause, position, expr in exprs:
        if lookups(expr):
            yield clause, position, f"{print_expr(expr)} looks into a buffer, which only the coordinates of slices can", None


def slices(operation: Instruction) -> Iterator[tuple[str, int, Slice]]:
    """Each slice with its clause and position."""
    yield from (("read", position, read.slice) for position, read in enumerate(operation.reads))
    yield from (("write", position, write.slice) for position, write in enumerate(operation.writes))
    yield from (("clobber", position, piece) for position, piece in enumerate(operation.clobbers))


def _scope(clause: str, position: int, exprs: Iterable[Expr], scope: set[str]) -> Iterator[Problem]:
    for name in sorted(frozenset().union(*map(names, exprs)) - scope):
        yield clause, position, f"'{name}' is no attribute and no register named by 'use'", f"known here: {', '.join(sorted(scope)) or 'none'}"


def _uses(accelerator: Accelerator, operation: Instruction) -> Iterator[Problem]:
    scope = set(operation.attributes)
    for position, use in enumerate(operation.uses):
        yield from _scope("use", position, [expr for expr in (use.index, use.equals) if expr is not None], scope)
        yield from ((("use", position, text, None)) for text in _register(accelerator, use))
        if use.name in scope:
            yield "use", position, f"'{use.name}' has a meaning already", "choose another name"
        if use.name:
            scope.add(use.name)


def _register(accelerator: Accelerator, item: Use | Set) -> Iterator[str]:
    state = accelerator.states.get(item.state)
    if state is None:
        yield f"'{item.state}' is no register (known: {', '.join(accelerator.states) or 'none'})"
    elif (state.count is None) != (item.index is None):
        yield f"register '{item.state}' {'is single' if state.count is None else f'has {state.count} instances: write {item.state}[index]'}"
    elif isinstance(item.index, Int) and state.count is not None and not 0 <= item.index.value < state.count:
        yield f"there is no {item.state}[{item.index.value}], only 0 to {state.count - 1}"


def _slice(accelerator: Accelerator, operation: Instruction, piece: Slice, scope: set[str], ranges: dict[str, Range]) -> Iterator[tuple[str, str | None]]:
    buffer = accelerator.buffers.get(piece.buffer)
    if buffer is None:
        yield f"'{piece.buffer}' is no buffer (known: {', '.join(accelerator.buffers) or 'none'})", None
        return
    sizes = buffer.access + buffer.unit
    if len(piece.coordinates) != len(sizes):
        yield f"'{piece.buffer}' has {len(sizes)} dimensions, found {len(piece.coordinates)} coordinates", "give one coordinate for each"
        return
    indices = [index.name for index in piece.indices]
    unknown = frozenset().union(*map(names, piece.coordinates)) - scope - set(indices)
    unknown |= frozenset().union(*(names(index.extent) for index in piece.indices)) - scope
    yield from _lookups(accelerator, piece)
    yield from ((f"'{name}' is no attribute, register or index variable", "declare it after the colon: NAME < EXTENT") for name in sorted(unknown))
    for name in indices:
        if name in scope or indices.count(name) > 1:
            yield f"index variable '{name}' has a meaning already", "choose another name"
    if not unknown:
        yield from _within(accelerator, operation, piece, sizes, with_indices(ranges, piece.indices))


def _lookups(accelerator: Accelerator, piece: Slice) -> Iterator[tuple[str, str | None]]:
    for lookup in frozenset().union(*map(lookups, piece.coordinates)):
        buffer = accelerator.buffers.get(lookup.buffer)
        if buffer is None:
            yield f"'{lookup.buffer}' is no buffer (known: {', '.join(accelerator.buffers)})", None
        elif is_float(buffer.element) or len(lookup.indices) != len(buffer.access + buffer.unit):
            yield f"{print_expr(lookup)} is no integer of a buffer with {len(buffer.access + buffer.unit)} dimensions", "give one index for each"


def _within(
    accelerator: Accelerator, operation: Instruction, piece: Slice, sizes: tuple[int, ...], ranges: dict[str, Range]
) -> Iterator[tuple[str, str | None]]:
    """Coordinates that depend on no address must stay within the buffer; the others must be able to."""
    addresses = set(operation.beta) | address_registers(accelerator, operation)
    for coordinate, size in zip(piece.coordinates, sizes, strict=True):
        inside = Binary("and", Binary("<=", Int(0), coordinate), Binary("<", coordinate, Int(size)))
        bad = never(inside, ranges) if names(coordinate) & addresses or lookups(coordinate) else not always(inside, ranges)
        if bad:
            found = bounds(coordinate, ranges)
            reach = f"{'-inf' if found.low is None else found.low} to {'inf' if found.high is None else found.high}"
            yield f"coordinate {print_expr(coordinate)} reaches from {reach}, beyond 0 to {size - 1}", "limit it by 'when'"


def address_registers(accelerator: Accelerator, operation: Instruction) -> set[str]:
    """The names of `staged` registers: addresses, as beta attributes are."""
    staged = {name for name, state in accelerator.states.items() if state.kind == "staged"}
    return {use.name for use in operation.uses if use.name and use.state in staged}


def _shape_of_operation(operation: Instruction) -> Iterator[Problem]:
    reads = [read.name for read in operation.reads]
    for position, name in enumerate(reads):
        if name in reads[:position]:
            yield "read", position, f"'%{name}' is read twice", "give each operand a name of its own"
    if operation.opaque and operation.body:
        yield "opaque", 0, "an opaque instruction has no body", "remove the body or 'opaque'"
    if operation.steps and (operation.body or operation.reads or operation.writes or operation.clobbers or operation.opaque):
        yield "do", 0, "a macro has no semantics but those of its steps", "remove 'do', or read, write, clobber, body and opaque"
    if not operation.opaque and operation.writes and not operation.body:
        yield "write", 0, "something is written, but there is no body that computes it", "add a body, or 'opaque'"
    if operation.body and not operation.writes:
        yield "body", 0, "the body's value is not written anywhere", "add 'write BUFFER[...] = %NAME'"
