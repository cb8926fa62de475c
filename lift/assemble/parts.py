"""How a composite issues its parts, and what its first part does to registers."""

from __future__ import annotations

from collections.abc import Mapping

from act.taidl import Binary, Expr, Field, Instruction, Int, Name, Part
from act.taidl import simplify as simplify_expr
from lift.assemble.draft import Draft
from lift.assemble.errors import NoTemplate
from lift.assemble.leaves import Part as Bits
from lift.assemble.rewriting import substitute
from lift.unroll import terms
from lift.unroll.terms import Term


def register_effects(draft: Draft, renaming: dict[Term, Term]) -> dict[Term, Term]:
    """Registers that a stage sets -> what it sets them to, in its own words."""
    values: dict[Term, Term] = {}
    for target, reading in draft.case.readings.items():
        if target in draft.layout.storage:
            continue
        if reading.result is not None:
            values[terms.sym(target, reading.result.width)] = substitute(reading.result, renaming)
        if reading.effects:
            raise NoTemplate("a first part that sets numbered registers")
    return values


def part_of(instruction: Instruction, prefix: str, fields: Mapping[Bits, str], fixed: Mapping[Bits, int]) -> tuple[Part, list[Expr]]:
    """The arguments with which a part is issued: for each of its fields what the composite knows of these bits, 0 where nothing; and the limits
    of attributes that are narrower than the field that they are put in.  NoTemplate when something that is known is in no field."""
    pieces: dict[Bits, Expr] = {**{p: Int(v) for p, v in fixed.items()}, **{p: Name(n) for p, n in fields.items()}}
    ours = {p: v for p, v in pieces.items() if p[0].startswith(prefix) and "." not in p[0][len(prefix) :]}
    arguments: dict[str, Expr] = {}
    limits: list[Expr] = []
    for field in instruction.encode:
        inside = {p: v for p, v in ours.items() if p[0][len(prefix) :] == field.word and p[1] >= field.low and p[1] + p[2] <= field.high + 1}
        total = _sum(inside, field.low)
        if isinstance(field.value, Name):
            arguments[field.value.name] = total
            limits += _limits(inside, field)
        elif inside and total != field.value:
            raise NoTemplate("a composite whose part has another encoding")
        ours = {p: v for p, v in ours.items() if p not in inside}
    if any(v != Int(0) for v in ours.values()):
        raise NoTemplate("a composite that needs bits of a command that are in no field of its part")
    return Part(instruction.name, arguments), limits


def _sum(pieces: Mapping[Bits, Expr], low: int) -> Expr:
    total: Expr = Int(0)
    for (_, start, _), value in sorted(pieces.items(), key=lambda e: e[0][1]):
        total = Binary("+", total, Binary("*", value, Int(1 << (start - low))))
    return simplify_expr(total)


def _limits(inside: Mapping[Bits, Expr], field: Field) -> list[Expr]:
    """0 <= attribute < 2**width for the attributes of which the field would hold more bits."""
    found: list[Expr] = []
    for (_, _, width), value in inside.items():
        if isinstance(value, Name) and width < field.high - field.low + 1:
            found += [Binary("<=", Int(0), value), Binary("<", value, Int(1 << width))]
    return found
