"""Operations -> what each of them reads and writes, exactly, and which unit executes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd

from act.backend.cells import Run, cells_of
from act.backend.configure import Configurator
from act.backend.emit import Operation
from act.backend.registers import ANY
from act.generator.finish import finisher
from act.generator.model import Selector
from act.records import dataclass
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator, Slice

Resource = tuple[str, int]
"""A piece of a memory (all pieces of one memory have the same size, and are read or written as a whole), a word of a table, or a register."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """What an operation reads and writes, on which unit."""

    unit: str | None
    reads: frozenset[Resource]
    writes: frozenset[Resource]


@dataclass(frozen=True, slots=True)
class _Runs:
    """The same in runs of elements, with the registers."""

    unit: str | None
    reads: tuple[tuple[str, Run], ...]
    writes: tuple[tuple[str, Run], ...]
    used: frozenset[Resource]
    set: frozenset[Resource]


def footprints(accelerator: Accelerator, issued: Sequence[Operation], memory: Mapping[str, int]) -> list[Footprint]:
    """Of every operation; `memory` are the sizes of host memories.  What says at the end that a program is done waits for all that was written."""
    found, last = list(_runs(accelerator, issued, memory)), finisher(accelerator)
    sizes: dict[str, int] = {}
    for each in found:
        for buffer, (start, length) in (*each.reads, *each.writes):
            sizes[buffer] = gcd(sizes.get(buffer, 0), start, length)
    prints = [Footprint(each.unit, each.used | _pieces(each.reads, sizes), each.set | _pieces(each.writes, sizes)) for each in found]
    if last is not None and issued and issued[-1].name == last.name:
        every = frozenset(resource for each in prints for resource in each.writes)
        prints[-1] = Footprint(prints[-1].unit, prints[-1].reads, every)
    return prints


def _pieces(runs: Sequence[tuple[str, Run]], sizes: Mapping[str, int]) -> frozenset[Resource]:
    return frozenset((buffer, piece) for buffer, (start, length) in runs for piece in range(start // sizes[buffer], (start + length) // sizes[buffer]))


def _runs(accelerator: Accelerator, issued: Sequence[Operation], memory: Mapping[str, int]) -> Iterator[_Runs]:
    registers = Configurator(accelerator, ())
    tables = {selector.name: selector.words for selector in _selectors(issued)}
    for operation in issued:
        instruction = accelerator.operation(operation.name)
        used = {use.name: registers.state[use.state, None if use.index is None else evaluate(use.index, operation.attributes)] for use in instruction.uses}
        known = {**operation.attributes, **{name: value for name, value in used.items() if name is not None and value is not None}}
        values = {**{name: ANY for name in used if name is not None}, **known}
        reads = [run for each in instruction.reads for run in _of(accelerator, each.slice, values, memory)]
        for word in tables.get(operation.name, ()):
            reads.append((word.table, (operation.attributes[word.slot], 1)))
        written = (*(each.slice for each in instruction.writes), *instruction.clobbers)
        writes = [run for piece in written for run in _of(accelerator, piece, values, memory)]
        asked = frozenset((f"register {use.state}", 0) for use in instruction.uses)
        left = frozenset((f"register {each.state}", 0) for each in instruction.sets)
        yield _Runs(instruction.unit, tuple(reads), tuple(writes), asked, left)
        registers.apply(instruction.sets, known)


def _selectors(issued: Sequence[Operation]) -> Iterator[Selector]:
    return (operation.step.match.selector for operation in issued if operation.step is not None)


def _of(accelerator: Accelerator, piece: Slice, values: Mapping[str, int], memory: Mapping[str, int]) -> Iterator[tuple[str, Run]]:
    buffer = accelerator.buffers[piece.buffer]
    sizes = (memory.get(buffer.name, 0),) if buffer.hbm else buffer.access + buffer.unit
    return ((buffer.name, run) for run in cells_of(piece, sizes).runs(values))
