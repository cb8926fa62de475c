"""Units that run side by side, micro-ops and instructions with two results: programs are right in whatever order the units are executed."""

from __future__ import annotations

import random
import re
from collections import deque
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from act.backend.check_order import Unordered, check_order
from act.backend.check_words import WrongWords, check_words
from act.backend.compile import Backend, Compiled, compile_module
from act.backend.verify import disagreement, inputs
from act.errors import UserError
from act.hlo import Module, parse_module
from act.hlo.evaluate import evaluate as reference
from act.memory import memory_image, outputs
from act.oracle import Machine
from act.taidl.expr import evaluate
from act.taidl.model import Index, Int, Name, Slice, TokenUse
from tests.act.backend.backends import ROOT, backend_of, hlo

TEXT = (ROOT / "isas" / "reference" / "decoupled.taidl").read_text()
DOT = "lhs_contracting_dims={1}, rhs_contracting_dims={1}"
KERNELS = {
    "product": hlo("a = s8[16,16] parameter(0)", "b = s8[16,16] parameter(1)", f"d = s8[16,16] dot(a, b), {DOT}"),
    "tiled product": hlo("a = s8[48,32] parameter(0)", "b = s8[32,32] parameter(1)", f"d = s8[48,32] dot(a, b), {DOT}"),
    "rows that are no multiple": hlo("a = s8[37,16] parameter(0)", "b = s8[16,16] parameter(1)", f"d = s8[37,16] dot(a, b), {DOT}"),
    "sum": hlo("a = s32[16,16] parameter(0)", "b = s32[16,16] parameter(1)", "e = s32[16,16] add(a, b)", "n = s8[16,16] convert(e)"),
    "layer": hlo(
        "a = s8[32,32] parameter(0)", "b = s8[32,32] parameter(1)", "bias = s32[32,32] parameter(2)", f"d = s32[32,32] dot(a, b), {DOT}",
        "e = s32[32,32] add(d, bias)", "low = s32[] constant(0)",
        "high = s32[] constant(100)", "c = s32[32,32] clamp(low, e, high)", "n = s8[32,32] convert(c)",
    ),
    "two layers": hlo(
        "a = s8[16,16] parameter(0)", "b = s8[16,16] parameter(1)", "c = s8[16,16] parameter(2)", f"d = s32[16,16] dot(a, b), {DOT}",
        "low = s32[] constant(-128)", "high = s32[] constant(127)", "e = s32[16,16] clamp(low, d, high)", "n = s8[16,16] convert(e)",
        f"f = s8[16,16] dot(n, c), {DOT}",
    ),
}  # fmt: skip


@cache
def compiled(name: str, text: str = TEXT) -> tuple[Backend, Module, Compiled]:
    backend, module = backend_of(text), parse_module(KERNELS[name])
    return backend, module, compile_module(backend, module)


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_right(name):
    backend, module, made = compiled(name)
    assert disagreement(backend.accelerator, module, made.program, seed=1, rounds=2) is None


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", range(3))
def test_a_kernel_is_right_in_every_order_that_tokens_allow(name, seed):
    backend, module, made = compiled(name)
    values = dict(inputs(module, 0))["random 0"]
    found = side_by_side(backend, made, values, random.Random(seed))
    assert all(np.array_equal(found[f"out{number}"], each) for number, each in enumerate(expected(module, values)))


def expected(module: Module, values: dict) -> list:
    found = reference(module, list(values.values()))
    return list(found) if isinstance(found, (list, tuple)) else [found]


def side_by_side(backend: Backend, made: Compiled, values: dict, order: random.Random) -> dict:
    """Executes the program unit by unit in a random order; each unit goes on for a random time, as long as its tokens are there."""
    accelerator, program = backend.accelerator, made.program
    machine, image = Machine(accelerator), memory_image(program, values)
    machine.attach(image)
    queues = {unit: deque(each for each in program.commands if accelerator.instructions[each.instruction].unit == unit) for unit in accelerator.units}
    tokens = dict.fromkeys(accelerator.tokens, 0)
    while any(queues.values()):
        ready = [unit for unit, queue in queues.items() if queue and may_begin(accelerator, queue[0], tokens)]
        assert ready, "all units wait"
        queue = queues[order.choice(ready)]
        for _ in range(order.choice((1, 1, 2, 100))):
            if not queue or not may_begin(accelerator, queue[0], tokens):
                break
            command = queue.popleft()
            instruction = accelerator.instructions[command.instruction]
            for uses, step in ((instruction.pops, -1), (instruction.pushes, 1)):
                for use in uses:
                    tokens[use.token] += step * moves(use, command)
            machine.step(command.instruction, command.attributes)
    return outputs(program, image)


def may_begin(accelerator, command, tokens) -> bool:
    pops = accelerator.instructions[command.instruction].pops
    return all(tokens[use.token] > 0 for use in pops if moves(use, command))


def moves(use: TokenUse, command) -> bool:
    return use.condition is None or bool(evaluate(use.condition, command.attributes))


@pytest.mark.parametrize("name", ["tiled product", "layer"])
def test_a_token_that_is_not_taken_or_not_given_is_seen(name):
    backend, _, made = compiled(name)
    check_order(backend.target, made.operations, made.allocation.memory)
    flags = [(number, key) for number, each in enumerate(made.operations) for key in each.attributes if key.startswith(("wait", "tell"))]
    asked = [(number, key) for number, key in flags if made.operations[number].attributes[key]]
    assert len(asked) > 10
    for number, key in asked:
        damaged = list(made.operations)
        damaged[number] = replace(damaged[number], attributes={**damaged[number].attributes, key: 0})
        with pytest.raises(Unordered):
            check_order(backend.target, damaged, made.allocation.memory)


def test_a_word_that_is_not_the_planned_one_is_seen():
    backend, _, made = compiled("tiled product")
    check_words(backend.accelerator, backend.target, made.graph, made.operations)
    for number in [number for number, each in enumerate(made.operations) if each.name.startswith("product")]:
        damaged, attributes = list(made.operations), made.operations[number].attributes
        damaged[number] = replace(damaged[number], attributes={**attributes, "word": (attributes["word"] + 1) % 4})
        with pytest.raises(WrongWords):
            check_words(backend.accelerator, backend.target, made.graph, damaged)


@pytest.mark.parametrize(("kernel", "name"), [("layer", "product"), ("layer", "limit"), ("sum", "add")])
def test_an_address_that_the_word_does_not_say_is_seen(kernel, name):
    backend, _, made = compiled(kernel)
    numbers = [number for number, each in enumerate(made.operations) if each.name.startswith(name)]
    assert numbers
    for number in numbers:
        damaged, attributes = list(made.operations), made.operations[number].attributes
        damaged[number] = replace(damaged[number], attributes={**attributes, "uop_word_0": attributes["uop_word_0"] + 1})
        with pytest.raises(WrongWords, match="another address"):
            check_words(backend.accelerator, backend.target, made.graph, damaged)


def test_words_that_something_else_overwrites_are_not_known() -> None:
    backend, _, made = compiled("tiled product")
    everything = Slice("uop", (Name("i"),), (Index("i", Int(128)),))
    instructions = backend.target.instructions
    loads = {name: replace(instructions[name], clobbers=(everything,)) for name in ("load_inp", "load_wgt", "load_acc")}
    target = replace(backend.target, instructions={**instructions, **loads})
    with pytest.raises(WrongWords, match="that was not loaded"):
        check_words(backend.accelerator, target, made.graph, made.operations)


def test_words_beyond_the_size_of_the_table_take_the_place_of_others():
    small = re.sub(r"(buffer uop +: u32)\[128\]", r"\1[2]", TEXT).replace("n <= 128", "n <= 2")
    backend, module, made = compiled("tiled product", small)
    assert sum(each.name == "load_uop" for each in made.operations) > 1
    assert disagreement(backend.accelerator, module, made.program, seed=1, rounds=1) is None
    found = side_by_side(backend, made, dict(inputs(module, 0))["random 0"], random.Random(5))
    assert np.array_equal(found["out0"], expected(module, dict(inputs(module, 0))["random 0"])[0])


def test_units_without_tokens_between_them_are_refused():
    silent = "\n".join(line for line in TEXT.splitlines() if "loaded if" not in line)
    with pytest.raises(UserError, match="must wait for load_"):
        compile_module(backend_of(silent), parse_module(KERNELS["product"]))


def test_a_product_for_which_values_are_converted_to_and_fro_is_refused():
    """Narrow and wide values that equal conversions of each other have no last conversion to transpose."""
    kernel = hlo("a = s8[3,20] parameter(0)", "b = s8[20] parameter(1)", "d = s8[3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}")
    with pytest.raises(UserError, match="no program for 'd'"):
        compile_module(backend_of(TEXT), parse_module(kernel))


def test_words_that_nothing_loads_are_refused():
    start, end = TEXT.index("instruction load_uop"), TEXT.index("instruction product(")
    with pytest.raises(UserError, match="no instruction loads words"):
        compile_module(backend_of(TEXT[:start] + TEXT[end:]), parse_module(KERNELS["product"]))


def test_a_macro_is_selected_for_loops_that_run_once():
    derived = {each.operation.name: each.operation for each in backend_of(TEXT).rules.derived}
    assert set(derived) >= {"limit_0", "limit_1", "limit_2", "limit_3"}
    assert "maximum" in derived["limit_2"].body and "minimum" in derived["limit_0"].body


RANGES = (
    TEXT.replace("low[63:48] = count", "low[63:48] = last").replace("limit(count, rows", "limit(last, rows").replace("for i < count {", "for i < last - word {")
    .replace(" and 1 <= count", " and word < last and last <= 200").replace("rows * count", "rows")
)  # fmt: skip
"""Micro-ops from `word` up to `last`."""


@pytest.mark.parametrize("name", ["layer", "two layers"])
def test_a_range_of_words_is_one_word(name):
    assert "last - word" in RANGES
    backend, module, made = compiled(name, RANGES)
    limits = [each for each in made.program.commands if each.instruction == "limit"]
    assert limits and all(each.attributes["last"] == each.attributes["word"] + 1 for each in limits)
    assert disagreement(backend.accelerator, module, made.program, seed=1, rounds=1) is None


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(uop[word] >> 9 & 511) + i", "(uop[word] if rows == 1 else 0) + i", "is not its bits"),
        ("(uop[word] >> 9 & 511) + i", "(uop[word] >> 8 & 511) + i", "share bits"),
        ("(uop[word] >> 9 & 511) + i", "(uop[word + rows] >> 9 & 511) + i", "no attribute"),
        ("1 <= rows and", "word < rows and", "where a word is"),
        ("if wait_load == 1", "if wait_load == rows", "no attribute of its own"),
    ],
)
def test_a_form_that_cannot_be_chosen_is_refused_with_the_reason(old, new, reason):
    start, end = TEXT.index("instruction product"), TEXT.index("instruction clear")
    rules = backend_of(TEXT[:start] + TEXT[start:end].replace(old, new) + TEXT[end:]).rules
    assert any(name.startswith("product") and reason in why for name, why in rules.unused)
