"""Names of instructions: the opcode, the buffer that tells modes apart, then the conditions that do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from act.taidl import Instruction, Loop, Part
from act.taidl.model import Step
from lift.assemble.draft import Stage, data_templates
from lift.assemble.macro import STEP
from lift.assemble.naming import AtomNames


@dataclass(frozen=True, slots=True)
class Label:
    """`buffers` that a mode writes and reads, first of each, empty where there is none; `conditions`: names of the facts that hold in it; `off`: those
    of them that only say that a register is 0."""

    buffers: tuple[str, str]
    conditions: tuple[str, ...]
    off: frozenset[str] = frozenset()


def label(stage: Stage, atoms: AtomNames) -> Label:
    """What could tell a mode from others of its opcode; arrays within the unit, and its ping-pong bits, say nothing to a reader."""
    draft = stage.draft
    storage, toggles = draft.layout.storage, draft.lift.unit.machine.structure.toggles
    local = {s.buffer for s in storage.values() if not s.host and not s.is_array}
    written = [storage[t].buffer for t in data_templates(draft)]
    read = [r.slice.buffer for r in stage.instruction.reads if r.slice.buffer not in written]
    first = [next((b for b in buffers if b in local), "") for buffers in (written, read)]
    facts = [(a, h) for a, h in stage.literals if not (a.op == "sym" and a.attr in toggles)]
    conditions = {a: n for a, h in facts if (n := atoms.of(a) if h else atoms.unless(a)) is not None}
    off = frozenset(n for a, n in conditions.items() if a.op == "eq" and a.args[0].op == "sym" and a.args[1].attr == 0 and n.endswith("_0"))
    return Label((first[0], first[1]), tuple(conditions.values()), off)


def named(found: list[Instruction], labels: Callable[[Instruction], Label]) -> list[Instruction]:
    """Instructions with their final names, each once."""
    info = {i.name: labels(i) for i in found}
    groups: dict[str, list[str]] = {}
    for each in found:
        groups.setdefault(_stem(each.name), []).append(each.name)
    chosen = {old: new for stem, members in groups.items() for old, new in _names(stem, {m: info[m] for m in members}).items()}
    final = dict(zip((i.name for i in found), unique([chosen[i.name] for i in found]), strict=True))
    return [replace(i, name=final[i.name], steps=tuple(_renamed(s, final) for s in i.steps)) for i in found]


def _stem(name: str) -> str:
    """The opcode, and that it is a step of a macro."""
    return name.split("@")[0] + (STEP if name.endswith(STEP) else "")


def _renamed(step: Step, names: dict[str, str]) -> Step:
    match step:
        case Loop():
            return replace(step, steps=tuple(_renamed(s, names) for s in step.steps))
        case Part():
            return replace(step, instruction=names[step.instruction])
    return step


def _names(stem: str, members: dict[str, Label]) -> dict[str, str]:
    """The buffer written if that differs, else the buffer read; then the conditions that others with this much of the name lack.  That a register is 0
    goes without saying for the first for which it does."""
    which = next((n for n in (0, 1) if len({m.buffers[n] for m in members.values()}) > 1), None)
    begun = {name: [stem, *([m.buffers[which]] if which is not None and m.buffers[which] else [])] for name, m in members.items()}
    result: dict[str, str] = {}
    for name, each in members.items():
        rivals = [members[other].conditions for other in members if begun[other] == begun[name] and other != name]
        extra = [c for c in dict.fromkeys(each.conditions) if any(c not in r for r in rivals)]
        short, full = ("_".join([*begun[name], *labels]) for labels in ([c for c in extra if c not in each.off], extra))
        result[name] = full if short in result.values() else short
    return result


def unique(names: list[str]) -> list[str]:
    """The names, numbered where they repeat."""
    taken: dict[str, int] = {}
    result = []
    for name in names:
        taken[name] = taken.get(name, 0) + 1
        result.append(name if taken[name] == 1 else f"{name}_{taken[name]}")
    return result
