"""Loops over micro-ops, loads of two dimensions, and instructions that only pass tokens on: programs are right in whatever order units work."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from act.backend import allocate
from act.backend.check_order import Unordered, check_order
from act.backend.check_words import WrongWords, check_words
from act.backend.compile import Backend, Compiled, compile_module
from act.backend.verify import disagreement, inputs
from act.errors import UserError
from act.hlo import Module, parse_module
from tests.act.backend.backends import ROOT, backend_of, hlo
from tests.act.backend.test_decoupled import expected, may_begin, moves, side_by_side

TEXT = (ROOT / "tests/act/backend/machines/micro.taidl").read_text()
BY_ROWS, BY_COLUMNS = (f"lhs_contracting_dims={{1}}, rhs_contracting_dims={{{axis}}}" for axis in (1, 0))
WINDOW = """HloModule test

greatest {
  x = s8[] parameter(0)
  y = s8[] parameter(1)
  ROOT r = s8[] maximum(x, y)
}

ENTRY main {
  a = s8[1,5,6,4] parameter(0)
  i = s8[] constant(-128)
  ROOT n = s8[1,3,3,4] reduce-window(a, i), window={size=1x2x2x1 stride=1x2x2x1 pad=0_0x0_1x0_0x0_0}, to_apply=greatest
}
"""
KERNELS = {
    "product": hlo("a = s8[4,4] parameter(0)", "b = s8[4,4] parameter(1)", f"d = s8[4,4] dot(a, b), {BY_ROWS}"),
    "tiled product": hlo("a = s8[10,8] parameter(0)", "b = s8[12,8] parameter(1)", f"d = s8[10,12] dot(a, b), {BY_ROWS}"),
    "product by columns": hlo("a = s8[6,8] parameter(0)", "b = s8[8,8] parameter(1)", f"d = s8[6,8] dot(a, b), {BY_COLUMNS}"),
    "sum of wide integers": hlo(
        "a = s32[6,4] parameter(0)", "c = s32[] constant(-7)", "b = s32[6,4] broadcast(c), dimensions={}", "e = s32[6,4] add(a, b)", "n = s8[6,4] convert(e)",
    ),
    "copies": hlo("a = s8[5,8] parameter(0)", "s = s8[3,8] slice(a), slice={[1:4], [0:8]}", "o = (s8[5,8], s8[3,8]) tuple(a, s)"),
    "one row": hlo(
        "v = s32[8] parameter(0)", "b = s32[1,8] broadcast(v), dimensions={1}", "x = s8[1,8] parameter(1)", "w = s32[1,8] convert(x)",
        "e = s32[1,8] add(w, b)", "n = s8[1,8] convert(e)", "a = s8[1,12] parameter(2)", "m = s8[12,8] parameter(3)",
        f"d = s8[1,8] dot(a, m), {BY_COLUMNS}", "c = s8[] constant(-95)", "cs = s8[1,8] broadcast(c), dimensions={}", "f = s8[1,8] add(d, cs)",
        "r = s8[1,8] maximum(n, f)",
    ),
    "greatest of bytes": hlo("a = s8[8,4] parameter(0)", "b = s8[8,4] parameter(1)", "m = s8[8,4] maximum(a, b)"),
    "greatest of windows": WINDOW,
    "convolution": hlo(
        "x = s8[1,4,4,4] parameter(0)", "w = s8[3,3,4,4] parameter(1)",
        "c = s8[1,4,4,4] convolution(x, w), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01oi->b01f",
    ),
}  # fmt: skip


@cache
def compiled(name: str) -> tuple[Backend, Module, Compiled]:
    backend, module = backend_of(TEXT), parse_module(KERNELS[name])
    return backend, module, compile_module(backend, module)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_right(name: str) -> None:
    backend, module, made = compiled(name)
    assert disagreement(backend.accelerator, module, made.program, seed=1, rounds=1) is None


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", range(2))
def test_a_kernel_is_right_in_every_order_that_tokens_allow(name: str, seed: int) -> None:
    backend, module, made = compiled(name)
    values = dict(inputs(module, 0))["random 0"]
    found = side_by_side(backend, made, values, random.Random(seed))
    assert all(np.array_equal(found[f"out{number}"], each) for number, each in enumerate(expected(module, values)))


@pytest.mark.parametrize("name", KERNELS)
def test_what_one_attribute_places_is_placed_without_a_solver(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A result and what is overwritten besides have the same row, in two memories."""
    asked = []
    monkeypatch.setattr(allocate, "place_together", lambda *given: asked.append(given))
    assert compile_module(backend_of(TEXT), parse_module(KERNELS[name])).program.commands
    assert asked == []


def test_a_loop_runs_over_the_rows_of_a_tile() -> None:
    _, _, made = compiled("tiled product")
    products = [each for each in made.program.commands if each.instruction == "product"]
    assert max(each.attributes["rows"] for each in products) == 10


def test_a_program_says_at_the_end_that_it_is_done() -> None:
    _, _, made = compiled("product")
    assert [each.instruction for each in made.program.commands].index("finish") == len(made.program.commands) - 1
    assert made.program.commands[-1].attributes["wait_store"] == 1


def test_the_end_that_does_not_wait_for_the_last_store_is_seen() -> None:
    backend, _, made = compiled("product")
    last = made.operations[-1]
    damaged = [*made.operations[:-1], replace(last, attributes={**last.attributes, "wait_store": 0})]
    with pytest.raises(Unordered, match="finish does not wait"):
        check_order(backend.target, damaged, made.allocation.memory)


def test_tokens_are_passed_on_by_instructions_that_do_nothing_else() -> None:
    """Weights are stored in another form and loaded again, and no token goes from the unit that stores to the one that loads."""
    backend, _, made = compiled("product by columns")
    messages = [number for number, each in enumerate(made.operations) if each.name == "pass_on"]
    assert messages
    assert sum(each.name == "load_uop" for each in made.operations) == 1
    for number in messages:
        with pytest.raises(Unordered):
            check_order(backend.target, [*made.operations[:number], *made.operations[number + 1 :]], made.allocation.memory)


def test_without_such_an_instruction_another_is_done_again() -> None:
    start, end = TEXT.index("instruction pass_on"), TEXT.index("instruction clear(")
    backend, module = backend_of(TEXT[:start] + TEXT[end:]), parse_module(KERNELS["product by columns"])
    made = compile_module(backend, module)
    assert sum(each.name == "load_uop" for each in made.operations) > 1
    values = dict(inputs(module, 0))["random 0"]
    assert np.array_equal(side_by_side(backend, made, values, random.Random(3))["out0"], expected(module, values)[0])


def test_rows_that_are_read_after_they_were_written_are_seen() -> None:
    """The second operand one row before the first: each row would be that which was just written."""
    backend, _, made = compiled("greatest of bytes")
    number = next(number for number, each in enumerate(made.operations) if each.name.startswith("most"))
    damaged, attributes = list(made.operations), dict(made.operations[number].attributes)
    word = {name: attributes[name] for name in attributes if name.startswith("uop_")}
    assert len(set(word.values())) == 2
    damaged[number] = replace(damaged[number], attributes={**attributes, **dict.fromkeys(word, min(word.values())), max(word): min(word.values()) + 1})
    with pytest.raises(WrongWords, match="reads rows of acc that it writes"):
        check_words(backend.accelerator, backend.target, made.graph, damaged)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (hlo("a = s8[4,4] parameter(0)", "b = s8[4,4] parameter(1)", f"d = s32[4,4] dot(a, b), {BY_ROWS}"), "no instruction computes into acc or mem"),
        (hlo("a = s8[4,6] parameter(0)", "b = s8[4,6] parameter(1)", "m = s8[4,6] maximum(a, b)"), "no instruction computes"),
    ],
)
def test_what_the_machine_cannot_do_is_refused(kernel: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        compile_module(backend_of(TEXT), parse_module(kernel))


def test_a_program_that_could_give_more_tokens_than_the_machine_counts_is_refused() -> None:
    """Operands in rows of their own are loaded before the first is used: nothing makes the unit that loads them wait."""
    backend, module, made = compiled("convolution")
    most = most_at_once(backend, made, "loaded", "load")
    assert most > 1
    for limit in range(2, most + 1):
        with pytest.raises(UserError, match=f"{limit} tokens loaded may be there at a time"):
            compile_module(backend_of(TEXT.replace("token loaded\n", f"token loaded < {limit}\n")), module)
    limited = backend_of(TEXT.replace("token loaded\n", f"token loaded < {most + 1}\n"))
    assert compile_module(limited, module).program.commands == made.program.commands


def most_at_once(backend: Backend, made: Compiled, token: str, first: str) -> int:
    """How many of a token there are at most when the unit `first` goes on as long as it can."""
    instructions = backend.accelerator.instructions
    queues = {unit: [each for each in made.program.commands if instructions[each.instruction].unit == unit] for unit in backend.accelerator.units}
    tokens, most = dict.fromkeys(backend.accelerator.tokens, 0), 0
    while any(queues.values()):
        ready = [unit for unit, queue in queues.items() if queue and may_begin(backend.accelerator, queue[0], tokens)]
        command = queues[first if first in ready else ready[0]].pop(0)
        for uses, step in ((instructions[command.instruction].pops, -1), (instructions[command.instruction].pushes, 1)):
            for use in uses:
                tokens[use.token] += step * moves(use, command)
        most = max(most, tokens[token])
    return most
