"""One mode of an instruction -> an instruction of the specification."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from act.taidl import Binary, Expr, Index, Instruction, Int, Name, Read, Set, Slice, Write, names
from lift.assemble.aliasing import written_before
from lift.assemble.conditions import conditions
from lift.assemble.draft import Draft, Piece, data_templates, without_overlap
from lift.assemble.effects import Reading as ReadFunction
from lift.assemble.errors import NoTemplate, Overlap, writing
from lift.assemble.family import Template
from lift.assemble.integers import Polynomial, Reading, to_expr
from lift.assemble.joined import joined
from lift.assemble.leaves import Leaves, Part, conjunction_parts
from lift.assemble.low import low_parts
from lift.assemble.places import Place, Storage, over_axes, place
from lift.assemble.ranges import Ranges, axis_sizes, ranges
from lift.assemble.reads import Operands
from lift.assemble.rewriting import plain
from lift.assemble.values import Body
from lift.unroll import terms
from lift.unroll.terms import Term

WRITE_AXES = ("i", "j", "l", "m", "n")


def instruction(draft: Draft, name: str) -> Instruction | None:
    """The specification of one case, None when it changes nothing; NoTemplate when it cannot be said."""
    return without_overlap(draft, lambda leaves: assembled(draft, leaves, data_templates(draft), name))


def assembled(draft: Draft, leaves: Leaves, templates: dict[str, Template], name: str) -> Instruction | None:
    """An instruction from the templates of the buffers it writes and the registers it sets."""
    pieces = _pieces(draft, leaves, templates)
    sets = register_sets(draft, leaves)
    if not pieces and not sets:
        return None
    when, uses = conditions(draft, leaves, pieces, written_before(draft.mode))
    fixed = fixed_bits(draft, leaves) | leaves.spare
    when = (*when, *(Binary("==", leaves.part(p), Int(v)) for p, v in fixed.items() if p[0] in leaves.whole))
    encode = leaves.encoding({p: v for p, v in fixed.items() if p[0] not in leaves.whole})
    writes, reads, text = joined(pieces)
    alpha, beta = attributes(leaves, writes, reads, [f.value.name for f in encode if isinstance(f.value, Name)])
    return Instruction(
        name, alpha, beta, encode, when, (*leaves.use_clauses(), *uses), reads, writes, (), tuple(sets), (), _cost(draft, pieces), text, source=sources(draft)
    )  # fmt: skip


def _pieces(draft: Draft, leaves: Leaves, templates: dict[str, Template]) -> list[Piece]:
    """What is written, the low bits of another result after it."""
    low = low_parts(templates)
    pieces: dict[str, Piece] = {}
    for target in sorted(templates, key=lambda t: t in low):
        with writing(target, templates[target].value):
            pieces[target] = _written(draft, leaves, target, templates[target], pieces.get(low.get(target, "")))
    return list(pieces.values())


def sources(draft: Draft) -> tuple[str, ...]:
    """Where the state variables that the case changes are declared."""
    return tuple(dict.fromkeys(f.location for t, f in draft.mode.functions.items() if f.location and t in draft.case.readings))


def _written(draft: Draft, leaves: Leaves, target: str, each: Template, wide: Piece | None) -> Piece:
    """The elements of a template, as the low bits of those of `wide` if there is one."""
    storage = draft.layout.storage[target]
    found = ranges(each, _known(draft), _parts(each.value, draft.layout.storage))
    order = tuple(a.symbol for a in found.axes)
    if len(order) > len(WRITE_AXES):
        raise NoTemplate("a result with too many axes")
    leaves.axes.update(zip(order, WRITE_AXES, strict=False))
    want = {a.symbol: to_expr(a.extent, leaves.expr) for a in found.axes}
    body = Body(Operands(leaves, draft.layout.storage, found.indices, order, axis_sizes(found.axes), found.reading), list(found.known))
    value = body.low_bits(want, storage.element) if wide else body.stored(each.value, want, storage.element)
    indices = tuple(Index(leaves.axes[a], want[a]) for a in order)
    return Piece(Slice(storage.buffer, _target(draft, target, each, found).exprs(leaves), indices), value.name, body, found, each, wide)


def _parts(value: Term, storage: Mapping[str, Storage]) -> dict[Term, int]:
    """Coordinates that count parts of elements of a memory, and how many parts an element has."""
    lanes = [t for t in terms.walk(value) if t.op == "lane" and t.args[0].op == "load" and t.args[1].op == "sym"]
    held = [(t, storage[str(t.args[0].attr)].bits) for t in lanes if t.args[0].attr in storage]
    return {t.args[1]: bits // t.width for t, bits in held if bits > t.width and bits % t.width == 0}


def _target(draft: Draft, target: str, each: Template, found: Ranges) -> Place:
    """Where the elements of a template lie."""
    storage = draft.layout.storage[target]
    unit = tuple(found.reading.exact(u) for u in each.unit)
    if storage.is_array:
        return Place(storage, tuple(over_axes(u, found.indices) for u in unit))
    lane: Polynomial = unit[0] if unit else {}
    return place(storage, each.address, lane, found.reading, found.indices)


def _known(draft: Draft) -> list[Term]:
    facts = [plain(p) if h else terms.negate(plain(p)) for p, h in (*draft.mode.facts, *draft.case.choice)]
    return [*facts, *draft.mode.domain]


def fixed_bits(draft: Draft, leaves: Leaves) -> dict[Part, int]:
    """The bits of the command that the opcode and the mode demand."""
    decided, _ = conjunction_parts((*draft.mode.facts, *draft.case.choice), leaves.words)
    return {**decided, **draft.fixed}


def register_sets(draft: Draft, leaves: Leaves) -> list[Set]:
    """Registers that the case changes; a register wraps to its width, so values are read modulo that."""
    result: list[Set] = []
    unsaid: list[NoTemplate] = []
    for target, reading in draft.case.readings.items():
        if target not in draft.layout.storage:
            try:
                with writing(target):
                    result += _sets(draft, leaves, target, reading)
            except Overlap:
                raise
            except NoTemplate as reason:
                unsaid.append(reason)
    if unsaid:
        unsaid[0].targets = frozenset(each.target for each in unsaid)
        raise unsaid[0]
    return result


def _sets(draft: Draft, leaves: Leaves, target: str, reading: ReadFunction) -> Iterator[Set]:
    state, _ = draft.layout.registers.names[target]
    if reading.result is not None and reading.result is not terms.sym(target, reading.result.width):
        yield Set(state, None, _value(reading.result, leaves))
    for effect in reading.effects:
        if effect.loops or effect.conditions or not effect.address.is_const:
            raise NoTemplate(f"registers {state} that are set under a condition or at a computed number")
        if effect.data is not terms.load(target, effect.data.width, effect.address):
            yield Set(state, Int(int(effect.address.attr or 0)), _value(effect.data, leaves))


def _value(term: Term, leaves: Leaves) -> Expr:
    return to_expr(Reading().modular(term, term.width), leaves.expr)


def attributes(leaves: Leaves, writes: Iterable[Write], reads: Iterable[Read], encoded: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attributes that select the computation, those that bound ranges first and in the order of the ranges; and those that only say where."""
    slices = [x.slice for x in (*writes, *reads)]
    extents = [n for s in slices for i in s.indices for n in sorted(names(i.extent))]
    where = {n for s in slices for c in s.coordinates for n in names(c)} - set(extents)
    fields = list(dict.fromkeys(n for n in (*extents, *encoded, *leaves.fields.values()) if n in set(leaves.fields.values())))
    return tuple(n for n in fields if n not in where), tuple(n for n in fields if n in where)


def _cost(draft: Draft, pieces: list[Piece]) -> Expr:
    """Cycles, with the loops' bodies counted once for each iteration of the outermost range."""
    cycles: Expr = Int(draft.mode.cycles)
    looped = next((p for p in pieces if p.template.loops), None)
    if looped is None:
        return cycles
    axis = looped.ranges.axes[0]
    return Binary("*", cycles, to_expr(axis.extent, looped.body.operands.leaves.expr))
