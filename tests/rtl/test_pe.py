"""PE against the integer model: both dataflows, rounding, clipping, and what an invalid cycle leaves alone."""

from collections.abc import Iterator
from random import Random

import pytest
from pe_model import OUTPUT_STATIONARY, WEIGHT_STATIONARY, PeInput, PeState, pe_step
from simulate import Simulation, signed

OUTPUTS = ["out_a", "out_b", "out_c", "out_valid"]


@pytest.fixture
def pe() -> Iterator[Simulation]:
    with Simulation("rtl/gemmini", top="PE") as sim:
        yield sim


def random_cycle(random: Random, dataflow: int | None = None) -> tuple[bool, PeInput]:
    values = random.choice([1 << 19, 300, 3])
    return random.random() < 0.8, PeInput(
        a=random.randint(-128, 127), b=random.randrange(-values, values), d=random.randrange(-values, values),
        dataflow=random.getrandbits(1) if dataflow is None else dataflow, propagate=random.getrandbits(1),
        shift=random.choice([0, 1, 2, 3, 8, 20, 31]))


def stimulus(valid: bool, cycle: PeInput) -> dict[str, int]:
    return {"in_valid": valid, "in_a": cycle.a, "in_b": cycle.b, "in_d": cycle.d, "in_control_shift": cycle.shift,
            "in_control_dataflow": cycle.dataflow, "in_control_propagate": cycle.propagate}


def load(value: int, propagate: int, dataflow: int = WEIGHT_STATIONARY) -> tuple[bool, PeInput]:
    return True, PeInput(a=0, b=0, d=value, dataflow=dataflow, propagate=propagate)


def observed(pe: Simulation, cycles: list[tuple[bool, PeInput]]) -> list[tuple[int, int]]:
    """(out_b, out_c) of each cycle."""
    samples = pe.trace([stimulus(*cycle) for cycle in cycles], OUTPUTS)
    return [(signed(b, 20), signed(c, 20)) for _, b, c, _ in samples]


def expected(cycles: list[tuple[bool, PeInput]], state: PeState) -> list[tuple[int, int]]:
    results = []
    for valid, cycle in cycles:
        out_b, out_c, after = pe_step(state, cycle)
        state = after if valid else state
        results.append((out_b, out_c))
    return results


@pytest.mark.parametrize("dataflow", [OUTPUT_STATIONARY, WEIGHT_STATIONARY, None])
def test_random_cycles_equal_the_model(pe: Simulation, dataflow: int | None) -> None:
    random = Random(2)
    known = [load(7, propagate=1), load(-9, propagate=0)]
    cycles = [random_cycle(random, dataflow) for _ in range(3000)]
    assert observed(pe, known + cycles)[2:] == expected(cycles, PeState(c1=7, c2=-9, last_s=0))


def test_an_invalid_cycle_changes_no_register(pe: Simulation) -> None:
    idle = (False, PeInput(a=1, b=1, d=55, dataflow=OUTPUT_STATIONARY, propagate=1))
    read_c1 = load(0, propagate=1)
    assert observed(pe, [load(7, propagate=1), idle, read_c1])[2][1] == 7


def test_partial_sums_wrap_at_20_bits(pe: Simulation) -> None:
    compute = (True, PeInput(a=1, b=(1 << 19) - 1, d=0, dataflow=WEIGHT_STATIONARY, propagate=0))
    assert observed(pe, [load(1, propagate=1), compute])[1][0] == -(1 << 19)


@pytest.mark.parametrize(("total", "shift", "rounded"), [(5, 1, 2), (7, 1, 4), (6, 2, 2), (10, 2, 2), (-5, 1, -2), (-7, 1, -4)])
def test_a_sum_leaves_rounded_half_to_even_after_the_flip(pe: Simulation, total: int, shift: int, rounded: int) -> None:
    filled = load(total, propagate=1, dataflow=OUTPUT_STATIONARY)
    flipped = (True, PeInput(a=0, b=0, d=0, dataflow=OUTPUT_STATIONARY, propagate=0, shift=0))
    back = (True, PeInput(a=0, b=0, d=0, dataflow=OUTPUT_STATIONARY, propagate=1, shift=shift))
    assert observed(pe, [filled, flipped, back])[2][1] == rounded


def test_a_register_beyond_20_bits_leaves_clipped() -> None:
    """Sums never grow so large; only the random 32 bits that a register wakes up with show the clipping."""
    seen = set()
    for seed in range(12):
        with Simulation("rtl/gemmini", top="PE", seed=seed + 1) as pe:
            pe.set("in_control_dataflow", OUTPUT_STATIONARY)
            pe.set("in_control_shift", 0)
            seen.add(signed(pe.get("out_c"), 20))
    assert seen == {-(1 << 19), (1 << 19) - 1}


def test_controls_and_a_pass_through(pe: Simulation) -> None:
    cycles = [random_cycle(Random(3)) for _ in range(20)]
    samples = pe.trace([stimulus(*cycle) for cycle in cycles],
                       ["out_a", "out_valid", "out_control_dataflow", "out_control_propagate", "out_control_shift"])
    assert samples == [(c.a % 256, valid, c.dataflow, c.propagate, c.shift) for valid, c in cycles]
