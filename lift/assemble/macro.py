"""One mode that is a loop nest over micro-operations -> a step, which no command names, and a macro that repeats it.

The step's attributes are the fields of the command and the indices of the loops that it depends on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from act.taidl import Binary, Expr, Index, Instruction, Int, Loop, Name
from act.taidl import Part as Call
from lift.assemble.aliasing import written_before
from lift.assemble.conditions import conditions
from lift.assemble.draft import Draft, data_templates, leaves_for, without_overlap
from lift.assemble.errors import NoTemplate
from lift.assemble.instruction import assembled, attributes, fixed_bits, register_sets, sources
from lift.assemble.integers import Reading, to_expr
from lift.assemble.leaves import Leaves, Part
from lift.assemble.modes import Case
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.micro import of_iterations
from lift.unroll.terms import Term

MOST_ITERATIONS = 1 << 24
STEP = "_step"  # how the name of a step ends


def macro(draft: Draft, name: str) -> tuple[Instruction, Instruction]:
    """The macro and its step.  NoTemplate when one of them cannot be said."""
    if old := next((a for a in draft.mode.assumptions if of_iterations(a)), None):
        raise NoTemplate("a word that is read before a loop over micro-operations, which may write it", old)
    memories = draft.layout.storage.keys()
    inner = _of(draft, {t for t in draft.case.readings if t in memories})
    inner = replace(inner, mode=replace(inner.mode, facts=(), domain=(), assumptions=()), case=Case((), inner.case.readings), fixed={})
    step, fields = _step(inner, name + STEP)
    return _repeated(_of(draft, {t for t in draft.case.readings if t not in memories}), name, step, fields), step


def _of(draft: Draft, targets: set[str]) -> Draft:
    """What a draft says of some state variables."""
    case = Case(draft.case.choice, {t: r for t, r in draft.case.readings.items() if t in targets})
    return replace(draft, case=case, memo={})


def _step(draft: Draft, name: str) -> tuple[Instruction, Mapping[Part, str]]:
    """One iteration, and what its attributes are."""

    def made(leaves: Leaves) -> tuple[Instruction, Mapping[Part, str]]:
        leaves.words = {**leaves.words, **{str(index.attr): INDEX_WIDTH for index, _ in draft.mode.loops}}
        leaves.field_names = {**leaves.field_names, **{(str(i.attr), 0, INDEX_WIDTH): f"n{k}" for k, (i, _) in enumerate(draft.mode.loops)}}
        found = assembled(draft, leaves, data_templates(draft), name)
        if found is None:
            raise NoTemplate("a loop over micro-operations that changes nothing")
        widths = {attribute: width for (_, _, width), attribute in leaves.fields.items()}
        limits = tuple(c for n in found.alpha for c in (Binary("<=", Int(0), Name(n)), Binary("<", Name(n), Int(1 << widths[n]))))
        return replace(found, encode=(), part_only=True, when=(*limits, *found.when)), dict(leaves.fields)

    return without_overlap(draft, made)


def _repeated(draft: Draft, name: str, step: Instruction, fields: Mapping[Part, str]) -> Instruction:
    leaves = leaves_for(draft)
    fixed = fixed_bits(draft, leaves)
    loops = {str(index.attr): f"n{k}" for k, (index, _) in enumerate(draft.mode.loops)}
    counts = [_count(count, leaves) for _, count in draft.mode.loops]  # names their fields first, which may be larger than the step's
    call = Call(step.name, {attribute: _argument(part, loops, fixed, leaves) for part, attribute in fields.items()})
    whole: Loop | Call = call
    for name_of, count in reversed(list(zip(loops.values(), counts, strict=True))):
        whole = Loop(Index(name_of, count), (whole,))
    sets = register_sets(draft, leaves)
    when, uses = conditions(draft, leaves, [], written_before(draft.mode))
    encode = leaves.encoding(fixed | leaves.spare)
    alpha, beta = attributes(leaves, (), (), [f.value.name for f in encode if isinstance(f.value, Name)])
    used = (*leaves.use_clauses(), *uses)
    cost: Expr = Int(draft.mode.cycles)  # of one iteration, as often as it is done
    for count in counts:
        cost = Binary("*", cost, count)
    return Instruction(name, (*alpha, *beta), (), encode, when, used, sets=tuple(sets), cost=cost, steps=(whole,), source=sources(draft))


def _count(count: Term, leaves: Leaves) -> Expr:
    return to_expr(Reading().limited(count, MOST_ITERATIONS), leaves.expr)


def _argument(part: Part, loops: Mapping[str, str], fixed: Mapping[Part, int], leaves: Leaves) -> Expr:
    """What the macro gives the step for an attribute: an index, some of its bits, a field, or what the command fixes it to."""
    word, low, width = part
    if word not in loops:
        larger = next((p for p in leaves.fields if p[:2] == part[:2] and p[2] > width), None)
        if larger is not None:
            return Binary("%", leaves.part(larger), Int(1 << width))
        return Int(fixed[part]) if part in fixed else leaves.part(part)
    index: Expr = Name(loops[word])
    shifted = Binary("/", index, Int(1 << low)) if low else index
    return shifted if low + width == INDEX_WIDTH else Binary("%", shifted, Int(1 << width))
