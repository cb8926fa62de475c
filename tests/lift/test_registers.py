"""Accumulators that are registers: buffers, where what they are given is no expression over the command."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from act.oracle import Machine
from act.taidl import load
from lift.netlist.simulate import Simulator
from lift.options import Options
from lift.pipeline import lift as run
from lift.progress import Progress
from lift.unroll.machine import with_deep_recursion
from lift.verilog import read

DESIGN = Path(__file__).parent / "designs/styles/summing.v"
WORDS = {"value": "value", "total": "total"} | {f"acc_{k}": f"acc[{k}]" for k in range(4)}
OPERATIONS = ("mac", "clear", "read", "rectify", "total")


@pytest.fixture(scope="module", name="text")
def fixture_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    output = tmp_path_factory.mktemp("summing") / "summing.taidl"
    outcome = with_deep_recursion(lambda: run(Options((DESIGN,), "summing", output, "summing"), Progress()))
    assert outcome.shortcomings == []
    return output.read_text()


def test_accumulators_and_what_is_given_their_values_are_buffers(text: str) -> None:
    accelerator = load(text)
    assert {(b.name, (*b.access, *b.unit)) for b in accelerator.buffers.values()} == {("acc", (4,)), ("total", (1,)), ("value", (1,))}
    assert accelerator.states == {}
    assert "maximum(" in accelerator.instructions["rectify"].body


def differences(text: str, seed: int) -> list[str]:
    draw = random.Random(seed)
    machine, board = Machine(load(text), {}, seed), Simulator(read([DESIGN], "summing"))
    board.step({"rst": 1})
    for name in WORDS:
        buffer, _, index = WORDS[name].partition("[")
        board.registers[name] = int(machine.buffers[buffer][int(index.rstrip("]") or 0)]) & 0xFFFFFFFF
    for _ in range(40):
        number, index, a, b = draw.randrange(5), draw.randrange(4), draw.getrandbits(32), draw.getrandbits(32)
        board.step({"start": 1, "opcode": number, "index": index, "a": a, "b": b})
        for _ in range(3):
            board.step({})
        fields = {"mac": {"a_0": a, "b_0": b, "bank": index}, "total": {"a_0": a, "b_0": b}, "rectify": {}}
        machine.step(OPERATIONS[number], fields.get(OPERATIONS[number], {"bank": index}))
        for name in WORDS:
            buffer, _, index_text = WORDS[name].partition("[")
            if int(machine.buffers[buffer][int(index_text.rstrip("]") or 0)]) & 0xFFFFFFFF != board.registers[name]:
                return [f"seed {seed}: {name} after {OPERATIONS[number]}"]
    return []


def test_they_hold_what_the_registers_hold(text: str) -> None:
    assert [line for seed in range(4) for line in differences(text, seed)] == []


@pytest.mark.parametrize("change", [("maximum(", "minimum("), ("add(", "subtract("), ("s32[] copy(", "s32[] negate(")])
def test_the_comparison_notices_changes(text: str, change: tuple[str, str]) -> None:
    assert change[0] in text
    assert [line for seed in range(4) for line in differences(text.replace(*change), seed)] != []
