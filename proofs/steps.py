"""A step of a macro -> the instruction that it is, with what the loops around it and the contents of buffers make of its attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import z3

from act.taidl import Accelerator, Binary, Expr, Instruction, Int, Name, Slice, Unary, body_of
from act.taidl.model import Choice, Lookup, Loop, Part
from act.taidl.model import Step as AnyStep
from proofs.integers import Integer, exact, less, needed, unsigned
from proofs.meaning import array, variable
from proofs.solve import NotProved
from proofs.specification import BUFFERS, Command, places
from proofs.tensors import Product, is_signed, multiply, width_of


@dataclass(frozen=True, slots=True)
class Nest:
    """Loops, outermost first, around one step: the names, extents and free values of their indices; `inside`: each is below its extent."""

    names: tuple[str, ...]
    extents: tuple[Integer, ...]
    indices: tuple[Integer, ...]
    part: Part

    @property
    def inside(self) -> list[z3.BoolRef]:
        return [less(i, n) for i, n in zip(self.indices, self.extents, strict=True)]


def nest(macro: Command) -> Nest:
    """Of a macro that is loops around one step."""
    found: list[tuple[str, Integer, Integer]] = []
    step = _only(macro, macro.operation.steps)
    while isinstance(step, Loop):
        extent = exact(step.index.extent, macro.names)
        bits = needed(0, max(extent.high - 1, 1)) - 1
        found.append((step.index.name, extent, Integer(z3.ZeroExt(1, variable(f"index {step.index.name}", bits)), 0, max(extent.high - 1, 0))))
        step = _only(macro, step.steps)
    if not isinstance(step, Part) or not found:
        raise NotProved(f"{macro.operation.name} is not loops around one step")
    names, extents, indices = zip(*found, strict=True)
    return Nest(names, extents, indices, step)


def _only(macro: Command, steps: tuple[AnyStep, ...]) -> AnyStep:
    if len(steps) != 1:
        raise NotProved(f"{macro.operation.name} has {len(steps)} steps in one place")
    return steps[0]


class Step(Command):
    """The instruction of a step, for all values of the attributes of the macro and of the indices of its loops.

    What slices look up in a buffer is an integer of its own."""

    def __init__(self, macro: Command, loops: Nest, product: Product = multiply) -> None:
        self.accelerator, self.product = macro.accelerator, product
        self.attributes, self._given = {}, dict[str, Integer]()
        outside = macro.names | dict(zip(loops.names, loops.indices, strict=True))
        self._given |= {name: exact(value, outside) for name, value in loops.part.arguments.items()}
        self.operation = self._without_lookups(self.accelerator.instructions[loops.part.instruction])
        self.body = body_of(self.operation, self.operation.name) if self.operation.body else None

    @cached_property
    def wide(self) -> dict[str, Integer]:
        return dict(self._given)

    def _without_lookups(self, operation: Instruction) -> Instruction:
        reads = tuple(replace(r, slice=self._slice(r.slice)) for r in operation.reads)
        return replace(operation, reads=reads, writes=tuple(replace(w, slice=self._slice(w.slice)) for w in operation.writes))

    def _slice(self, given: Slice) -> Slice:
        return replace(given, coordinates=tuple(self._expr(c) for c in given.coordinates))

    def _expr(self, expr: Expr) -> Expr:
        match expr:
            case Lookup(buffer, indices):
                name = f"lookup {len(self._given)}"
                self._given[name] = looked_up(self.accelerator, buffer, tuple(self._expr(i) for i in indices), self._given)
                return Name(name)
            case Binary(op, left, right):
                return Binary(op, self._expr(left), self._expr(right))
            case Unary(op, operand):
                return Unary(op, self._expr(operand))
            case Choice(condition, then, otherwise):
                return Choice(self._expr(condition), self._expr(then), self._expr(otherwise))
            case Int() | Name():
                return expr


def looked_up(accelerator: Accelerator, name: str, indices: tuple[Expr, ...], names: Mapping[str, Integer]) -> Integer:
    """The integer in a buffer whose addresses hold one each."""
    buffer = accelerator.buffers[name]
    if buffer.unit or is_signed(buffer.element) or len(BUFFERS[name]) > 1:
        raise NotProved(f"a look-up in {name}")
    (place,) = places(buffer, Slice(name, indices, ()), names)
    return unsigned(z3.Select(array(place.name, width_of(buffer.element)), place.address))


__all__ = ["Nest", "Step", "nest"]
