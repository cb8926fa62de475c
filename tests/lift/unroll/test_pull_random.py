"""Random modules, with and without feedback, enables and a memory: whatever is pulled is what simulation shows."""

from __future__ import annotations

import random

import pytest

from lift.unroll.paths import NotLifted
from lift.unroll.pull import modes, pulled
from lift.unroll.series import gathered
from tests.lift.unroll.pipelines import Reader
from tests.lift.unroll.traces import check_by_simulation

DATA, BITS = 6, 4


def module(rng: random.Random) -> str:
    """Registers d (8 bits) and v (1 bit) that take each other's and the inputs' values, each maybe under an enable; a memory read and written by them.
    Small numbers of registers make cycles of dependencies frequent,
    small addresses words that are written after they were read."""
    lines = [f"reg [7:0] d{k};" for k in range(DATA)] + [f"reg v{k};" for k in range(BITS)] + ["reg [7:0] mem [0:15];", "always @(posedge clock) begin"]
    for k in range(DATA):
        lines.append(f"{_enable(rng)}d{k} <= {_value(rng, k)};")
    for k in range(BITS):
        lines.append(f"if (reset) v{k} <= 1'b0; else {_enable(rng) if rng.random() < 0.3 else ''}v{k} <= {_bit(rng, k)};")
    lines.append(f"if ({_bit(rng, BITS)}) mem[{rng.choice('ab')}[1:0]] <= {_value(rng, DATA)};")
    outputs = f"assign x = {_value(rng, DATA)}; assign y = {_bit(rng, BITS)};"
    ports = "input clock, input reset, input go, input [7:0] a, input [7:0] b, output [7:0] x, output y"
    return "\n".join([f"module Pipeline ({ports});", *lines, "end", outputs, "endmodule"])


def _enable(rng: random.Random) -> str:
    return f"if ({rng.choice(['go', *(f'v{k}' for k in range(BITS))])}) " if rng.random() < 0.5 else ""


def _value(rng: random.Random, place: int) -> str:
    """Mostly of earlier registers, so that there are pipelines too."""
    operands = ["a", "b", *(f"d{k}" for k in range(place if rng.random() < 0.8 else DATA))]
    x, y = rng.choice(operands), rng.choice(operands)
    forms = ["{x}", "{x} + {y}", "{x} * {y}", "{x} ^ {y}", "({c}) ? {x} : {y}", "mem[{x}[1:0]]", "{{{x}[3:0], {y}[7:4]}}", "$signed({x}) >>> {y}[2:0]"]
    return rng.choice(forms).format(x=x, y=y, c=_bit(rng, BITS))


def _bit(rng: random.Random, place: int) -> str:
    bits = ["go", "a[0]", "(a < b)", *(f"v{k}" for k in range(place if rng.random() < 0.8 else BITS))]
    return rng.choice(["{x}", "{x} & {y}", "{x} | !{y}"]).format(x=rng.choice(bits), y=rng.choice(bits))


@pytest.mark.parametrize("seed", range(6))
def test_functions_of_random_modules_are_what_simulation_shows(seed: int, design: Reader) -> None:
    netlist = design(module(random.Random(seed)))
    for exact in (False, True):
        functions = {}
        for target in [*netlist.outputs, *netlist.registers, *netlist.memories]:
            try:
                functions |= pulled(netlist, [target], depth=6, exact=exact)
            except NotLifted:  # refused is not wrong
                continue
        assert len(functions) > len(netlist.registers) // 2
        split = {f"{t} {k}": m for t, f in functions.items() for k, m in enumerate(modes(netlist, f, limit=4))}
        for chosen in (functions, gathered(netlist, functions), split):
            wrong = {t: counts for t, counts in check_by_simulation(netlist, chosen, runs=12, seed=seed).items() if counts[1]}
            assert not wrong, f"{wrong} of\n{module(random.Random(seed))}"
