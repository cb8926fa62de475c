"""Instructions that find their operands by registers, and the instructions that set these, one register each -> composites of both.

    source(a) sets source; load() reads mem[source + ...]    -->    source_load( | source) = source(a = source) ; load()

A register that says where something lies, and one that bounds an access or a condition, becomes an attribute of the composite; registers that take part in
the computation only stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from act.taidl import Binary, Composite, Expr, Instruction, Int, Name, Part, Set, Use, names, simplify, substitute


@dataclass(frozen=True, slots=True)
class Setter:
    """An instruction that sets one register to one of its attributes, and does nothing else."""

    instruction: Instruction
    attribute: str


def addressed(found: Iterable[Instruction], bases: frozenset[str]) -> Iterator[Composite]:
    """For each instruction that uses registers in this way, where all of them have setters; none for a design without `bases`."""
    if not bases:
        return
    found = list(found)
    setters = {each.sets[0].state: setter for each in found if (setter := _setter(each)) is not None}
    for each in found:
        used = [u for u in each.uses if u.name and u.index is None and (u.state in bases or u.name in _bounding(each))]
        if used and all(u.state in setters for u in used) and (each.reads or each.writes) and not each.steps:
            yield _composite(each, used, setters, bases)


def _setter(each: Instruction) -> Setter | None:
    if each.reads or each.writes or each.uses or each.steps or each.opaque or len(each.sets) != 1:
        return None
    change = each.sets[0]
    plain = isinstance(change.value, Name) and change.index is None and each.attributes == (change.value.name,)
    return Setter(each, each.attributes[0]) if plain else None


def _bounding(each: Instruction) -> frozenset[str]:
    """The names in conditions, coordinates and extents."""
    parts: list[Expr] = [*each.when]
    for access in each.slices:
        parts += [*access.coordinates, *(i.extent for i in access.indices)]
    return frozenset().union(*map(names, parts))


def _composite(each: Instruction, used: list[Use], setters: dict[str, Setter], bases: frozenset[str]) -> Composite:
    chosen = [(u, setters[u.state]) for u in used]
    when = [substitute(c, {s.attribute: Name(str(u.name))}) for u, s in chosen for c in s.instruction.when]
    alpha = [str(u.name) for u, _ in chosen if u.state not in bases]
    beta = [str(u.name) for u, _ in chosen if u.state in bases]
    cost: Expr = Int(0)
    for part in (*(s.instruction for _, s in chosen), each):
        cost = cost if part.cost is None else Binary("+", cost, part.cost)
    operation = replace(
        each,
        name="_".join([*(s.instruction.name for _, s in chosen), each.name]),
        alpha=(*each.alpha, *alpha),
        beta=(*each.beta, *beta),
        encode=(),
        when=tuple(dict.fromkeys((*when, *each.when))),
        uses=tuple(u for u in each.uses if u not in used),
        sets=(*(Set(u.state, None, Name(str(u.name))) for u, _ in chosen), *each.sets),
        after=(),
        cost=simplify(cost),
        part_only=False,
        source=(),
    )
    parts = [Part(s.instruction.name, {s.attribute: Name(str(u.name))}) for u, s in chosen]
    return Composite(operation, (*parts, Part(each.name, {a: Name(a) for a in each.attributes})))


__all__ = ["addressed"]
