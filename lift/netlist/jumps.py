"""Loops with break, continue and return to loops without.

A jump sets a flag; what it skips is executed under the condition that the flag is 0.  A loop is unrolled all the same, and ends early
where the flag is the constant 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lift.netlist.builder import Builder
from lift.netlist.model import Location, Node
from lift.netlist.module import Assign, Case, If, Loop, Statement, Target
from lift.netlist.returns import Return


@dataclass(frozen=True, slots=True)
class Break:
    location: Location


@dataclass(frozen=True, slots=True)
class Continue:
    location: Location


def without_jumps(b: Builder, loop: Loop, fresh: Callable[[int], str]) -> tuple[Statement, ...]:
    """`loop`, whose body may contain `Break`, `Continue` and `Return` of its own, by flags; `fresh(width)` names a new variable.  A
    `Return` remains behind the loop."""
    if not any(map(_jumps, loop.body)):
        return (loop,)
    return _Loop(b, loop, fresh).convert()


class _Loop:
    def __init__(self, b: Builder, loop: Loop, fresh: Callable[[int], str]) -> None:
        self._b, self._loop, self._at = b, loop, loop.location
        self._stop, self._skip, self._returned = fresh(1), fresh(1), fresh(1)
        counters = {t.name: t.width for s in loop.start if isinstance(s, Assign) for t in s.targets}
        self._saved = {name: (fresh(width), width) for name, width in counters.items()}  # the counters where the loop was left
        self._returns = False

    def convert(self) -> tuple[Statement, ...]:
        body = (self._set(self._skip, 0), If(self._clear(self._stop), self._without(self._loop.body), (), self._at))
        cleared = (Assign((Target(saved, width),), self._b.const(0, width), self._at) for saved, width in self._saved.values())
        start = (*self._loop.start, self._set(self._stop, 0), self._set(self._returned, 0), *cleared)
        restored = tuple(self._copy(name, saved, width) for name, (saved, width) in self._saved.items())
        after: list[Any] = [If(self._flag(self._stop), restored, (), self._at)] if restored else []
        if self._returns:
            after.append(If(self._flag(self._returned), (Return(None, self._at),), (), self._at))  # type: ignore[arg-type]
        return (replace(self._loop, start=start, body=body, stop=self._stop), *after)

    def _without(self, body: tuple[Any, ...]) -> tuple[Statement, ...]:
        done: list[Statement] = []
        for number, statement in enumerate(body):
            match statement:
                case Break():
                    return (*done, *self._leave())
                case Continue():
                    return (*done, self._set(self._skip, 1))
                case Return(result):
                    self._returns = True
                    return (*done, *((result,) if result is not None else ()), self._set(self._returned, 1), *self._leave())
            if not _jumps(statement):
                done.append(statement)
                continue
            done.append(self._inside(statement))
            rest = self._without(body[number + 1 :])
            going_on = self._b.op("and", self._clear(self._stop), self._clear(self._skip))
            return (*done, If(going_on, rest, (), self._at)) if rest else tuple(done)
        return tuple(done)

    def _inside(self, statement: Statement) -> Statement:
        match statement:
            case If(condition, then, otherwise, location):
                return If(condition, self._without(then), self._without(otherwise), location)
            case Case(_, items, default):
                moved = tuple((patterns, self._without(inner)) for patterns, inner in items)
                return replace(statement, items=moved, default=None if default is None else self._without(default))
        raise AssertionError(statement)

    def _leave(self) -> tuple[Statement, ...]:
        return (*(self._copy(saved, name, width) for name, (saved, width) in self._saved.items()), self._set(self._stop, 1))

    def _flag(self, name: str) -> Node:
        return self._b.intern("var", 1, (), name)

    def _clear(self, name: str) -> Node:
        return self._b.op("not", self._flag(name))

    def _set(self, name: str, value: int) -> Assign:
        return Assign((Target(name, 1),), self._b.const(value, 1), self._at)

    def _copy(self, to: str, name: str, width: int) -> Assign:
        return Assign((Target(to, width),), self._b.intern("var", width, (), name), self._at)


def _jumps(statement: Any) -> bool:
    match statement:
        case Break() | Continue() | Return():
            return True
        case If(_, then, otherwise):
            return any(map(_jumps, then + otherwise))
        case Case(_, items, default):
            return any(_jumps(s) for _, inner in items for s in inner) or any(map(_jumps, default or ()))
    return False
