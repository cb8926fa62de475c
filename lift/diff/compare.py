"""Two accelerators -> the changes between them, in the order of the file: declarations, instructions, composites, notes.

Provenance (source lines, the header) is no change: RTL that moved within its file is the same instruction set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from act.taidl import Accelerator, Composite, Instruction, State, print_text
from lift.diff.clauses import Operation, changes, clauses, operation_text
from lift.diff.rename import Renames, alike, declared, local_names, renamed, with_locals


@dataclass(frozen=True, slots=True)
class Change:
    """`subject` is what changed (`instruction mvin`), `lines` how."""

    subject: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([self.subject, *(f"  {line}" for line in self.lines)])


def differences(old: Accelerator, new: Accelerator) -> list[Change]:
    """Empty when the two are one instruction set.  Instructions that changed in the same way are one `Change`."""
    names = declared(old, new)
    kept = renamed(old, names)
    codes = alike(_texts(kept, kept.instructions, new.instructions), _texts(new, new.instructions, kept.instructions))
    kept = renamed(kept, Renames(instructions=codes))
    groups = alike(_texts(kept, kept.composites, new.composites), _texts(new, new.composites, kept.composites))
    kept = renamed(kept, Renames(instructions=groups))
    found = [*_renamed(names), *_declarations(kept, new)]
    found += _operations("instruction", kept, new, kept.instructions, new.instructions, codes)
    found += _operations("composite", kept, new, kept.composites, new.composites, groups)
    return [*_named(old, new), *_grouped(found), *_notes(kept, new)]


def _texts(accelerator: Accelerator, mine: Mapping[str, Operation], others: Mapping[str, Operation]) -> dict[str, str]:
    """The clauses of operations that the other side does not have by name."""
    return {name: operation_text(accelerator, o).partition("\n")[2] for name, o in mine.items() if name not in others}


def _named(old: Accelerator, new: Accelerator) -> Iterator[Change]:
    if old.name != new.name:
        yield Change("accelerator", (f"renamed: {old.name} -> {new.name}",))


def _renamed(names: Renames) -> Iterator[Change]:
    for what, pairs in (("command word", names.words), ("buffer", names.buffers), ("register", names.states)):
        yield from (Change(f"{what} {b}", (f"renamed: {a} -> {b}",)) for a, b in pairs.items())


def _declarations(old: Accelerator, new: Accelerator) -> Iterator[Change]:
    bare = [replace(a, name="x", instructions={}, composites={}, notes=(), header="") for a in (old, new)]
    for what, kept in (("command word", _words), ("buffer", _buffers), ("register", _states)):
        a, b = (kept(each) for each in bare)
        for name in dict.fromkeys([*a, *b]):
            if a.get(name) != b.get(name):
                yield Change(f"{what} {name}", _said(a.get(name), b.get(name)))
        if list(a) != list(b) and sorted(a) == sorted(b) and what == "command word":
            yield Change("command", (f"words in another order: {', '.join(a)} -> {', '.join(b)}",))


def _said(old: str | None, new: str | None) -> tuple[str, ...]:
    if old is None or new is None:
        return (f"removed: {old}",) if new is None else (f"added: {new}",)
    return (f"{old} -> {new}",)


def _words(accelerator: Accelerator) -> dict[str, str]:
    return {w.name: f"{w.width} bits" for w in accelerator.words}


def _buffers(accelerator: Accelerator) -> dict[str, str]:
    return {n: _declaration(replace(accelerator, words=(), buffers={n: b}, states={})) for n, b in accelerator.buffers.items()}


def _states(accelerator: Accelerator) -> dict[str, str]:
    return {n: _state(replace(accelerator, words=(), buffers={}, states={n: s}), s) for n, s in accelerator.states.items()}


def _state(alone: Accelerator, state: State) -> str:
    return f"{state.kind}{'' if state.count is None else f'[{state.count}]'} {_declaration(alone)}"


def _declaration(alone: Accelerator) -> str:
    """The type in the printed declaration of the only thing declared."""
    return print_text(alone).rstrip("\n").rsplit("\n", 1)[-1].split(" : ", 1)[1]


def _operations(
    what: str, old: Accelerator, new: Accelerator, before: Mapping[str, Operation], after: Mapping[str, Operation], names: Mapping[str, str]
) -> Iterator[Change]:
    was = {b: a for a, b in names.items()}
    for name in dict.fromkeys([*before, *after]):
        if name not in after:
            yield Change(f"{what} {name}", ("removed",))
        elif name not in before:
            yield Change(f"{what} {name}", ("added",))
        else:
            lines = (f"renamed: {was[name]} -> {name}",) if name in was else ()
            lines = (*lines, *_operation(old, new, before[name], after[name]))
            if lines:
                yield Change(f"{what} {name}", lines)
    if sorted(before) == sorted(after) and list(before) != list(after):
        yield Change(f"{what}s", ("in another order",))


def _operation(old: Accelerator, new: Accelerator, before: Operation, after: Operation) -> list[str]:
    a, b = (o.operation if isinstance(o, Composite) else o for o in (before, after))
    names = local_names(a, b)
    lines = [f"attribute renamed: {x} -> {y}" for x, y in names.items() if x in a.attributes]
    return [*lines, *changes(clauses(old, _replaced(before, with_locals(a, names))), clauses(new, after))]


def _replaced(operation: Operation, by: Instruction) -> Operation:
    return replace(operation, operation=by) if isinstance(operation, Composite) else by


def _grouped(found: list[Change]) -> Iterator[Change]:
    """Subjects of one kind with the same lines, together."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for change in found:
        kind, _, name = change.subject.rpartition(" ")
        groups.setdefault((kind, change.lines), []).append(name)
    for (kind, lines), names in groups.items():
        yield Change(f"{kind}{'s' if len(names) > 1 else ''} {', '.join(names)}".strip(), lines)


def _notes(old: Accelerator, new: Accelerator) -> Iterator[Change]:
    for kind, title in (("assume", "assumptions"), ("proved", "proofs")):
        a, b = ([f"{n.subject}: {n.text}" for n in each.notes if n.kind == kind] for each in (old, new))
        lines = [*(f"- {t}" for t in a if t not in b), *(f"+ {t}" for t in b if t not in a)]
        if lines:
            yield Change(title, tuple(lines))
