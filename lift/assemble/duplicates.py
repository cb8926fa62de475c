"""Modes that say the same, of which one or the other always applies, are one mode without the conditions that tell them apart.

Before --> after:  `a` when x == 1 and y, `a` when x != 1 and y --> `a` when y.  That no state is gained is proved by Z3.
"""

from __future__ import annotations

from dataclasses import replace

from act.taidl import Instruction, Int
from lift.assemble.aliasing import written_before
from lift.assemble.draft import Draft, Stage
from lift.assemble.errors import NoTemplate
from lift.assemble.instruction import instruction
from lift.assemble.leaves import conjunction_parts
from lift.assemble.modes import Case
from lift.assemble.rewriting import plain
from lift.unroll import terms
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import TRUE, Term

Literals = list[tuple[Term, bool]]


def without_duplicates(stages: list[Stage]) -> list[Stage]:
    """Merged pair by pair until nothing changes; the first of a pair gives the place and the name."""
    result = list(stages)
    position = 0
    while position < len(result):
        for other in range(position + 1, len(result)):
            merged = _merged(result[position], result[other])
            if merged is not None:
                result[position] = merged
                del result[other]
                position = -1
                break
        position += 1
    return result


def without_spares(stages: list[Stage]) -> list[Stage]:
    """Without instructions for which bits were chosen that nothing names, where another one does the same without."""
    chosen = [_has_spare_bits(s) for s in stages]
    others = [_effect(s.instruction) for s, spare in zip(stages, chosen, strict=True) if not spare]
    return [s for s, spare in zip(stages, chosen, strict=True) if not spare or _effect(s.instruction) not in others]


def _has_spare_bits(stage: Stage) -> bool:
    draft, words = stage.draft, {w.name: w.width for w in stage.draft.layout.words}
    fixed = conjunction_parts((*draft.mode.facts, *draft.case.choice), words)[0] | draft.fixed
    return any(isinstance(f.value, Int) and (f.word, f.low, f.high - f.low + 1) not in fixed for f in stage.instruction.encode)


def _effect(each: Instruction) -> Instruction:
    """The instruction without its name, its cost, and the constants in its command."""
    return replace(each, name="", cost=Int(0), encode=tuple(f for f in each.encode if not isinstance(f.value, Int)))


def _merged(a: Stage, b: Stage) -> Stage | None:
    if a.instruction.steps or a.instruction.part_only:
        return None
    if _stripped(a.instruction) != _stripped(b.instruction) or a.draft.mode.domain != b.draft.mode.domain:
        return None
    common = [c for c in a.literals if c in b.literals]
    if not _covered(a, b, common) or written_before(a.draft.mode) != written_before(b.draft.mode):
        return None
    draft = _under(a.draft, common)
    try:
        found = instruction(draft, a.instruction.name)
    except NoTemplate:
        return None
    if found is None or _stripped(found) != _stripped(a.instruction):
        return None
    return Stage(draft, replace(found, source=tuple(dict.fromkeys((*a.instruction.source, *b.instruction.source)))))


def _covered(a: Stage, b: Stage, common: Literals) -> bool:
    """Wherever `common` holds, the conditions of one of the two do."""
    rest = [_all([c for c in stage.literals if c not in common]) for stage in (a, b)]
    either = terms.negate(terms.both(*(terms.negate(r) for r in rest)))
    return implied([*(_term(c) for c in common), *a.draft.mode.domain], either) is Verdict.PROVED


def _all(literals: Literals) -> Term:
    result = TRUE
    for each in literals:
        result = terms.both(result, _term(each))
    return result


def _term(literal: tuple[Term, bool]) -> Term:
    return plain(literal[0]) if literal[1] else terms.negate(plain(literal[0]))


def _under(draft: Draft, literals: Literals) -> Draft:
    """The draft under fewer conditions; its functions do not depend on the others."""
    mode = replace(draft.mode, facts=tuple(f for f in draft.mode.facts if f in literals))
    return replace(draft, mode=mode, case=Case(tuple(c for c in draft.case.choice if c in literals), draft.case.readings))


def _stripped(each: Instruction) -> Instruction:
    return replace(each, name="", uses=(), when=(), source=(), cost=None)
