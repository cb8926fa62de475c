"""Mesh and MeshWithDelays against the row-by-row model, with bubbles between rows, and as a matrix multiplier."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from mesh_model import MeshModel, MeshRow, random_row, zero_row
from pe_model import OUTPUT_STATIONARY, WEIGHT_STATIONARY
from simulate import Simulation, pack, unpack

Schedule = Sequence[MeshRow | None]  # one entry per cycle, None is a bubble


def known_state(dim: int) -> list[MeshRow]:
    """Rows that bring zeros into every register, whatever was there."""
    return [zero_row(dim, WEIGHT_STATIONARY, propagate) for propagate in (1, 0) for _ in range(dim)]


def random_schedule(seed: int, dim: int, passes: int) -> list[MeshRow | None]:
    """Passes of DIM rows, dataflow and propagate constant within a pass, with random bubbles."""
    random = Random(seed)
    schedule: list[MeshRow | None] = []
    for _ in range(passes):
        dataflow, propagate = random.getrandbits(1), random.getrandbits(1)
        for _ in range(dim):
            schedule += [None] * random.choice([0, 0, 0, 1, 3])
            schedule.append(random_row(random, dim, dataflow, propagate))
    return schedule


def expected(schedule: Schedule, dim: int) -> list[tuple[list[int], list[int]]]:
    model = MeshModel(dim)
    return [model.feed(row) for row in schedule if row]


def skewed_stimulus(schedule: Schedule, cycle: int, dim: int) -> dict[str, int]:
    """What Mesh needs in a cycle: lane i belongs to the row that entered i cycles ago."""
    past = [schedule[cycle - i] if 0 <= cycle - i < len(schedule) else None for i in range(dim)]
    rows = [row or random_row(Random(cycle), dim, 0, 0) for row in past]
    lanes = range(dim)
    return {"in_valid": pack((row is not None for row in past), 1),
            "in_a": pack((rows[i].a[i] for i in lanes), 8),
            "in_b": pack((rows[i].b[i] for i in lanes), 20),
            "in_d": pack((rows[i].d[i] for i in lanes), 20),
            "in_control_dataflow": pack((row.dataflow for row in rows), 1),
            "in_control_propagate": pack((row.propagate for row in rows), 1),
            "in_control_shift": pack((row.shift for row in rows), 5)}


def stimulus(row: MeshRow | None, dim: int) -> dict[str, int]:
    """What MeshWithDelays needs in a cycle; a bubble carries arbitrary data."""
    data = row or random_row(Random(5), dim, 0, 1)
    return {"in_valid": row is not None, "in_a": pack(data.a, 8), "in_b": pack(data.b, 8), "in_d": pack(data.d, 8),
            "in_dataflow": data.dataflow, "in_propagate": data.propagate, "in_shift": data.shift}


def run_rows(schedule: Schedule, dim: int) -> list[tuple[list[int], list[int]]]:
    """(out_b, out_c) of each row that leaves MeshWithDelays."""
    with Simulation("rtl/gemmini", top="MeshWithDelays", parameters={"DIM": dim}) as sim:
        sim.reset()
        cycles = [stimulus(row, dim) for row in [*schedule, *[None] * (2 * dim)]]
        samples = sim.trace(cycles, ["out_valid", "out_b", "out_c"])
    return [(unpack(b, 20, dim), unpack(c, 20, dim)) for valid, b, c in samples if valid]


def test_each_column_of_the_mesh_leaves_dim_cycles_after_it_entered() -> None:
    dim = 4
    schedule = [*known_state(dim), *random_schedule(seed=11, dim=dim, passes=30)]
    with Simulation("rtl/gemmini", top="Mesh", parameters={"DIM": dim}) as sim:
        sim.reset()
        cycles = [skewed_stimulus(schedule, cycle, dim) for cycle in range(len(schedule) + 2 * dim)]
        samples = sim.trace(cycles, ["out_valid", "out_b", "out_c"])
    entered = [cycle for cycle, row in enumerate(schedule) if row]
    assert sum(valid.bit_count() for valid, _, _ in samples) == dim * len(entered)
    for cycle, (b, c) in list(zip(entered, expected(schedule, dim), strict=True))[2 * dim :]:
        leaving = [samples[cycle + i + dim] for i in range(dim)]
        assert all(valid >> i & 1 for i, (valid, _, _) in enumerate(leaving))
        assert [unpack(out, 20, dim)[i] for i, (_, out, _) in enumerate(leaving)] == b
        assert [unpack(out, 20, dim)[i] for i, (_, _, out) in enumerate(leaving)] == c


@pytest.mark.parametrize(("dim", "passes"), [(4, 60), (8, 12)])
def test_rows_leave_the_delayed_mesh_in_order_and_equal_the_model(dim: int, passes: int) -> None:
    schedule = [*known_state(dim), *random_schedule(seed=dim, dim=dim, passes=passes)]
    assert run_rows(schedule, dim)[2 * dim :] == expected(schedule, dim)[2 * dim :]


def test_a_row_leaves_after_two_dim_minus_one_cycles() -> None:
    dim = 4
    with Simulation("rtl/gemmini", top="MeshWithDelays", parameters={"DIM": dim}) as sim:
        sim.reset()
        valid = sim.trace([{"in_valid": cycle == 0} for cycle in range(3 * dim)], ["out_valid"])
    assert [cycle for cycle, (out,) in enumerate(valid) if out] == [2 * dim - 1]


def weight_stationary_rows(a: np.ndarray, b: np.ndarray, d: np.ndarray) -> list[MeshRow]:
    """Weights enter through d, last row first; then a and d stream through the flipped buffer."""
    dim = len(a)
    zero = [0] * dim
    weights = [MeshRow(zero, zero, b[k].tolist(), WEIGHT_STATIONARY, propagate=0) for k in reversed(range(dim))]
    return weights + [MeshRow(a[i].tolist(), d[i].tolist(), zero, WEIGHT_STATIONARY, propagate=1) for i in range(dim)]


def output_stationary_rows(a: np.ndarray, b: np.ndarray, d: np.ndarray) -> list[MeshRow]:
    """The first partial sums enter through d, last row first; columns of a meet rows of b; a flip drains the sums."""
    dim = len(a)
    zero = [0] * dim
    load = [MeshRow(zero, zero, d[i].tolist(), OUTPUT_STATIONARY, propagate=0) for i in reversed(range(dim))]
    multiply = [MeshRow(a[:, k].tolist(), b[k].tolist(), zero, OUTPUT_STATIONARY, propagate=1) for k in range(dim)]
    return load + multiply + [zero_row(dim, OUTPUT_STATIONARY, propagate=0)] * dim


@pytest.mark.parametrize("dim", [4, 8])
def test_weight_stationary_multiplies_matrices(dim: int) -> None:
    a, b, d = np.random.default_rng(dim).integers(-128, 128, (3, dim, dim))
    results = run_rows(weight_stationary_rows(a, b, d), dim)[dim:]
    assert [row for row, _ in results] == (a @ b + d).tolist()


@pytest.mark.parametrize("dim", [4, 8])
def test_output_stationary_multiplies_matrices_and_drains_them_last_row_first(dim: int) -> None:
    a, b, d = np.random.default_rng(dim).integers(-128, 128, (3, dim, dim))
    results = run_rows(output_stationary_rows(a, b, d), dim)[2 * dim :]
    assert [row for _, row in reversed(results)] == (a @ b + d).tolist()
