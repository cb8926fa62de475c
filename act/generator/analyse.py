"""An accelerator -> the records by which the compiler selects its instructions (paper sections 4.3 and 5.2).

Every instruction becomes a selector (it computes a tensor), a setter (it only sets registers), or is listed with the reason why it is
neither.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from act.generator.address import NotSelectable, Scope, at_most, attribute_ranges, in_host, main_coordinate, narrowing, on_chip
from act.generator.blocks import with_matrices
from act.generator.choice import with_chosen_registers
from act.generator.derive import derived
from act.generator.extents import RANK
from act.generator.fences import may_follow
from act.generator.fields import field_limits, field_limits_of_parts
from act.generator.model import Clobber, Operand, Rules, Selector, Setter, TableWord, Typed
from act.generator.pattern import Body, renormalised
from act.generator.setters import setters
from act.generator.signals import signals
from act.generator.tiles import largest_tiles
from act.generator.twins import twins
from act.generator.widths import without_odd_widths
from act.hlo.dtypes import stored_bytes
from act.hlo.parse import parse_body
from act.records import replace
from act.taidl import beyond_selection
from act.taidl.expr import conjuncts, lookups, names, substitute
from act.taidl.expr_text import parse_expr, print_expr
from act.taidl.model import Accelerator, Binary, Composite, Expr, Instruction, Int, Name, Slice
from act.taidl.simplify import constant


def analyse(accelerator: Accelerator) -> Rules:
    """The rules of a backend for `accelerator`, instructions in the order of the file."""
    selectors: list[Selector] = []
    registers: list[Setter] = []
    unused: list[tuple[str, str]] = []
    seen = with_matrices(accelerator)
    others = _derived(accelerator, seen, unused)
    stand_ins = {composite.parts[0].instruction for composite, _ in others} | {name for name, _ in unused}
    operations = [(each, (*_conditions(each), *field_limits(seen, each)), ()) for each in accelerator.instructions.values() if each.name not in stand_ins]
    operations += [(each.operation, _all_conditions(accelerator, each), ()) for each in accelerator.composites.values()]
    operations += [(each.operation, _all_conditions(accelerator, each), words) for each, words in others]
    holding = {write.slice.buffer for operation, _, _ in operations for write in operation.writes if not operation.part_only}
    for operation, conditions, words in operations:
        try:
            if (reason := beyond_selection(replace(operation, pops=(), pushes=()))) is not None:
                raise NotSelectable(reason)
            signals(operation)
            if _only_sets(operation):
                registers += setters(seen, operation, conditions)
            else:
                selectors.append(replace(_selector(seen, operation, conditions, holding), words=words))
        except NotSelectable as reason:
            unused.append((operation.name, str(reason)))
    tiles = largest_tiles(selectors, seen)
    used = {each.name for each in selectors}
    made = tuple(each for each, _ in others if each.operation.name in used)
    matrices = tuple(each for each in seen.buffers.values() if each != accelerator.buffers[each.name])
    return Rules((*selectors, *twins(selectors)), tuple(registers), tiles, tuple(dict.fromkeys(unused)), made, matrices)


def _derived(accelerator: Accelerator, seen: Accelerator, unused: list[tuple[str, str]]) -> list[tuple[Composite, tuple[TableWord, ...]]]:
    """What stands for instructions whose forms selection has no words for."""
    found = []
    for instruction in accelerator.instructions.values():
        if instruction.opaque or instruction.part_only:
            continue
        try:
            found += [(each.composite, each.words) for each in derived(accelerator, instruction, seen)]
        except NotSelectable as reason:
            large = any(len(each.indices) > RANK and not accelerator.buffers[each.buffer].hbm for each in instruction.slices)
            if large or instruction.steps or any(lookups(each) for piece in instruction.slices for each in piece.coordinates):
                unused.append((instruction.name, str(reason)))
    return found


def _conditions(operation: Instruction) -> tuple[Expr, ...]:
    return tuple(part for condition in operation.when for part in conjuncts(condition))


def _all_conditions(accelerator: Accelerator, composite: Composite) -> tuple[Expr, ...]:
    """Those of the composite and those of its parts, in which a register is what an earlier part has set it to, or what the composite uses."""
    found = list(_conditions(composite.operation))
    registers: dict[tuple[str, Expr | None], Expr] = {(use.state, use.index): Name(use.name) for use in composite.operation.uses if use.name}
    for part in composite.parts:
        instruction = accelerator.instructions[part.instruction]
        named = {use.name: registers.get((use.state, use.index), Name(f"{use.state} as {part.instruction} needs it")) for use in instruction.uses if use.name}
        values = {**named, **part.arguments}
        found += [substitute(condition, values) for condition in _conditions(instruction)]
        registers |= {(each.state, each.index): substitute(each.value, values) for each in instruction.sets}
    found += field_limits_of_parts(accelerator, composite)
    return tuple(each for each in dict.fromkeys(found) if names(each) or not constant(each))


def _only_sets(operation: Instruction) -> bool:
    return bool(operation.sets) and not (operation.reads or operation.writes or operation.clobbers)


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise NotSelectable(reason)


def _selector(accelerator: Accelerator, operation: Instruction, conditions: tuple[Expr, ...], holding: Collection[str]) -> Selector:
    _require(not operation.opaque, "its semantics are not known")
    _require(not operation.part_only, "it is a part of composites only")
    _require(may_follow(accelerator, operation), f"it must follow another instruction: {' or '.join(operation.after)}")
    _require(len(operation.writes) == 1, f"it writes {len(operation.writes)} tensors")
    _check_registers(accelerator, operation)
    operation, conditions = with_chosen_registers(accelerator, operation, conditions)
    known = {*operation.attributes}
    staged = next((condition for condition in conditions if not names(condition) <= known), None)
    _require(staged is None, f"a condition depends on a register: {print_expr(staged)}" if staged is not None else "")
    slices = [access.slice for access in (*operation.reads, *operation.writes)]
    body = _body(accelerator, operation)
    free = frozenset(operation.alpha) - body.names() - {name for piece in slices for index in piece.indices for name in names(index.extent)}
    scope = _scope(operation, free, conditions)
    extra = [*narrowing(slices, scope), *_within(accelerator, slices, scope)]
    scope = _scope(operation, free, (*conditions, *extra))
    write = operation.writes[0]
    typed, pattern = body.result(write.name, accelerator.buffers[write.slice.buffer].hbm)
    result = _operand(accelerator, write.name, write.slice, typed, scope)
    pattern = renormalised(without_odd_widths(pattern, scope.ranges))
    for piece in slices:
        outside = accelerator.buffers[piece.buffer].hbm or len(piece.indices) <= RANK
        _require(outside, f"a tensor in {piece.buffer} has {len(piece.indices)} dimensions, and no form of it has {RANK}")
    operands = tuple(
        replace(_operand(accelerator, read.name, read.slice, body.typed(read.name), scope, write.slice), consumed=read.slice in operation.clobbers)
        for read in operation.reads
    )
    limits = tuple((name, found.high) for name, found in scope.ranges.items() if found.high is not None)
    return Selector(
        operation.name, operation.alpha, tuple(sorted(free)), operation.beta, (*conditions, *extra), limits, operation.uses, operands, result, pattern,
        _clobbers(accelerator, operation, scope, holding), operation.sets, operation.cost,
    )  # fmt: skip


def _clobbers(accelerator: Accelerator, operation: Instruction, scope: Scope, holding: Collection[str]) -> tuple[Clobber, ...]:
    """Those of memories that hold values between instructions."""
    placed = {name for access in (*operation.reads, *operation.writes) for name in _attributes(access.slice)}
    found = []
    read = [each.slice for each in operation.reads]
    for piece in (each for each in operation.clobbers if each.buffer in holding and each not in read):
        buffer = accelerator.buffers[piece.buffer]
        _require(not buffer.hbm, f"it overwrites some of {buffer.name}")
        same = {each.slice.buffer for each in (*operation.reads, *operation.writes) if placed & _attributes(piece) & scope.beta & _attributes(each.slice)}
        _require(buffer.name not in same, f"where it overwrites {buffer.name} depends on an operand")
        access = on_chip(piece, buffer.access + buffer.unit, scope)
        main = main_coordinate(access)
        reach = [index.extent for index, axis in zip(piece.indices, access.axes, strict=True) if axis == main]
        found.append(Clobber(buffer.name, main, access.starts[main], reach[0] if reach else Int(1)))
    return tuple(found)


def _within(accelerator: Accelerator, slices: Sequence[Slice], scope: Scope) -> list[Expr]:
    """Conditions on alpha that keep an index variable within the coordinate along which it runs alone."""
    found = []
    for piece in slices:
        buffer = accelerator.buffers[piece.buffer]
        for coordinate, size in zip(piece.coordinates, buffer.access + buffer.unit, strict=True):
            for index in piece.indices:
                if index.name in names(coordinate) and not buffer.hbm and names(index.extent) and not at_most(index.extent, size, scope):
                    found.append(Binary("<=", index.extent, Int(size)))
    return list(dict.fromkeys(found))


def _scope(operation: Instruction, free: frozenset[str], conditions: Sequence[Expr]) -> Scope:
    registers = frozenset(use.name for use in operation.uses if use.name)
    return Scope(frozenset(operation.alpha), frozenset(operation.beta), registers, free, attribute_ranges(operation.alpha, conditions))


def _check_registers(accelerator: Accelerator, operation: Instruction) -> None:
    """A register that instructions change on the way (staged) must not decide where a selected instruction reads or writes."""
    staged = {use.name for use in operation.uses if use.name and accelerator.states[use.state].kind == "staged"}
    for access in (*operation.reads, *operation.writes):
        used = {name for coordinate in access.slice.coordinates for name in names(coordinate)}
        _require(not used & staged, f"where it finds {access.slice.buffer} depends on a staged register")
    for use in operation.uses:
        index = [names(expr) <= {*operation.alpha} for expr in (use.index, use.equals) if expr is not None]
        _require(all(index), f"what it needs of '{use.state}' depends on more than its computation")
        staged_value = accelerator.states[use.state].kind == "staged" and use.equals is not None
        _require(not staged_value, f"it requires a value of the staged register '{use.state}'")


def _body(accelerator: Accelerator, operation: Instruction) -> Body:
    computation = parse_body(operation.body, lambda text, _: parse_expr(text), operation.name)
    in_host = frozenset(read.name for read in operation.reads if accelerator.buffers[read.slice.buffer].hbm)
    return Body(computation, {read.name: number for number, read in enumerate(operation.reads)}, in_host)


def _operand(accelerator: Accelerator, name: str, piece: Slice, typed: Typed, scope: Scope, written: Slice | None = None) -> Operand:
    buffer = accelerator.buffers[piece.buffer]
    if buffer.hbm:
        _require(stored_bytes(buffer.element) == 1, f"{buffer.name} does not count bytes")
        access = in_host(piece, buffer.access[0], typed, scope)
        return Operand(name, typed.dtype, typed.dims, access)
    access = on_chip(piece, buffer.access + buffer.unit, scope)
    tied = written is not None and _tied(piece, written, scope)
    return Operand(name, typed.dtype, typed.dims, access, tied)


def _tied(read: Slice, written: Slice, scope: Scope) -> bool:
    """Whether a slice is read where the result goes; partly the same place is not usable."""
    shared = scope.beta & _attributes(read) & _attributes(written) if read.buffer == written.buffer else frozenset()
    _require(not shared or read == written, f"it reads and writes {read.buffer} at places that depend on each other")
    return read == written


def _attributes(piece: Slice) -> frozenset[str]:
    return frozenset(name for coordinate in piece.coordinates for name in names(coordinate))
