"""What a run reached: counts for --json, what is only done in part for stderr and the exit status, and the report for people."""

from __future__ import annotations

import resource
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lift.assumptions import answered, left_out, of_every_instruction, waits_for_token
from lift.functions import LiftedFunction
from lift.passes import PassReport
from lift.sources import lines_named, lines_of
from lift.term_text import fact_text, term_text
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode
from lift.unroll.machine import term_of
from lift.unroll.paths import statement_terms
from lift.unroll.terms import Term


@dataclass(frozen=True, slots=True)
class Findings:
    """What the stages found.  `opaque`: instructions, and modes and sequences of them, that could not be said, and why; `proved`: whether changes were
    proved or only tested; `about`: the terms that could not be said; `tokens`: registers that are tokens; `only`: conditions
    under which alone instructions are said."""

    lift: Lift
    lifted: Sequence[LiftedFunction]
    opaque: dict[str, str]
    proved: bool
    about: dict[str, tuple[Term, ...]] = field(default_factory=dict)
    tokens: frozenset[str] = frozenset()
    only: dict[str, tuple[Term, ...]] = field(default_factory=dict)


def counts(found: Findings) -> dict[str, int | float]:
    """Numbers of: instructions; those that are opaque, vacuous, or opaque because of undefined values; and those of `function_counts`, of which the
    assumed conditions are those of the modes."""
    lift = found.lift
    return function_counts(found.lifted, found.proved) | {
        "instructions": len(_doing(lift)),
        "opaque": len(found.opaque),
        "vacuous": len(lift.vacuous),
        "undefined": sum(1 for name in lift.opaque if _undefined(lift, name)),
        "assumed": sum(len(m.assumptions) for modes in lift.modes.values() for m in modes),
    }


def function_counts(lifted: Sequence[LiftedFunction], proved: bool) -> dict[str, int | float]:
    """Numbers of: update functions; changes by passes that were proved, tested, or neither; conditions that are assumed; the largest process in
    MiB; lines of IR before and after."""
    kept = sum(r.proved for f in lifted for r in f.reports)
    return {
        "functions": len(lifted),
        "instructions": 0,
        "opaque": 0,
        "vacuous": 0,
        "undefined": 0,
        "proved": kept if proved else 0,
        "tested": 0 if proved else kept,
        "assumed": sum(len(f.function.assumptions) for f in lifted),
        "unknown": sum(r.unknown for f in lifted for r in f.reports),
        "peak_mb": round(max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1024, 1),
        "lines_raw": sum(f.lines_raw for f in lifted),
        "lines_lifted": sum(f.lines_lifted for f in lifted),
    }


def transactions_report(lifted: Sequence[LiftedFunction]) -> str:
    """Functions of a design that were not lifted from an instruction, and on what each rests."""
    lines = ["transaction functions"]
    for function in lifted:
        lines.append(f"  {function.key[2]}: {function.lines_raw} lines, lifted {function.lines_lifted}")
        lines += [f"    assumed: {term_text(a)}" for a in function.function.assumptions]
    return "\n".join(lines) + "\n"


def _undefined(lift: Lift, instruction: str) -> bool:
    """Does an effect of the instruction depend on a value that the RTL leaves undefined?"""
    paths = lift.unit.executions[instruction].paths
    roots = [t for p in paths for s in p.statements for t in statement_terms(s)] + [p for path in paths for p, _ in path.facts]
    roots += [term_of(path.final.registers[n]) for path in paths for n in lift.registers]
    return any(t.op == "sym" and str(t.attr).startswith("undefined") for t in terms.walk(*roots))


def _doing(lift: Lift) -> list[str]:
    """The instructions, without opcodes that nobody named and that do nothing."""
    return [name for name in lift.unit.executions if name in lift.modes or name in lift.opaque or name in lift.vacuous]


def _nothing_said(lift: Lift) -> str:
    """That an instruction is vacuous, and whether that is sure."""
    sure = not lift.opaque and not any(e.excluded for e in lift.unit.executions.values())
    return "it changes nothing that anything reads" + ("" if sure else ", as far as instructions were lifted: what is left out may read it")


def shortcomings(found: Findings) -> list[str]:
    """One line for each thing that is opaque, vacuous or unproved."""
    lines = [f"{name} is opaque: {reason}" for name, reason in found.opaque.items()]
    for name, execution in found.lift.unit.executions.items():
        left_out = [(f, why) for f, why in execution.excluded if name in found.lift.modes and not waits_for_token(f, why, found.tokens)]
        lines += [f"{name} is left out where {_where(facts)}: {reason}" for facts, reason in left_out]
    for name, conditions in found.only.items():
        lines += [f"{name} is left out where not ({term_text(c)}): an operand may be read after the result is written to its place" for c in conditions]
    lines += [f"{name} is vacuous: {_nothing_said(found.lift)}" for name in found.lift.vacuous]
    for function in found.lifted:
        unknown = sum(r.unknown for r in function.reports)
        if unknown:
            lines.append(f"{_name(function)}: {unknown} changes were neither proved nor refuted, and not made")
    if not found.proved:
        lines.append("no change was proved: they were tested on random values only (--no-prove)")
    return lines


def _where(facts: Sequence[tuple[Term, bool]]) -> str:
    return " and ".join(fact_text(p, holds) for p, holds in facts)


def _name(function: LiftedFunction) -> str:
    instruction, mode, target = function.key
    return f"{instruction}, mode {mode}, {target}"


def report(found: Findings) -> str:
    """Instruction by instruction and mode by mode: what was found, on which assumptions, and what the passes did."""
    lift, by_mode = found.lift, dict[tuple[str, int], list[LiftedFunction]]()
    for function in found.lifted:
        by_mode.setdefault(function.key[:2], []).append(function)
    lines = [f"unit {lift.unit.machine.netlist.top}", f"rounds until the architectural state was found: {lift.unit.rounds}"]
    lines += ["", "assumed of every instruction", *(f"  {fact}" for fact in of_every_instruction(lift))]
    lines += ["", "architectural state", *_state(lift)]
    for name in _doing(lift):
        lines += ["", f"instruction {name}"]
        if name in lift.opaque:
            lines += [f"  opaque: {lift.opaque[name]}", *_from(lines_named(lift, lift.opaque[name]))]
        lines += [f"  assumed: {fact}" for fact in (*left_out(lift, name), *answered(lift, name))]
        if name in lift.vacuous:
            lines.append(f"  vacuous: {_nothing_said(lift)}")
        for mode in lift.modes.get(name, ()):
            lines += _mode(mode, by_mode.get((name, mode.number), []), found.proved)
    unsaid = [line for name in found.opaque if name not in lift.opaque for line in _unsaid(found, name)]
    lines += ["", "lifted, but not said in the instruction set", *unsaid] if unsaid else []
    alone = [f for f in found.lifted if f.key[0] not in lift.unit.executions]
    return "\n".join(lines) + "\n" + (f"\n{transactions_report(alone)}" if alone else "")


def _unsaid(found: Findings, name: str) -> Iterator[str]:
    """The condition or value that has no form, and the lines of the RTL that it comes from."""
    about = found.about.get(name, ())
    yield f"  {name}: {found.opaque[name]}"
    yield from (f"    it is {term_text(term)}" for term in about)
    yield from _from(lines_of(found.lift, about) or lines_named(found.lift, found.opaque[name]))


def _from(places: Sequence[str]) -> list[str]:
    return [f"    from {place}" for place in places]


def _state(lift: Lift) -> Iterator[str]:
    registers = lift.unit.machine.netlist.registers
    members = {m for a in lift.arrays.values() for m in a.members}
    yield from (f"  register {name}: {registers[name].width} bits" for name in sorted(lift.registers & lift.unit.architectural))
    yield from (f"  array {a.name}: {' x '.join(map(str, a.shape))} registers of {a.width} bits" for a in lift.arrays.values())
    yield from (f"  unread (instructions change it, nothing reads it): {name}" for name in lift.unread if name not in members)


def _mode(mode: Mode, functions: Sequence[LiftedFunction], prove: bool) -> Iterator[str]:
    yield f"  mode {mode.number}, {mode.cycles} cycles executed"
    yield from (f"    when {fact_text(p, holds)}" for p, holds in mode.facts)
    yield from (f"    within {term_text(d)}" for d in mode.domain)
    yield from (f"    assumed: {term_text(a)}" for a in mode.assumptions)
    for function in functions:
        yield f"    {function.key[2]}: {function.lines_raw} lines, lifted {function.lines_lifted}"
        yield from (f"      {_pass(r, prove)}" for r in function.reports if r.applications)


def _pass(report: PassReport, prove: bool) -> str:
    parts = [(report.proved, "proved" if prove else "tested"), (report.unknown, "unknown"), (report.refuted, "refuted and not made")]
    return f"{report.name}: " + ", ".join(f"{number} {word}" for number, word in parts if number)
