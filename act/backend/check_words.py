"""A finished program -> the assurance that every instruction that takes addresses from words of a table finds those that were planned.

Takes the instructions and the steps of macros from the TAIDL file, and nothing from what derived or planned anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from act.backend.cells import OutOfBounds, cells_of
from act.backend.classes import ClassGraph
from act.backend.emit import Operation
from act.records import dataclass, field
from act.taidl.expr import evaluate, lookups
from act.taidl.model import Accelerator, Binary, Branch, Choice, Composite, Expr, Index, Instruction, Lookup, Loop, Name, Part, Slice, Step, Unary

Contents = Mapping[str, Mapping[int, int]]
"""The words that are in each table."""


class WrongWords(AssertionError):
    """An instruction would find other addresses in a table than those that were planned."""


@dataclass(frozen=True, slots=True)
class _Access:
    """A slice in which look-ups are names."""

    piece: Slice
    found: tuple[tuple[str, Lookup], ...]


def check_words(accelerator: Accelerator, target: Accelerator, graph: ClassGraph, issued: Sequence[Operation]) -> None:
    """Follows what is in the tables through the program: what an instruction reads and writes, at both ends of each of its loops, is what
    was planned.  Raises `WrongWords`."""
    checker = _Checker(accelerator, target)
    contents = {word.table: dict[int, int]() for each in issued if each.step is not None for word in each.step.match.selector.words}
    for operation in issued:
        planned, composite = target.operation(operation.name), target.composites.get(operation.name)
        if operation.step is None:
            continue
        if operation.step.match.selector.words and composite is not None:
            checker.check(composite, operation.attributes, contents)
        for piece in (piece for piece in planned.slices[len(planned.reads) :] if piece.buffer in contents):
            for place in checker.cells(target, piece, operation.attributes):
                contents[piece.buffer].pop(place, None)
        if len(planned.writes) == 1 and planned.writes[0].slice.buffer in contents:
            _follow(planned.writes[0].slice, operation.attributes, graph, operation.step.number, contents[planned.writes[0].slice.buffer])


def _follow(piece: Slice, attributes: Mapping[str, int], graph: ClassGraph, number: int, table: dict[int, int]) -> None:
    """What is written to a memory of single elements; nothing is known of what is no constant."""
    value = next(graph.nodes(number, "constant"), None)
    if value is None or len(piece.coordinates) != 1 or len(piece.indices) != 1 or not isinstance(value.attribute("value"), tuple):
        return
    for place, word in enumerate(value.attribute("value")):
        table[evaluate(piece.coordinates[0], {**attributes, piece.indices[0].name: place})] = word


def ends(steps: Sequence[Step], values: Mapping[str, int], number: int = 0, total: int = 1) -> Iterator[tuple[int, int, Part, dict[str, int]]]:
    """The first and the last of the steps that a macro does in each of its loops: which it is, of how many, and the values of its attributes."""
    if len(steps) != 1:
        raise WrongWords("a macro of several steps")
    match steps[0]:
        case Part(_, arguments) as part:
            yield number, total, part, {name: evaluate(value, values) for name, value in arguments.items()}
        case Loop(Index(name, extent), inner):
            count = evaluate(extent, values)
            for at in sorted({0, count - 1}) if count > 0 else ():
                yield from ends(inner, {**values, name: at}, number * count + at, total * count)
        case Branch(condition, then, otherwise):
            yield from ends(then if evaluate(condition, values) else otherwise, values, number, total)


@dataclass(slots=True)
class _Checker:
    accelerator: Accelerator
    target: Accelerator
    _accesses: dict[str, list[_Access]] = field(default_factory=dict)

    def check(self, composite: Composite, attributes: Mapping[str, int], contents: Contents) -> None:
        planned, (part,) = composite.operation, composite.parts
        instruction = self.accelerator.instructions[part.instruction]
        values = {name: evaluate(value, attributes) for name, value in part.arguments.items()}
        plan = {piece: self.cells(self.target, piece, attributes) for piece in planned.slices}
        if instruction.steps:
            self._check_apart(planned, plan)
        calls = ends(instruction.steps, values) if instruction.steps else [(0, 1, part, values)]
        done = False
        for number, total, call, arguments in calls:
            done = True
            self._check_step(planned, plan, self.accelerator.instructions[call.instruction], arguments, (number, total), contents)
        if not done:
            raise WrongWords(f"{part.instruction} does nothing with {values}")

    def _check_apart(self, planned: Instruction, plan: Mapping[Slice, list[int]]) -> None:
        """A macro works row by row: no row may be read that another one has written."""
        written = [*(each.slice for each in planned.writes), *planned.clobbers]
        for read in planned.reads:
            for piece in (each for each in written if each.buffer == read.slice.buffer and each != read.slice):
                if not set(plan[read.slice]).isdisjoint(plan[piece]):
                    raise WrongWords(f"{planned.name}: it reads rows of {piece.buffer} that it writes")

    def _check_step(
        self, planned: Instruction, plan: Mapping[Slice, list[int]], real: Instruction, values: Mapping[str, int], which: tuple[int, int], contents: Contents
    ) -> None:
        """The planned cells are those of all steps one after the other, or those of each step."""
        number, total = which
        for access, piece in zip(self._of(real), _same_order(real, planned), strict=True):
            found = {name: _looked_up(lookup, values, contents) for name, lookup in access.found}
            cells, every = self.cells(self.accelerator, access.piece, {**values, **found}), plan[piece]
            moving = len(every) == total * len(cells)
            if not moving and len(every) != len(cells):
                raise WrongWords(f"{real.name}: another part of {piece.buffer}")
            if cells != (every[number * len(cells) : (number + 1) * len(cells)] if moving else every):
                raise WrongWords(f"{real.name}: another address of {piece.buffer}")

    def _of(self, instruction: Instruction) -> list[_Access]:
        if instruction.name not in self._accesses:
            self._accesses[instruction.name] = [_without_lookups(piece) for piece in instruction.slices]
        return self._accesses[instruction.name]

    def cells(self, accelerator: Accelerator, piece: Slice, values: Mapping[str, int]) -> list[int]:
        buffer = accelerator.buffers[piece.buffer]
        try:
            runs = cells_of(piece, buffer.access + buffer.unit).runs(values)
        except OutOfBounds:
            raise WrongWords(f"an address beyond {piece.buffer}") from None
        return [cell for start, length in runs for cell in range(start, start + length)]


def _same_order(real: Instruction, planned: Instruction) -> Iterator[Slice]:
    """The slices of what was planned, in the order of those of the instruction: of several results all but one are overwritten."""
    yield from (read.slice for read in planned.reads)
    written = [planned.writes[0].slice, *planned.clobbers]
    for piece in (*(each.slice for each in real.writes), *real.clobbers):
        which = next(number for number, each in enumerate(written) if each.buffer == piece.buffer)
        yield written.pop(which)


def _without_lookups(piece: Slice) -> _Access:
    found = {lookup: f"{lookup.buffer}__{number}" for number, lookup in enumerate(sorted(set().union(*map(lookups, piece.coordinates)), key=repr))}
    coordinates = tuple(_named(coordinate, found) for coordinate in piece.coordinates)
    return _Access(Slice(piece.buffer, coordinates, piece.indices), tuple((name, lookup) for lookup, name in found.items()))


def _named(expr: Expr, found: Mapping[Lookup, str]) -> Expr:
    match expr:
        case Lookup():
            return Name(found[expr])
        case Binary(op, left, right):
            return Binary(op, _named(left, found), _named(right, found))
        case Unary(op, operand):
            return Unary(op, _named(operand, found))
        case Choice(condition, then, otherwise):
            return Choice(_named(condition, found), _named(then, found), _named(otherwise, found))
    return expr


def _looked_up(lookup: Lookup, values: Mapping[str, int], contents: Contents) -> int:
    place = evaluate(lookup.indices[0], values)
    if place not in contents.get(lookup.buffer, {}):
        raise WrongWords(f"a word of {lookup.buffer} is read that was not loaded")
    return contents[lookup.buffer][place]
