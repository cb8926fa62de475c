"""Return statements end their path, whatever follows."""

from __future__ import annotations

import pytest

from lift.errors import UserError
from lift.netlist.builder import Builder
from lift.netlist.model import Location
from lift.netlist.module import Assign, If, Loop, Target
from lift.netlist.returns import Return, without_returns

HERE = Location("f.sv", 7)
b = Builder()
CONDITION = b.intern("var", 1, (), "c")


def assign(value: int) -> Assign:
    return Assign((Target("f", 8),), b.const(value, 8), HERE)


def test_what_follows_a_return_is_dropped() -> None:
    assert without_returns((assign(1), Return(assign(2), HERE), assign(3))) == (assign(1), assign(2))


def test_what_follows_a_branch_that_returns_moves_into_the_other() -> None:
    body = (If(CONDITION, (Return(assign(1), HERE),), (), HERE), assign(2), Return(assign(3), HERE))  # type: ignore[arg-type]
    assert without_returns(body) == (If(CONDITION, (assign(1),), (assign(2), assign(3)), HERE),)


def test_return_inside_a_loop_is_refused() -> None:
    loop = Loop((), CONDITION, (), (Return(assign(1), HERE),), HERE)  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"f\.sv:7: error: unsupported: a return inside a loop"):
        without_returns((loop,))
