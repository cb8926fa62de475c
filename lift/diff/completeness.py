"""A lifted instruction set beside one that was written by hand -> what only one of them says, in terms of commands, registers and operators.

Names mean nothing here: buffers are paired by their types, a hand-written operation belongs to the commands that it shares an encoding with, or that
move between the same buffers with most of its operators; one that only sets registers, to the commands that set what those then need.  So a model that
knows one load where the hardware has three, or that computes in software what no command does, is told from hardware that was forgotten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import prod

from act.taidl import Accelerator, Buffer, Instruction
from act.taidl.bounds import bounds
from act.taidl.ranges import value_ranges
from lift.diff.commands import Command, Side, able, commands, operators, paired, register
from lift.diff.witness import witnesses


def comparison(hardware: Accelerator, model: Accelerator, source: str) -> str:
    """The report, for people.  `source` is the file that the model is from."""
    names = paired(hardware, model)
    return "\n".join(_Comparison(Side(hardware), Side(model, names), source).lines()) + "\n"


class _Comparison:
    """`found`: for each operation of the model, the commands of the hardware that it stands for."""

    def __init__(self, hardware: Side, model: Side, source: str) -> None:
        self.hardware, self.model, self.source = hardware, model, source
        self.mine, self.theirs = commands(hardware.accelerator), commands(model.accelerator)
        self.found = {each.name: self._stands_for(each) for each in self.theirs}
        self.found |= {each.name: self._set_for(each) for each in self.theirs if not self.found[each.name] and not each.moves}

    def lines(self) -> Iterator[str]:
        yield f"{self.hardware.name} (hardware, lifted) beside {self.model.name} (model, {self.source})"
        yield from self._section("buffers", self._buffers())
        groups: dict[tuple[str, ...], list[Command]] = {}
        for each in self.mine:
            groups.setdefault(tuple(n for n, some in self.found.items() if each in some), []).append(each)
        yield from self._section("commands that both have", (line for key, group in groups.items() if key for line in self._both(group, key)))
        alone = [each for key, group in groups.items() if not key for each in group]
        yield from self._section("commands that the model lacks", (self._missing(each) for each in alone))
        yield from self._section("operations of the model that no command performs", map(self._software, self._unmatched()))
        yield from self._section("operators", self._operators())
        yield from self._section("results that differ, with the commands that show it", self._witnesses())

    @staticmethod
    def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
        found = list(lines)
        yield from ["", title, *(f"  {line}" for line in found or ["none"])]

    # what belongs together

    def _stands_for(self, model: Command) -> list[Command]:
        if model.code and (same := [c for c in self.mine if model.code <= c.code or c.code <= model.code]):
            return same
        scores = [(self._score(c, model), c) for c in self.mine]
        best = max((score for score, _ in scores), default=0.0)
        return [c for score, c in scores if score == best > 0.0]

    def _score(self, hardware: Command, model: Command) -> float:
        """How much of what the model's operation computes a command that moves between the same buffers does; 0 for one that does not, or that has nothing in
        common with one that computes in place."""
        moves = {m for i in model.members for m in self.model.moves(i)}
        same = [i for i in self._operations(hardware) if moves & self.hardware.moves(i)]
        wanted = model.operators
        in_place = any(written in read for read, written in moves)
        if not same or (wanted and in_place and not wanted & able(same)):
            return 0.0
        return 1 + max(_share(operators(i), wanted) for i in same)

    def _set_for(self, model: Command) -> list[Command]:
        """The commands that set registers which those need that stand for the ones that need what `model` sets."""
        users = [c for c in self.theirs if c is not model and c.needed & model.changed]
        needed = {r for c in users for found in self.found[c.name] for r in found.needed}
        return [c for c in self.mine if not c.moves and c.changed & needed]

    def _operations(self, command: Command) -> list[Instruction]:
        """The instructions of a command, and the composites that it is the last part of."""
        names = {i.name for i in command.members}
        composites = self.hardware.accelerator.composites.values()
        return [*command.members, *(c.operation for c in composites if c.parts and c.parts[-1].instruction in names)]

    def _unmatched(self) -> list[Command]:
        return [c for c in self.theirs if not self.found[c.name]]

    # what is said of it

    def _buffers(self) -> Iterator[str]:
        other = {b: a for a, b in self.model.names.items()}
        for name, buffer in self.hardware.accelerator.buffers.items():
            if name not in other:
                yield f"{name} {_type(buffer)}: not in the model"
                continue
            model = self.model.accelerator.buffers[other[name]]
            same = f"as {model.name}" if model.name != name else "in both"
            yield f"{name} {_type(buffer)}: {same if _type(buffer) == _type(model) else f'{_type(model)} in the model, as {model.name}'}"
        yield from (f"{n} {_type(b)}: only in the model" for n, b in self.model.accelerator.buffers.items() if n not in self.model.names)

    def _both(self, group: Sequence[Command], key: Sequence[str]) -> Iterator[str]:
        """What commands of the hardware do beyond the operations of the model that stand for them."""
        model = [c for c in self.theirs if c.name in key]
        yield f"{', '.join(c.name for c in group)}: {', '.join(key)}"
        if not any(c.moves for c in group):
            mine, theirs = ({r for c in some for r in c.changed} for some in (group, model))
            yield f"  sets {_some(sorted(mine), 20)}; in the model {_some(sorted(theirs), 20)}"
            return
        yield from (f"  {line}" for line in self._banks(group, model))
        computed = {o for c in model for o in c.operators}
        own = [i for c in group for i in self._operations(c)]
        for operator in sorted({o for i in own for o in operators(i)} - computed):
            modes = [i.name for i in own if operator in operators(i)]
            needed = sorted({register(u.state, u.index) for i in own if i.name in modes for u in i.uses} - self._needed_elsewhere(own, modes))
            yield f"  not in the model: {operator}, in {_some(modes)}{f', by registers {_some(needed, 12)}' if needed else ''}"
        yield from (f"  only in the model: {o}" for o in sorted(computed - able(own)))
        yield from (f"  {line}" for line in self._extents(own, [i for c in model for i in c.members]))

    def _banks(self, group: Sequence[Command], model: Sequence[Command]) -> Iterator[str]:
        """Commands that do the same with registers of their own."""
        if len(group) < 2:
            return
        for each in group:
            own = each.registers - {r for other in group if other is not each for r in other.registers}
            yield f"{each.name} has registers of its own: {_some(sorted(own), 12)}" if own else f"{each.name} shares its registers with the others"
        theirs = sorted({r for c in model for r in c.registers})
        yield f"the model has one for all of them, with {f'registers {_some(theirs)}' if theirs else 'no register'}"

    @staticmethod
    def _needed_elsewhere(own: Sequence[Instruction], modes: Collection[str]) -> set[str]:
        return {register(u.state, u.index) for i in own if i.name not in modes for u in i.uses}

    def _extents(self, own: Sequence[Instruction], theirs: Sequence[Instruction]) -> Iterator[str]:
        """The largest tile that one of them moves, buffer by buffer, where the model has another."""
        mine, model = (_largest(s, some) for s, some in ((self.hardware, own), (self.model, theirs)))
        for buffer in sorted(mine.keys() & model.keys()):
            if mine[buffer] != model[buffer]:
                yield f"at most {_elements(mine[buffer])} of {buffer} at once, {_elements(model[buffer])} in the model"

    def _missing(self, each: Command) -> str:
        found = sorted(each.operators)
        computes = f"; computes with {_some(found, 12)}" if found else ""
        sets = sorted(each.changed)
        written = sorted({w.slice.buffer for i in each.members for w in i.writes})
        effect = [f"sets {_some(sets, 20)}"] if sets else []
        effect += [f"writes {_some(written)}"] if written else []
        opaque = "; opaque, its effect is not known" if all(i.opaque for i in each.members) else ""
        return f"{each.name}: {' and '.join(effect) or 'no effect on a buffer or register'}{computes}{opaque}"

    def _software(self, each: Command) -> str:
        """An operation whose operators no command has is software; one that moves as no command does is something else."""
        lacking = sorted(each.operators - able(i for c in self.mine for i in self._operations(c)))
        if lacking:
            return f"{each.name}: software, as no command computes {_some(lacking)}"
        if not each.moves:
            return f"{each.name}: no command sets such registers ({_some(sorted(each.changed))})"
        moves = sorted({f"{' and '.join(sorted(read)) or 'nothing'} -> {written}" for i in each.members for read, written in self.model.moves(i)})
        return f"{each.name}: no command computes that from {_some(moves)}"

    def _witnesses(self) -> Iterator[str]:
        try:
            for each in witnesses(self.hardware.accelerator, self.model.accelerator):
                yield from each.lines()
        except ValueError as error:
            yield f"not looked for: {error}"

    def _operators(self) -> Iterator[str]:
        mine = {o for c in self.mine for i in self._operations(c) for o in operators(i)}
        theirs = {o for c in self.theirs for o in c.operators}
        for title, some in (("in both", mine & theirs), ("only in hardware", mine - theirs), ("only in the model", theirs - mine)):
            yield f"{title}: {', '.join(sorted(some)) or 'none'}"


def _share(one: Collection[str], other: Collection[str]) -> float:
    together = set(one) | set(other)
    return len(set(one) & set(other)) / len(together) if together else 1.0


def _type(buffer: Buffer) -> str:
    sizes = "".join(f"[{n}]" for n in buffer.access)
    unit = f"[{', '.join(map(str, buffer.unit))}]" if buffer.unit else ""
    return f"{buffer.element}{sizes}{unit}"


def _some(names: Sequence[str], most: int = 4) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _elements(count: int | None) -> str:
    return "any number of elements" if count is None else f"{count} elements"


def _largest(side: Side, some: Iterable[Instruction]) -> dict[str, int | None]:
    """The most elements that one instruction writes of each buffer (by the hardware's names), None where nothing limits them."""
    found: dict[str, int | None] = {}
    for each in some:
        ranges = value_ranges(side.accelerator, each)
        for write in each.writes:
            name = side.names.get(write.slice.buffer, write.slice.buffer)
            extents = [bounds(index.extent, ranges).high for index in write.slice.indices]
            limited = [n for n in extents if n is not None]
            before = found.get(name, 0)
            found[name] = None if before is None or len(limited) < len(extents) else max(before, prod(limited))
    return found


__all__ = ["comparison"]
