"""Every instruction of the systolic accelerator (4x4), as its update functions say it and as the RTL does it, from random states.

The RTL runs against a memory that takes its time, whereas the functions were found with one that answers at once; and registers that the functions do not
mention hold anything.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from lift.discover.state import find
from lift.functions import LiftedFunction, TimedProver, lift_function, update_functions
from lift.options import Options
from lift.passes import PASSES
from lift.passes.reuse import Lifter
from lift.pipeline import read_netlist, understand
from lift.unroll import terms
from lift.unroll.extract import Lift, extract
from lift.unroll.machine import Machine, with_deep_recursion
from lift.unroll.terms import Term
from tests.lift.replay import Bench, State, apply, free_registers, merged, mode_of, state_registers

pytestmark = pytest.mark.slow

RTL = Path(__file__).parents[2] / "rtl" / "gemmini"
DIM, ROWS, SUMS, NOWHERE = 4, 1 << 14, 1 << 10, (1 << 32) - 1
HOST_BYTES = 1 << 12
TRIALS = 10

Draw = random.Random
Words = tuple[int, int]


def tile(draw: Draw, local: int, rows: int = DIM, cols: int = DIM) -> int:
    return draw.randint(1, rows) << 48 | draw.randint(1, cols) << 32 | local


def row(draw: Draw) -> int:
    """A local address far enough from the ends that no row of a tile wraps: in the scratchpad, or in the accumulator with any flags."""
    flags = draw.getrandbits(2) << 29
    return draw.choice([draw.randrange(64, ROWS - 64), 1 << 31 | flags | draw.randrange(64, SUMS - 64)])


def scratchpad_row(draw: Draw) -> int:
    return draw.randrange(64, ROWS - 64)


def moved_in(draw: Draw) -> Words:
    return draw.choice([0, draw.randrange(1, HOST_BYTES // 2)]), tile(draw, row(draw), cols=4 * DIM)


def moved_out(draw: Draw) -> Words:
    return draw.randrange(HOST_BYTES // 2), tile(draw, row(draw), cols=4 * DIM)


def computed(draw: Draw) -> Words:
    return tile(draw, draw.choice([scratchpad_row(draw), NOWHERE])), tile(draw, draw.choice([scratchpad_row(draw), NOWHERE]))


def preloaded(draw: Draw) -> Words:
    return tile(draw, draw.choice([scratchpad_row(draw), NOWHERE])), tile(draw, row(draw))


def configured(code: int) -> Callable[[Draw], Words]:
    return lambda draw: (draw.getrandbits(62) << 2 | code, draw.getrandbits(64))


# instruction -> (funct, how its words are drawn)
INSTRUCTIONS: dict[str, tuple[int, Callable[[Draw], Words]]] = {
    "config_ex": (0, configured(0)),
    "config_ld": (0, configured(1)),
    "config_st": (0, configured(2)),
    "mvin2": (1, moved_in),
    "mvin": (2, moved_in),
    "mvout": (3, moved_out),
    "compute_preloaded": (4, computed),
    "compute_accumulated": (5, computed),
    "preload": (6, preloaded),
    "mvin3": (14, moved_in),
}

# Values that keep tiles inside the memories, and their rows and blocks apart, as the functions assume; other registers are drawn from all their values.
SMALL: dict[str, Callable[[Draw], int]] = {
    "store_controller.stride": lambda draw: draw.randrange(256),
    "execute_controller.c_addr": lambda draw: draw.choice([row(draw), row(draw), NOWHERE]),
    "execute_controller.c_rows": lambda draw: draw.randint(1, DIM),
    "execute_controller.c_cols": lambda draw: draw.randint(1, DIM),
    "execute_controller.a_addr_stride": lambda draw: draw.randrange(4),
    "execute_controller.c_addr_stride": lambda draw: draw.randint(1, 3),
    "load_controller.strides": lambda draw: draw.randrange(256),
    "load_controller.block_strides": lambda draw: draw.randint(DIM, 12),
}


@pytest.fixture(scope="module")
def small() -> tuple[Lift, list[LiftedFunction]]:
    asked = Options((RTL,), "Gemmini", Path("small.taidl"), "small", parameters={"DIM": DIM})

    def work() -> tuple[Lift, list[LiftedFunction]]:
        netlist = read_netlist(asked)
        contract, decoded = understand(netlist, asked)
        found = extract(find(Machine(netlist), contract, decoded))
        lifter = Lifter(tuple(kind() for kind in PASSES), TimedProver())
        return found, [lift_function(key, f, lifter, keep_raw=False) for key, f in update_functions(found)]

    return with_deep_recursion(work)


def random_state(found: Lift, draw: Draw) -> State:
    netlist = found.unit.machine.netlist
    registers = {}
    for name in free_registers(found):
        limited = SMALL.get(name.split("[")[0]) or SMALL.get(name.rsplit("_", 1)[0]) or SMALL.get(name)
        registers[name] = limited(draw) if limited else draw.getrandbits(netlist.registers[name].width)
    memories = {m.name: [draw.getrandbits(m.width) for _ in range(m.depth)] for m in netlist.memories.values()}
    return State(registers, memories, {k: draw.getrandbits(8) for k in range(HOST_BYTES)})


def expect_agreement(found: Lift, lifted: list[LiftedFunction], instruction: str, before: State, payload: dict[str, int], draw: Draw) -> None:
    mode = mode_of(found, instruction, payload, before)
    assert mode is not None, "no mode for these words"
    bench = Bench(found.unit.machine.netlist, found.unit.contract, draw)
    bench.load(before)
    on_rtl = bench.run(payload)
    expected = apply(found, [f for f in lifted if f.key[:2] == (instruction, mode.number)], before, payload)
    assert state_registers(found, on_rtl) == state_registers(found, expected), (mode.number, payload)
    assert merged(found, on_rtl.memories) == expected.memories, (mode.number, payload)
    assert {k: v for k, v in on_rtl.host.items() if v} == {k: v for k, v in expected.host.items() if v}, (mode.number, payload)


@pytest.mark.parametrize("instruction", INSTRUCTIONS)
def test_update_functions_are_what_the_rtl_does(instruction: str, small: tuple[Lift, list[LiftedFunction]]) -> None:
    funct, words = INSTRUCTIONS[instruction]
    draw = Draw(instruction)
    for _ in range(TRIALS):
        before, (rs1, rs2) = random_state(small[0], draw), words(draw)
        expect_agreement(*small, instruction, before, {"funct": funct, "rs1": rs1, "rs2": rs2}, draw)


def test_rows_that_meet_are_excluded_by_assumptions(small: tuple[Lift, list[LiftedFunction]]) -> None:
    """Rows of the result are read before they are added to: with a stride of 0 a row would be read after it was written."""
    together = {"execute_controller.c_addr_stride": 0, "execute_controller.c_rows": 2, "execute_controller.c_addr": 1 << 31 | 64}
    for instruction in ("compute_preloaded", "compute_accumulated"):
        for mode in small[0].modes[instruction]:
            assert not all(holds(c, together) for c in mode.assumptions)
            assert all(holds(c, together | {"execute_controller.c_addr_stride": 1}) for c in mode.assumptions)
            assert all(holds(c, together | {"execute_controller.c_rows": 0}) for c in mode.assumptions)


def holds(condition: Term, registers: dict[str, int]) -> bool:
    return bool(terms.evaluate(condition, lambda t: registers.get(str(t.attr), 0), lambda *_: 0))
