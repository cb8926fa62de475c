"""Two instruction sets of one encoding -> commands after which they leave different elements, as few as show it.

Streams of the model's operations are drawn at random, encoded, and decoded again as the hardware's; both are executed on the same contents, among them
extreme ones.  What neither says anything of is not compared.  A difference is a witness; that none is found proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from act.hlo.arrays import numpy_dtype
from act.hlo.dtypes import integer_range, is_float
from act.oracle.machine import MachineError
from act.oracle.streams import Operations, Streams, commands
from act.oracle.strict import StrictMachine
from act.taidl import Accelerator, Buffer, Instruction
from act.taidl.encode import Issue, decode, encode
from lift.diff.commands import paired

SEEDS = 12
"""Streams that are drawn for each operation of the model."""
BEFORE = (0, 4, 8)
"""How many other operations come before it, in turn."""
REPEATS = 7
"""How often an operation goes on with what it left, so that sums grow large."""
FULL = 0.8
"""How often an extent is near the greatest that is allowed while they do."""
HOST = 1 << 12
"""Bytes of the host memory that have contents."""
FILLS = ("random", "least", "greatest")


@dataclass(frozen=True, slots=True)
class Witness:
    """`operations` of the model, the last of which leaves `found` in the hardware and `modelled` in the model; or is `refused` by the hardware."""

    operations: tuple[Issue, ...]
    fill: str
    seed: int
    place: str = ""
    found: int = 0
    modelled: int = 0
    refused: str = ""

    def lines(self) -> Iterator[str]:
        name, _ = self.operations[-1]
        yield (
            f"{name}: the hardware does not take it: {self.refused}" if self.refused else f"{name}: {self.place} is {self.found}, {self.modelled} in the model"
        )
        yield f"  with {self.fill} elements in all buffers (seed {self.seed}), after"
        yield from (f"    {issued} {' '.join(f'{n}={v}' for n, v in values.items())}".rstrip() for issued, values in self.operations)


def witnesses(hardware: Accelerator, model: Accelerator) -> list[Witness]:
    """At most one for each operation of the model: a result in which the two differ, or that the hardware refuses it wherever it was drawn.  Raises
    ValueError where the two have other command words."""
    if not model.words or model.words != hardware.words:
        raise ValueError("its commands have no words, or others than those of the hardware")
    pair, found = Pair(hardware, model), dict[str, Witness]()
    for name in pair.operations:
        witness = None if pair.is_stated_alike(name) else pair.witness(name)
        if witness is not None:
            found.setdefault(witness.operations[-1][0], witness)
    return list(found.values())


@dataclass(slots=True)
class Pair:
    """`buffers`: those that can be compared, by the model's names, with the hardware's."""

    hardware: Accelerator
    model: Accelerator
    buffers: dict[str, str] = field(init=False)
    drawn: Operations = field(init=False)
    _decoded: dict[tuple[int, ...], list[Issue]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.drawn = Operations(self.model, parts=True)
        mine, theirs = self.model.buffers, self.hardware.buffers
        self.buffers = {name: other for name, other in paired(self.hardware, self.model).items() if _alike(mine[name], theirs[other])}

    @property
    def operations(self) -> list[str]:
        alone = [name for name, each in self.model.instructions.items() if each.encode and not each.opaque]
        return [*alone, *self.model.composites]

    def is_stated_alike(self, name: str) -> bool:
        """Whether both say the same of an operation in the same words: there is nothing to be looked for."""
        theirs = {**self.hardware.instructions, **{n: each.operation for n, each in self.hardware.composites.items()}}
        return name in theirs and _stated(theirs[name]) == _stated(self.model.operation(name))

    def witness(self, name: str) -> Witness | None:
        refusal, taken = None, False
        for seed in range(SEEDS):
            operations = self._drawn(name, seed)
            for fill in FILLS if operations else ():
                found = self._difference(operations, fill, seed)
                if found is not None and not found.refused:
                    return self._shortest(found)
                refusal, taken = refusal or found, taken or found is None
        return self._shortest(refusal) if refusal is not None and not taken else None

    def _drawn(self, name: str, seed: int) -> tuple[Issue, ...]:
        """Operations of which the last is `name`, empty where none was possible: after any others, or after one, many times, that builds up what it reads."""
        streams = Streams(self._machine(self.model, "random", seed), seed, operations=self.drawn)
        chains = self._chains(name) if seed % 2 else []
        if not chains:
            operations = streams.draw(BEFORE[seed // 2 % len(BEFORE)])
        else:
            usual, streams.full = streams.full, FULL
            operations = [each for first in chains[seed // 2 % len(chains)] for each in streams.reach(first)]
            operations += operations[-1:] * REPEATS
            streams.full = usual
        operations += streams.reach(name)
        return tuple(operations) if operations and operations[-1][0] == name else ()

    def _chains(self, name: str) -> list[tuple[str, str]]:
        """Operations that only go on with what they left in a buffer that `name` reads, each after one that begins there."""
        read = self._buffers(name)[0]
        each = [(other, *self._buffers(other)) for other in self.operations]
        going = [(other, writes) for other, reads, writes in each if writes and writes <= reads & read]
        return [(first, other) for other, buffers in going for first, reads, writes in each if writes and writes <= buffers - reads]

    def _buffers(self, name: str) -> tuple[set[str], set[str]]:
        each = self.model.operation(name)
        return {read.slice.buffer for read in each.reads}, {write.slice.buffer for write in each.writes}

    def _difference(self, operations: Sequence[Issue], fill: str, seed: int) -> Witness | None:
        """What the two leave after all of `operations`; None for what the model does not allow."""
        model, hardware = self._machine(self.model, fill, seed), self._machine(self.hardware, fill, seed)
        for number, (name, values) in enumerate(operations, 1):
            try:
                model.step(name, values)
            except MachineError:
                return None
            for command, attributes in commands(self.model, [(name, values)]):
                refused = _issue(hardware, self._decode(encode(self.model, command, attributes)))
                if refused:
                    return Witness(tuple(operations[:number]), fill, seed, refused=refused)
        return next((Witness(tuple(operations), fill, seed, *found) for found in self._different(model, hardware)), None)

    def _decode(self, words: Mapping[str, int]) -> list[Issue]:
        key = tuple(words.values())
        if key not in self._decoded:
            self._decoded[key] = decode(self.hardware, words)
        return self._decoded[key]

    def _different(self, model: StrictMachine, hardware: StrictMachine) -> Iterator[tuple[str, int, int]]:
        for name, other in self.buffers.items():
            mine, theirs = model.buffers[name].reshape(-1), hardware.buffers[other].reshape(-1)
            wrong = np.flatnonzero((mine != theirs) & ~model.unspecified[name] & ~hardware.unspecified[other])
            if wrong.size:
                place = "".join(f"[{n}]" for n in np.unravel_index(wrong[0], hardware.buffers[other].shape))
                yield f"{other}{place}", theirs[wrong[0]].item(), mine[wrong[0]].item()

    def _shortest(self, found: Witness) -> Witness:
        """No operation can be left out of it."""
        number = 0
        while number < len(found.operations):
            less = found.operations[:number] + found.operations[number + 1 :]
            other = self._difference(less, found.fill, found.seed) if less else None
            if other is not None and bool(other.refused) == bool(found.refused):
                found, number = other, 0
            else:
                number += 1
        return found

    def _machine(self, accelerator: Accelerator, fill: str, seed: int) -> StrictMachine:
        """With the same contents in the buffers that are compared, whichever of the two it is of."""
        names = {name: name for name in self.buffers} if accelerator is self.model else {other: name for name, other in self.buffers.items()}
        contents = {n: _contents(accelerator.buffers[n], fill, f"{seed} {name}") for n, name in names.items()}
        host = {n: each for n, each in contents.items() if accelerator.buffers[n].hbm}
        machine = StrictMachine(accelerator, host, seed, names)
        machine.buffers |= contents
        return machine


def _stated(each: Instruction) -> Instruction:
    return replace(each, source=())


def _issue(machine: StrictMachine, meanings: Sequence[Issue]) -> str:
    """Executes a command that may mean one of these; why it cannot be, if so."""
    reasons = []
    for name, attributes in meanings:
        try:
            machine.step(name, attributes)
        except MachineError as error:
            reasons.append(str(error))
        else:
            return ""
    return "; ".join(reasons) or "its words are no command there"


def _contents(buffer: Buffer, fill: str, seed: str) -> NDArray[np.generic]:
    shape = (HOST,) if buffer.hbm else buffer.access + buffer.unit
    dtype = numpy_dtype(buffer.element)
    if is_float(buffer.element) or buffer.element == "pred":
        return np.random.default_rng(list(seed.encode())).integers(0, 2, shape).astype(dtype)
    low, high = integer_range(buffer.element)
    if fill == "random":
        return np.random.default_rng(list(seed.encode())).integers(low, high, shape, endpoint=True).astype(dtype)
    return np.full(shape, low if fill == "least" else high).astype(dtype)


def _alike(one: Buffer, other: Buffer) -> bool:
    return one.element == other.element and ((one.hbm and other.hbm) or (one.access, one.unit) == (other.access, other.unit))
