"""Function bodies with return statements to bodies without.

What follows an `if` or `case` that may return is moved into those branches that do not.
"""

from __future__ import annotations

from dataclasses import dataclass

from lift.errors import UserError
from lift.netlist.model import Location
from lift.netlist.module import Assign, Case, If, Loop, Statement


@dataclass(frozen=True, slots=True)
class Return:
    """The end of a function; `result` assigns its value, if it has one."""

    result: Assign | None
    location: Location


def without_returns(body: tuple[Statement | Return, ...]) -> tuple[Statement, ...]:
    """`body` with each `Return` at the end of its path, as its assignment.  Raises `UserError` for a return inside a loop."""
    done: list[Statement] = []
    for number, statement in enumerate(body):
        if isinstance(statement, Return):
            return (*done, statement.result) if statement.result is not None else tuple(done)
        if _may_return(statement):
            return (*done, _extended(statement, body[number + 1 :]))
        done.append(statement)
    return tuple(done)


def _extended(statement: Statement, rest: tuple[Statement | Return, ...]) -> Statement:
    """`statement` followed by `rest`, as one statement."""
    match statement:
        case If(condition, then, otherwise, location):
            return If(condition, without_returns(then + rest), without_returns(otherwise + rest), location)
        case Case(selector, items, default, location, wildcards):
            moved = tuple((patterns, without_returns(inner + rest)) for patterns, inner in items)
            return Case(selector, moved, without_returns((default or ()) + rest), location, wildcards)
    raise UserError(str(statement.location), "unsupported: a return inside a loop", "leave the loop by its condition")


def _may_return(statement: Statement | Return) -> bool:
    match statement:
        case Return():
            return True
        case If(_, then, otherwise):
            return any(map(_may_return, then + otherwise))
        case Case(_, items, default):
            return any(_may_return(s) for _, inner in items for s in inner) or any(map(_may_return, default or ()))
        case Loop(_, _, _, inner):
            return any(map(_may_return, inner))
    return False
