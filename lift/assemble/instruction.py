"""One mode of an instruction -> an instruction of the specification."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from act.taidl import Binary, Expr, Instruction, Int, Index, Name, Set, Slice, Use, Write, names, print_expr
from lift.assemble.family import NoTemplate, NothingWritten, Template, array_template, word_template
from lift.assemble.integers import indices_of, polynomial, to_expr, to_term
from lift.assemble.layout import Layout
from lift.assemble.leaves import Leaves, Part, conjunction_parts, field_part
from lift.assemble.modes import Case
from lift.assemble.ranges import Ranges, ranges
from lift.assemble.read_ir import Reading
from lift.assemble.rewriting import plain
from lift.assemble.values import Body, axis_sizes, over_axes, place
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import Term

AXIS_NAMES = ("i", "j", "l", "m", "n")


@dataclass(frozen=True, slots=True)
class Draft:
    """What all modes of one instruction share."""

    lift: Lift
    layout: Layout
    mode: Mode
    case: Case
    fixed: dict[Part, int]
    field_names: Mapping[Part, str]
    memo: dict[str, Template] = field(default_factory=dict)


def data_templates(draft: Draft) -> dict[str, Template]:
    """The template of every buffer that the case writes."""
    if not draft.memo:
        for target, reading in draft.case.readings.items():
            if target in draft.layout.storage and reading.effects:
                with suppress(NothingWritten):
                    draft.memo[target] = template(draft.lift, draft.layout, target, reading)
    return draft.memo


def template(lift: Lift, layout: Layout, target: str, reading: Reading) -> Template:
    effects = list(reading.effects)
    if target in lift.arrays:
        return array_template(effects, lift.arrays[target].shape)
    storage = layout.storage[target]
    return word_template(effects, storage.bits, effects[0].data.width)


def leaves_for(draft: Draft) -> Leaves:
    words = {w.name: w.width for w in draft.layout.words}
    return Leaves(words, draft.layout.registers, {**draft.field_names, **_names_of_sets(draft, words)})


def _names_of_sets(draft: Draft, words: Mapping[str, int]) -> dict[Part, str]:
    """A field that a register is set to has the register's name."""
    found: dict[Part, str] = {}
    for target, reading in draft.case.readings.items():
        if target in draft.layout.registers.names:
            values = [reading.result] if reading.result is not None else [e.data for e in reading.effects]
            found |= {part: target.rsplit(".", 1)[-1] for v in values if (part := field_part(v, words)) is not None}
    return found


def instruction(draft: Draft, name: str) -> Instruction | None:
    """The specification of one case, None when it changes nothing; NoTemplate when it cannot be said."""
    leaves = leaves_for(draft)
    return assembled(draft, leaves, data_templates(draft), name)


def assembled(draft: Draft, leaves: Leaves, templates: dict[str, Template], name: str) -> Instruction | None:
    """An instruction from the templates of the buffers it writes and the registers it sets."""
    pieces = [_written(draft, leaves, target, each) for target, each in templates.items()]
    sets = _sets(draft, leaves)
    if not pieces and not sets:
        return None
    if len(pieces) > 1 and any(p.body.reads for p in pieces[1:]):
        pieces.sort(key=lambda p: not p.body.reads)
    when, uses = _conditions(draft, leaves, pieces)
    fixed = {p: v for p, v in draft.fixed.items() if p not in leaves.fields}
    encode = leaves.encoding({**fixed, **_choice_bits(draft, leaves.words)})
    writes, reads, text = _joined(pieces)
    beta = _addresses(writes, reads)
    alpha = tuple(n for n in leaves.fields.values() if n not in beta)
    cost = _cost(draft, pieces)
    source = tuple(dict.fromkeys(f.location for f in draft.mode.functions.values() if f.location))
    order = {n: position for position, n in enumerate(f.value.name for f in encode if isinstance(f.value, Name))}
    return Instruction(
        name, tuple(sorted(alpha, key=order.__getitem__)), tuple(n for n in sorted(leaves.fields.values(), key=order.__getitem__) if n in beta), encode, when,
        (*leaves.use_clauses(), *uses), reads, writes, (), tuple(sets), (), cost, text, source=source,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Piece:
    """One written buffer: its slice, body and ranges."""

    write: Slice
    root: str
    body: Body
    ranges: Ranges
    template: Template


def _written(draft: Draft, leaves: Leaves, target: str, each: Template) -> Piece:
    storage = draft.layout.storage[target]
    found = ranges(each, list(_known(draft)))
    order = tuple(a.symbol for a in found.axes)
    for axis, name in zip(order, AXIS_NAMES, strict=False):
        leaves.axes[axis] = name
    want = {a.symbol: to_expr(over_axes(a.extent, found.indices), leaves.expr) for a in found.axes}
    body = Body(leaves, draft.layout.storage, found.indices, order, axis_sizes(found.axes))
    value = body.render(each.value, want)
    value = body.broadcast(body.convert(value, storage.element), order, want)
    if not value.name.startswith("%v"):
        value = body.emit(value.dtype, value.axes, value.extents, f"copy({value.name})")
    address = over_axes(polynomial(each.address), found.indices)
    if target in draft.lift.arrays:
        coordinates = tuple(to_expr(over_axes(polynomial(u), found.indices), leaves.expr) for u in each.unit)
        where = (storage.buffer, (storage.plane or Int(0), *coordinates))
    else:
        unit = over_axes(polynomial(each.unit[0]), found.indices) if each.unit else {}
        where = place(storage, address, unit, leaves)
    indices = tuple(Index(leaves.axes[a], want[a]) for a in order)
    return Piece(Slice(where[0], where[1], indices), value.name, body, found, each)


def _known(draft: Draft) -> list[Term]:
    facts = [plain(p) if h else terms.negate(plain(p)) for p, h in (*draft.mode.facts, *draft.case.choice)]
    return [*facts, *draft.mode.domain]


def _joined(pieces: list[Piece]) -> tuple[tuple[Write, ...], tuple, str]:
    """One body for all written buffers; the names of later pieces get a prefix."""
    writes, reads, parameters, lines = [], [], [], []
    for number, piece in enumerate(pieces):
        rename = {} if number == 0 else _renaming(piece, number, len(reads))
        writes.append(Write(piece.write, _renamed(piece.root, rename).lstrip("%")))
        for read in piece.body.reads:
            reads.append(type(read)(_renamed("%" + read.name, rename).lstrip("%"), read.slice))
        parameters += [_renumbered(_renamed(line, rename), n) for n, line in enumerate(piece.body.parameters, len(parameters))]
        lines += [_renamed(line, rename) for line in piece.body.lines]
    if lines:
        lines[-1] = "ROOT " + lines[-1]
    return tuple(writes), tuple(reads), "\n".join([*parameters, *lines])


def _renaming(piece: Piece, number: int, start: int) -> dict[str, str]:
    found = {n for line in (*piece.body.parameters, *piece.body.lines) for n in re.findall(r"%\w+", line)}
    return {n: f"{n}_{number}" for n in found} | {f"%{r.name}": f"%x{start + k}" for k, r in enumerate(piece.body.reads)}


def _renamed(line: str, rename: dict[str, str]) -> str:
    return re.sub(r"%\w+", lambda m: rename.get(m.group(), m.group()), line) if rename else line


def _renumbered(line: str, number: int) -> str:
    return re.sub(r"parameter\(\d+\)", f"parameter({number})", line)


def _sets(draft: Draft, leaves: Leaves) -> list[Set]:
    """Registers that the case changes."""
    result: list[Set] = []
    for target, reading in draft.case.readings.items():
        if target in draft.layout.storage:
            continue
        state, count = draft.layout.registers.names[target]
        if reading.result is not None:
            if reading.result is not terms.sym(target, reading.result.width):
                result.append(Set(state, None, to_expr(polynomial(reading.result), leaves.expr)))
            continue
        for effect in reading.effects:
            value = to_expr(polynomial(effect.data), leaves.expr)
            if effect.data is not terms.load(target, effect.data.width, effect.address):
                result.append(Set(state, Int(int(effect.address.attr or 0)), value))
    return result


def _choice_bits(draft: Draft, words: Mapping[str, int]) -> dict[Part, int]:
    decided, _ = conjunction_parts((*draft.mode.facts, *draft.case.choice), words)
    return {p: v for p, v in decided.items() if p not in draft.fixed}


def _conditions(draft: Draft, leaves: Leaves, pieces: list[Piece]) -> tuple[tuple[Expr, ...], tuple[Use, ...]]:
    """What must hold for the case to apply and for its ranges to be what they are."""
    when: list[Expr] = []
    uses: list[Use] = []
    for condition in draft.mode.domain:
        when += _limits(condition, leaves, pieces)
    for piece in pieces:
        for axis in piece.ranges.axes:
            extent = to_expr(over_axes(axis.extent, piece.ranges.indices), leaves.expr)
            if axis.size is not None and not isinstance(extent, Int):
                when.append(Binary("<=", extent, Int(axis.size)))
        when += [_truth(c, True, leaves) for c in piece.ranges.conditions]
        when += [Binary("<=", e, Int(size)) for e, size in _padded(piece)]
    fixed, rest = conjunction_parts((*draft.mode.facts, *draft.case.choice), leaves.words)
    for atom, holds in rest:
        clause = _register_clause(atom, holds, draft) or _word_clause(atom, holds, leaves, {**draft.fixed, **fixed})
        if isinstance(clause, Use):
            uses.append(clause)
        elif clause is None:
            when.append(_truth(atom, holds, leaves))
        elif clause != Int(1):
            when.append(clause)
    return tuple(dict.fromkeys(when)), tuple(uses)


def _padded(piece: Piece) -> list[tuple[Expr, int]]:
    """Operands that are padded must fit what they are padded to."""
    result = []
    sizes = {**piece.body.sizes}
    names_of = {v: k for k, v in piece.body.leaves.axes.items()}
    for read in piece.body.reads:
        for index in read.slice.indices:
            axis = names_of.get(index.name)
            if axis in sizes and not isinstance(index.extent, Int):
                result.append((index.extent, sizes[axis]))
    return result


def _limits(condition: Term, leaves: Leaves, pieces: list[Piece]) -> list[Expr]:
    """1 <= count <= limit of a loop, in terms of the range that the loop became part of."""
    if condition.op != "and":
        return [_truth(condition, True, leaves)]
    least, most = condition.args
    count, limit = most.args[0], int(most.args[1].attr or 0)
    for piece in pieces:
        for axis in piece.ranges.axes:
            size = _blocks(count, axis.extent)
            if size:
                extent = to_expr(axis.extent, leaves.expr)
                return [Binary("<=", Int(1), extent), Binary("<=", extent, Int(limit * size))]
    extent = to_expr(polynomial(count), leaves.expr)
    return [Binary("<=", Int(1), extent), Binary("<=", extent, Int(limit))]


def _blocks(count: Term, extent: dict) -> int:
    """The block size for which `count` is the number of blocks of `extent`, 0 if there is none."""
    wanted = to_term(extent, count.width)
    for size in (1, 2, 4, 8, 16, 32, 64, 128):
        rounded = terms.apply("add", count.width, (wanted, terms.const(size - 1, count.width)))
        blocks = terms.apply("lshr", count.width, (rounded, terms.const(size.bit_length() - 1, count.width)))
        positive = terms.negate(terms.equal(wanted, terms.const(0, count.width)))
        if implied([positive], terms.equal(count, blocks)) is Verdict.PROVED:
            return size
    return 0


def _register_clause(atom: Term, holds: bool, draft: Draft) -> Use | None:
    """A register, or member of an array, that must equal a constant."""
    value, subject = (int(holds), atom) if atom.width == 1 and atom.op in ("sym", "load") else (None, atom)
    if atom.op == "eq" and holds and atom.args[1].is_const:
        value, subject = int(atom.args[1].attr or 0), atom.args[0]
    names_ = draft.layout.registers.names
    if value is None or subject.op not in ("sym", "load") or subject.attr not in names_:
        return None
    index = Int(int(subject.args[0].attr or 0)) if subject.op == "load" else None
    return Use(names_[str(subject.attr)][0], index, equals=Int(value))


def _word_clause(atom: Term, holds: bool, leaves: Leaves, fixed: dict[Part, int]) -> Expr | None:
    """slice == constant or != constant, for a slice of a word whose fields are named already: unnamed bits are zero."""
    words = leaves.words
    if atom.op != "eq" or not atom.args[1].is_const or (part := field_part(atom.args[0], words)) is None:
        return None
    constant, total, covered = int(atom.args[1].attr or 0), Int(0), 0
    pieces = {**{p: Int(v) for p, v in fixed.items()}, **{p: Name(n) for p, n in leaves.fields.items()}}
    for (word, low, width), value in sorted(pieces.items(), key=lambda e: e[0]):
        if word == part[0] and low >= part[1] and low + width <= part[1] + part[2]:
            shift = low - part[1]
            covered |= ((1 << width) - 1) << shift
            total = value if total == Int(0) and not shift else Binary("+", total, Binary("*", value, Int(1 << shift)))
        elif word == part[0] and low < part[1] + part[2] and part[1] < low + width:
            return None
    if constant & ~covered:
        return Int(1) if not holds else Int(0)
    if isinstance(total, Int):
        return Int(int((total.value == constant) == holds))
    return Binary("==" if holds else "!=", total, Int(constant))


def _truth(condition: Term, holds: bool, leaves: Leaves) -> Expr:
    """A 1-bit term as an expression."""
    match condition.op:
        case "not":
            return _truth(condition.args[0], not holds, leaves)
        case "eq":
            a, b = (to_expr(polynomial(x), leaves.expr) for x in condition.args)
            return Binary("==" if holds else "!=", a, b)
        case "ult" | "ule":
            a, b = (to_expr(polynomial(x), leaves.expr) for x in condition.args)
            op = {"ult": "<", "ule": "<="}[condition.op] if holds else {"ult": ">=", "ule": ">"}[condition.op]
            return Binary(op, a, b)  # type: ignore[arg-type]
        case _ if condition.width == 1:
            return Binary("==", leaves.expr(condition), Int(int(holds)))
    raise NoTemplate(f"no expression for a condition with the operator {condition.op}")


def _addresses(writes: tuple[Write, ...], reads: tuple) -> set[str]:
    """Attributes that only say where: they occur in coordinates and in no extent."""
    slices = [w.slice for w in writes] + [r.slice for r in reads]
    where = {n for s in slices for c in s.coordinates for n in names(c)}
    what = {n for s in slices for i in s.indices for n in names(i.extent)}
    return where - what


def _cost(draft: Draft, pieces: list[Piece]) -> Expr:
    """Cycles, with the loops' bodies counted once for each iteration of the outermost range."""
    cycles: Expr = Int(draft.mode.cycles)
    looped = next((p for p in pieces if p.template.loops), None)
    if looped is None:
        return cycles
    axis = looped.ranges.axes[0]
    return Binary("*", cycles, to_expr(axis.extent, looped.body.leaves.expr))


__all__ = ["Draft", "Piece", "data_templates", "indices_of", "instruction", "print_expr"]
