"""ExecuteController between simulated memories, against the numpy model of its instructions."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from commands import ACCUMULATE, ACCUMULATOR, GARBAGE, OUTPUT_STATIONARY, RELU, Command, compute, config_ex, preload, tile
from execute_model import ACCUMULATOR_ROWS, SCRATCHPAD_ROWS, ExecuteModel
from simulate import Simulation, pack, unpack

PASS_LIMIT = 200  # cycles; a pass takes about four times DIM
OUTPUTS = ["busy", "sp_read_valid", "sp_read_addr", "sp_write_valid", "sp_write_addr", "sp_write_mask", "sp_write_data",
           "acc_write_valid", "acc_write_addr", "acc_write_accumulate", "acc_write_mask", "acc_write_data"]


class Bench:
    """The controller with a scratchpad and an accumulator in numpy; data on the read port is noise unless asked for."""

    def __init__(self, sim: Simulation, dim: int, seed: int):
        rng = np.random.default_rng(seed)
        self.sim, self.dim, self.rng = sim, dim, rng
        self.scratchpad = rng.integers(-128, 128, (SCRATCHPAD_ROWS, dim)).astype(np.int8)
        self.accumulator = rng.integers(-(1 << 31), 1 << 31, (ACCUMULATOR_ROWS, dim)).astype(np.int32)
        sim.reset()

    def model(self) -> ExecuteModel:
        return ExecuteModel(self.dim, self.scratchpad.copy(), self.accumulator.copy())

    def run(self, command: Command) -> int:
        """Hand the command over and wait until the controller is idle; the cycles it was busy."""
        assert self.sim.get("cmd_ready")
        for name, value in zip(("cmd_funct", "cmd_rs1", "cmd_rs2"), command, strict=True):
            self.sim.set(name, value)
        self.sim.set("cmd_valid", 1)
        self._cycle()
        self.sim.set("cmd_valid", 0)
        for cycle in range(PASS_LIMIT):
            if not self._cycle():
                return cycle
        raise AssertionError("the controller does not become idle")

    def _cycle(self) -> bool:
        """One clock cycle; whether the controller was busy in it."""
        out = dict(zip(OUTPUTS, self.sim.get_all(OUTPUTS), strict=True))
        read = self.scratchpad[out["sp_read_addr"]] if out["sp_read_valid"] else self.rng.integers(-128, 128, self.dim)
        if out["sp_write_valid"]:
            kept = self._lanes(out["sp_write_mask"])
            self.scratchpad[out["sp_write_addr"], kept] = np.array(unpack(out["sp_write_data"], 8, self.dim))[kept]
        if out["acc_write_valid"]:
            kept = self._lanes(out["acc_write_mask"])
            old = self.accumulator[out["acc_write_addr"], kept] if out["acc_write_accumulate"] else 0
            self.accumulator[out["acc_write_addr"], kept] = old + np.array(unpack(out["acc_write_data"], 32, self.dim), dtype=np.int32)[kept]
        self.sim.step()
        self.sim.set("sp_read_data", pack(read.tolist(), 8))
        return bool(out["busy"])

    def _lanes(self, mask: int) -> np.ndarray:
        return np.array([bool(mask >> i & 1) for i in range(self.dim)])


WRITTEN = (0, 3, 7, 4090, 16380)  # few places, so that operands overlap
READ = (*WRITTEN, 100, 120, 500, 8000, 16300)  # and some that keep their data


def random_tile(random: Random, dim: int, places: tuple[int, ...] = READ, flags: tuple[int, ...] = (0,)) -> int:
    """Sizes from 0 to more than DIM; sometimes garbage."""
    local = GARBAGE if random.random() < 0.12 else random.choice(flags) | random.choice(places)
    return tile(local, random.choice([dim, random.randrange(dim + 3)]), random.choice([dim, random.randrange(dim + 3)]))


def random_preload(random: Random, dim: int) -> Command:
    return preload(random_tile(random, dim), random_tile(random, dim, WRITTEN, (0, ACCUMULATOR, ACCUMULATOR | ACCUMULATE)))


def random_commands(random: Random, dim: int) -> list[Command]:
    """A configuration, a foreign command, computes alone, or a preload with the computes that use it."""
    match random.randrange(6):
        case 0:
            dataflow, shift = random.getrandbits(1), random.choice([0, 0, 1, 5, 20, 31])
            transposes = random.random() < 0.5
            funct, rs1, rs2 = config_ex(random.choice([0, RELU]), random.randrange(4), random.randrange(1, 4), dataflow, shift, transposes)
            return [(funct, rs1 | random.getrandbits(1) << 7, rs2)]
        case 1:
            funct = random.choice([0, 1, 2, 3, 7, 14, 70])
            return [(funct, random.getrandbits(62) << 2 | random.choice([1, 2, 3]), random.getrandbits(64))]
        case 2:
            return [compute(random_tile(random, dim), random_tile(random, dim), accumulated=random.random() < 0.5)]
        case _:
            following = range(random.randrange(3))
            return [random_preload(random, dim), *[compute(random_tile(random, dim), random_tile(random, dim), accumulated=n > 0) for n in following]]


def known_state(dim: int) -> list[Command]:
    """The weight registers have no reset: bring zeros into both buffers."""
    garbage = tile(GARBAGE, dim, dim)
    return [preload(garbage, garbage), compute(garbage, garbage), preload(garbage, garbage), compute(garbage, garbage)]


@pytest.mark.parametrize(("dim", "count"), [(4, 400), (8, 60)])
def test_random_instruction_streams_leave_the_memories_of_the_model(dim: int, count: int) -> None:
    random = Random(dim)
    with Simulation("rtl/gemmini", top="ExecuteController", parameters={"DIM": dim}) as sim:
        bench = Bench(sim, dim, seed=dim)
        model = bench.model()
        for command in [*known_state(dim), *(command for _ in range(count) for command in random_commands(random, dim))]:
            bench.run(command)
            model.execute(command)
            np.testing.assert_array_equal(bench.scratchpad, model.scratchpad, err_msg=str(command))
            np.testing.assert_array_equal(bench.accumulator, model.accumulator, err_msg=str(command))


def test_the_time_of_a_pass_does_not_depend_on_operands() -> None:
    dim = 4
    random = Random(9)
    with Simulation("rtl/gemmini", top="ExecuteController", parameters={"DIM": dim}) as sim:
        bench = Bench(sim, dim, seed=9)
        preloads = {bench.run(preload(random_tile(random, dim), random_tile(random, dim))) for _ in range(20)}
        computes = {bench.run(compute(random_tile(random, dim), random_tile(random, dim))) for _ in range(20)}
        others = {bench.run(command) for command in (config_ex(), (3, 0, 0), (70, 5, 5))}
        bench.run(config_ex(b_transpose=True))
        transposing = {bench.run(preload(random_tile(random, dim), random_tile(random, dim))) for _ in range(20)}
        multiplying = {bench.run(compute(random_tile(random, dim), random_tile(random, dim))) for _ in range(20)}
        bench.run(config_ex(dataflow=OUTPUT_STATIONARY, b_transpose=True))
        summing = {bench.run(c) for _ in range(20) for c in (preload(random_tile(random, dim), GARBAGE), compute(random_tile(random, dim), 0))}
        bench.run(preload(random_tile(random, dim), tile(0, dim, dim)))
        flushing = {bench.run(compute(random_tile(random, dim), random_tile(random, dim))) for _ in range(20)}
    assert (preloads, computes, others) == ({3 * dim}, {4 * dim}, {0})
    assert (transposing, multiplying) == ({4 * dim}, {4 * dim})
    assert (summing, flushing) == ({3 * dim, 4 * dim}, {5 * dim})


def test_weights_stay_for_accumulated_computes_and_flip_only_on_request() -> None:
    dim, full = 4, 4 << 48 | 4 << 32
    with Simulation("rtl/gemmini", top="ExecuteController", parameters={"DIM": dim}) as sim:
        bench = Bench(sim, dim, seed=3)
        a, b = bench.scratchpad[:4].astype(int), bench.scratchpad[100:104].astype(int)
        nothing = full | GARBAGE
        for command in (config_ex(), preload(full | 100, full | ACCUMULATOR), compute(full | 0, nothing),
                        preload(nothing, full | ACCUMULATOR | 8), compute(full | 0, nothing, accumulated=True)):
            bench.run(command)
    assert (bench.accumulator[0:4] == a @ b).all()
    assert (bench.accumulator[8:12] == a @ b).all()


def test_output_stationary_sums_stay_until_c_says_where_they_go_and_leave_rounded() -> None:
    dim, full, shift = 4, 4 << 48 | 4 << 32, 3
    with Simulation("rtl/gemmini", top="ExecuteController", parameters={"DIM": dim}) as sim:
        bench = Bench(sim, dim, seed=5)
        d, a, b = (bench.scratchpad[place : place + 4].astype(int) for place in (0, 100, 200))
        for command in (*known_state(dim), config_ex(dataflow=OUTPUT_STATIONARY, shift=shift), preload(full | 0, GARBAGE), compute(full | 100, full | 200),
                        preload(GARBAGE, full | ACCUMULATOR), compute(full | 100, full | 200, accumulated=True),
                        preload(GARBAGE, full | ACCUMULATOR | 8), compute(GARBAGE, GARBAGE, accumulated=True)):
            bench.run(command)
    assert (bench.accumulator[0:4] == np.rint((2 * a.T @ b + d) / 2**shift)).all()
    assert (bench.accumulator[8:12] == 0).all()


@pytest.mark.parametrize(("rows", "cols"), [(4, 4), (3, 2), (1, 4)])
def test_weights_are_transposed_before_they_are_used(rows: int, cols: int) -> None:
    dim, full = 4, 4 << 48 | 4 << 32
    with Simulation("rtl/gemmini", top="ExecuteController", parameters={"DIM": dim}) as sim:
        bench = Bench(sim, dim, seed=7)
        a, b = bench.scratchpad[:4].astype(int), bench.scratchpad[100 : 100 + rows, :cols].astype(int)
        for command in (config_ex(b_transpose=True), preload(tile(100, cols, rows), full | ACCUMULATOR), compute(full | 0, GARBAGE)):
            bench.run(command)
    assert (bench.accumulator[0:4, :rows] == a[:, :cols] @ b.T).all()
    assert (bench.accumulator[0:4, rows:] == 0).all()
