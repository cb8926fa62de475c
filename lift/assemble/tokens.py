"""Counters that instructions only raise, and wait for and lower, are tokens; instructions that differ in which tokens they take and give are one.

when count != 0, use count, set count = count - 1     -->  pop count
use count, set count = count + 1                       -->  push count
store where bits[3] = 0, store with a pop where bits[3] = 1   -->  store(pop_prev) with `pop count if pop_prev == 1`
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from act.taidl import Accelerator, Binary, Expr, Field, Instruction, Int, Loop, Name, Part, Token, TokenUse
from act.taidl.model import Step
from lift.assemble.leaves import Part as Bits


def counters(accelerator: Accelerator) -> list[str]:
    """The states that are tokens."""
    return [s for s in accelerator.states if _is_counter(s, accelerator)]


def with_tokens(accelerator: Accelerator, found: list[str], field_name: Callable[[Bits], str | None]) -> Accelerator:
    """The accelerator with tokens in place of the states `found`; `field_name`: what the design calls bits of the command."""
    if not found:
        return accelerator
    said = {n: _said(i, found) for n, i in accelerator.instructions.items()}
    merged, final = _merged(said, field_name)
    tokens = {s: Token(s, accelerator.states[s].initial or 0, 1 << int(accelerator.states[s].element[1:])) for s in found}
    states = {n: s for n, s in accelerator.states.items() if n not in tokens}
    notes = tuple(dict.fromkeys(replace(n, subject=final.get(n.subject, n.subject)) for n in accelerator.notes))
    on = _units(merged)
    instructions = {n: replace(i, unit=on.get(n)) for n, i in merged.items()}
    header = f"{accelerator.header}\n  units run side by side, and wait for each other by tokens only"
    units = tuple(dict.fromkeys(on.values()))
    return replace(accelerator, states=states, instructions=instructions, tokens=tokens, units=units, notes=notes, header=header)


def _units(instructions: Mapping[str, Instruction]) -> dict[str, str]:
    """The unit that executes an instruction: who takes a token is one unit, and so is who gives it."""
    ends = {n: [*(("pop", u.token) for u in i.pops), *(("push", u.token) for u in i.pushes)] for n, i in instructions.items()}
    first: dict[tuple[str, str], tuple[str, str]] = {}

    def root(end: tuple[str, str]) -> tuple[str, str]:
        while first.setdefault(end, end) != end:
            end = first[end]
        return end

    for found in ends.values():
        for end in found[1:]:
            first[root(end)] = root(found[0])
    names = {r: f"unit{k}" for k, r in enumerate(dict.fromkeys(root(found[0]) for found in ends.values() if found))}
    names |= {root(end): name for end in list(first) if (name := _told(*end)) is not None}
    return {n: names[root(found[0])] for n, found in ends.items() if found}


def _told(kind: str, token: str) -> str | None:
    """The unit that the name of a token tells: `a_to_b` is given by a and taken by b."""
    giver, between, taker = token.partition("_to_")
    return (taker if kind == "pop" else giver) if between else None


def _is_counter(state: str, accelerator: Accelerator) -> bool:
    """Does every instruction that mentions it take one or give one, and some do either?"""
    moves = {_move(i, state) for i in accelerator.instructions.values() if any(c.state == state for c in (*i.uses, *i.sets))}
    return moves == {1, -1} and not any(c.state == state for o in accelerator.composites.values() for c in (*o.operation.uses, *o.operation.sets))


def _move(each: Instruction, state: str) -> int | None:
    """1 where the instruction adds one, -1 where it demands one and subtracts it, None where it does anything else."""
    used, sets = [u for u in each.uses if u.state == state], [s for s in each.sets if s.state == state]
    if len(used) != 1 or len(sets) != 1 or used[0].index is not None or used[0].equals is not None:
        return None
    name = Name(used[0].name or "")
    demanded = _demand(name) in each.when
    if sets[0].value == Binary("+", name, Int(1)):
        return None if demanded else 1
    return -1 if demanded and sets[0].value == Binary("-", name, Int(1)) else None


def _demand(name: Name) -> Expr:
    return Binary("!=", name, Int(0))


def _said(each: Instruction, found: list[str]) -> Instruction:
    """The instruction with `pop` and `push` in place of what it does to counters."""
    moves = {s: m for s in found if (m := _move(each, s)) is not None}
    names = {u.state: Name(u.name or "") for u in each.uses if u.state in moves}
    demands = [_demand(names[s]) for s, m in moves.items() if m < 0]
    return replace(
        each,
        when=tuple(w for w in each.when if w not in demands),
        uses=tuple(u for u in each.uses if u.state not in moves),
        sets=tuple(s for s in each.sets if s.state not in moves),
        pops=tuple(TokenUse(s) for s, m in moves.items() if m < 0),
        pushes=tuple(TokenUse(s) for s, m in moves.items() if m > 0),
    )


def _merged(said: Mapping[str, Instruction], field_name: Callable[[Bits], str | None]) -> tuple[dict[str, Instruction], dict[str, str]]:
    """Instructions without those that differ in tokens only, and for every old name the one that is left."""
    final = {n: n for n in said}
    for name, twin in _same_steps(said).items():
        final[name] = twin
    current = {n: _renamed(i, final) for n, i in said.items() if final[n] == n}
    groups: dict[str, list[str]] = {}
    for name, each in current.items():
        if each.encode and not each.opaque:
            groups.setdefault(_without_tokens(each), []).append(name)
    for names in groups.values():
        while (pair := _pair([current[n] for n in names], field_name)) is not None:
            kept, gone, whole = pair
            current[kept], final[gone] = whole, kept
            del current[gone]
            names.remove(gone)
    return {n: _renamed(i, final) for n, i in current.items()}, {n: _last(final, n) for n in said}


def _last(final: Mapping[str, str], name: str) -> str:
    while final[name] != name:
        name = final[name]
    return name


def _same_steps(said: Mapping[str, Instruction]) -> dict[str, str]:
    """Steps that say the same, and the one of them with the shortest name."""
    groups: dict[str, list[str]] = {}
    for name, each in said.items():
        if each.part_only and not each.encode:
            groups.setdefault(repr(replace(each, name="", source=())), []).append(name)
    return {n: min(names, key=lambda n: (len(n), n)) for names in groups.values() for n in names}


def _pair(found: list[Instruction], field_name: Callable[[Bits], str | None]) -> tuple[str, str, Instruction] | None:
    """Two instructions that are one, the first of which keeps its name, and the one."""
    for kept in sorted(found, key=lambda i: (len(i.name), i.name)):
        for gone in found:
            if gone is not kept and (whole := _one(kept, gone, field_name)) is not None:
                return kept.name, gone.name, whole
    return None


def _without_tokens(each: Instruction) -> str:
    """What instructions that differ in tokens have in common; the steps of macros are merged before."""
    places = tuple((f.word, f.high, f.low, f.value if f.high > f.low else None) for f in each.encode)
    return repr((places, replace(each, name="", encode=(), pops=(), pushes=(), source=(), cost=None, alpha=(), beta=())))


def _one(a: Instruction, b: Instruction, field_name: Callable[[Bits], str | None]) -> Instruction | None:
    """Both as one, where they differ in one bit and where it is 1 in the tokens that are taken and given too."""
    differing = [(f, g) for f, g in zip(a.encode, b.encode, strict=True) if f != g]
    if len(differing) != 1 or {f.value for f in differing[0]} != {Int(0), Int(1)}:
        return None
    low, high = (a, b) if differing[0][0].value == Int(0) else (b, a)
    field = differing[0][0]
    taken_more, given_more = _extra(low.pops, high.pops), _extra(low.pushes, high.pushes)
    if taken_more is None or given_more is None or not (taken_more or given_more):
        return None
    attribute = field_name((field.word, field.low, 1)) or f"{field.word}_{field.low}"
    if attribute in (*a.alpha, *a.beta):
        attribute = f"{attribute}_{field.low}"
    taken = Binary("==", Name(attribute), Int(1))
    pops, pushes = (tuple(TokenUse(u.token, taken) for u in uses) for uses in (taken_more, given_more))
    encode = tuple(Field(f.word, f.high, f.low, Name(attribute)) if f == field or f == differing[0][1] else f for f in a.encode)
    source = tuple(dict.fromkeys((*a.source, *b.source)))
    return replace(low, name=a.name, alpha=(*a.alpha, attribute), encode=encode, pops=(*low.pops, *pops), pushes=(*low.pushes, *pushes), source=source)


def _extra(low: tuple[TokenUse, ...], high: tuple[TokenUse, ...]) -> tuple[TokenUse, ...] | None:
    """What `high` has beyond `low`, which it contains."""
    return tuple(u for u in high if u not in low) if set(low) <= set(high) and all(u.condition is None for u in set(high) - set(low)) else None


def _renamed(each: Instruction, final: Mapping[str, str]) -> Instruction:
    after = tuple(dict.fromkeys(_last(final, n) for n in each.after))
    return replace(each, steps=tuple(_step(s, final) for s in each.steps), after=after)


def _step(step: Step, final: Mapping[str, str]) -> Step:
    match step:
        case Loop():
            return replace(step, steps=tuple(_step(s, final) for s in step.steps))
        case Part():
            return replace(step, instruction=_last(final, step.instruction))
    return step
