"""Loops stand for exactly the commands that they replace."""

from random import Random

import pytest

from act.backend.reroll import Affine, Call, Loop, flat, reroll


def test_constant_steps_are_a_loop():
    commands = [("load", (16 * i, 64 * i + 64)) for i in range(3)]
    assert reroll(commands) == [Loop(3, (Call("load", (Affine(0, (16,)), Affine(64, (64,)))),))]


def test_loops_of_loops():
    commands = [(name, (100 * i + j,)) for i in range(4) for name, count in (("a", 5), ("b", 3)) for j in range(count)]
    assert len(reroll(commands)) == 1
    assert list(flat(reroll(commands))) == commands


def test_steps_that_change_end_a_loop():
    commands = [("a", (value,)) for value in (0, 1, 2, 3, 10, 20, 30)]
    assert [item.times for item in reroll(commands) if isinstance(item, Loop)] == [4, 3]


def test_different_instructions_are_no_loop():
    commands = [("a", (1,)), ("b", (2,)), ("c", (3,))]
    assert all(isinstance(item, Call) for item in reroll(commands))


@pytest.mark.parametrize("seed", range(40))
def test_nothing_is_lost(seed):
    random = Random(seed)
    commands = [(random.choice("ab"), (random.randrange(3) * 16, number % 4)) for number in range(random.randrange(80))]
    commands = commands + commands[:20] * 3
    assert list(flat(reroll(commands))) == commands
