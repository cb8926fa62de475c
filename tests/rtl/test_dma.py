"""DmaReader and DmaWriter move single rows between a slow memory and the local memories, against numpy."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

import numpy as np
import pytest
from memory import Memory
from simulate import Simulation, pack, unpack

SIZE = 1024
READER_OUTPUTS = ("resp_valid", "mem_req_valid", "mem_req_addr", "sp_write_valid", "sp_write_addr", "sp_write_mask", "sp_write_data",
                  "acc_write_valid", "acc_write_addr", "acc_write_accumulate", "acc_write_mask", "acc_write_data")
WRITER_OUTPUTS = ("resp_valid", "mem_req_valid", "mem_req_addr", "mem_req_data", "mem_req_mask", "sp_read_valid", "sp_read_addr",
                  "acc_read_valid", "acc_read_addr", "acc_read_activation")


def request(sim: Simulation, fields: Mapping[str, int]) -> None:
    assert sim.get("req_ready")
    for name, value in fields.items():
        sim.set(f"req_{name}", value)
    sim.set("req_valid", 1)
    sim.step()
    sim.set("req_valid", 0)


def until_response(sim: Simulation, outputs: tuple[str, ...], memory: Memory, write: bool,
                   observe: Callable[[dict[str, int]], Mapping[str, int]]) -> int:
    """Run to the response; `observe` sees each cycle's outputs and gives inputs for the next. Returns the number of cycles."""
    for cycle in range(1, 300):
        for name, value in memory.inputs().items():
            if name in sim.ports:
                sim.set(name, value)
        seen = dict(zip(outputs, sim.get_all(outputs), strict=True))
        memory.cycle(seen, write)
        following = observe(seen)
        sim.step()
        for name, value in following.items():
            sim.set(name, value)
        if seen["resp_valid"]:
            return cycle
    raise AssertionError("no response within 300 cycles")


def load_row(memory: Memory, fields: Mapping[str, int], dim: int) -> list[int]:
    """The DIM elements that a read request brings in."""
    element = np.dtype("<i4") if fields["has_acc_bitwidth"] else np.dtype("i1")
    if fields["all_zeros"]:
        return [0] * dim
    start = fields["vaddr"]
    return np.frombuffer(memory.bytes[start : start + dim * element.itemsize], element).tolist()


def random_read_request(rng: random.Random, dim: int) -> dict[str, int]:
    to_acc = rng.getrandbits(1)
    return {"vaddr": rng.randrange(SIZE - 4 * dim), "data": rng.getrandbits(10 if to_acc else 14), "is_acc_addr": to_acc,
            "accumulate": rng.getrandbits(1), "has_acc_bitwidth": to_acc & rng.getrandbits(1),
            "all_zeros": int(rng.random() < 0.2), "cols": rng.randint(1, dim)}


@pytest.mark.parametrize("dim", [4, 32])
def test_the_reader_writes_one_masked_row_per_request(dim: int) -> None:
    rng = random.Random(dim)
    memory = Memory(SIZE, rng)
    with Simulation("rtl/gemmini", "DmaReader", {"DIM": dim}) as sim:
        sim.reset()
        for _ in range(100):
            fields, writes = random_read_request(rng, dim), []
            request(sim, fields)
            until_response(sim, READER_OUTPUTS, memory, False, lambda seen, to=writes: keep_writes(seen, to))
            (seen,) = writes
            check_row_write(seen, fields, load_row(memory, fields, dim), dim)


def keep_writes(seen: dict[str, int], writes: list[dict[str, int]]) -> Mapping[str, int]:
    if seen["sp_write_valid"] or seen["acc_write_valid"]:
        writes.append(seen)
    return {}


def check_row_write(seen: Mapping[str, int], fields: Mapping[str, int], row: list[int], dim: int) -> None:
    side, width = ("acc", 32) if fields["is_acc_addr"] else ("sp", 8)
    assert (seen["acc_write_valid"], seen["sp_write_valid"]) == (fields["is_acc_addr"], 1 - fields["is_acc_addr"])
    assert seen[f"{side}_write_addr"] == fields["data"]
    assert seen[f"{side}_write_mask"] == (1 << fields["cols"]) - 1
    assert unpack(seen[f"{side}_write_data"], width, dim) == row
    assert not fields["is_acc_addr"] or seen["acc_write_accumulate"] == fields["accumulate"]


class LocalMemories:
    """Answers the writer's row reads one cycle later with rows that depend on the address; garbage at all other times."""

    def __init__(self, dim: int, rng: random.Random):
        self.full = [rng.randrange(-(2**31), 2**31) for _ in range(dim)]
        self.narrow = [rng.randrange(-128, 128) for _ in range(dim)]
        self.sp = [rng.randrange(-128, 128) for _ in range(dim)]
        self.reads: list[dict[str, int]] = []
        self._rng = rng

    def __call__(self, seen: dict[str, int]) -> dict[str, int]:
        if seen["sp_read_valid"] or seen["acc_read_valid"]:
            self.reads.append(seen)
            return {"sp_read_data": pack(self.sp, 8), "acc_read_data": pack(self.narrow, 8), "acc_read_data_full": pack(self.full, 32)}
        return {name: self._rng.getrandbits(32) for name in ("sp_read_data", "acc_read_data", "acc_read_data_full")}

    def row_bytes(self, fields: Mapping[str, int]) -> bytes:
        cols = fields["cols"]
        if fields["read_full_acc_row"]:
            return np.array(self.full[:cols], "<i4").tobytes()
        return np.array((self.narrow if fields["is_acc_addr"] else self.sp)[:cols], "i1").tobytes()


def random_write_request(rng: random.Random, dim: int) -> dict[str, int]:
    from_acc = rng.getrandbits(1)
    return {"vaddr": rng.randrange(SIZE - 4 * dim), "data": rng.getrandbits(10 if from_acc else 14), "is_acc_addr": from_acc,
            "read_full_acc_row": from_acc & rng.getrandbits(1), "all_zeros": 0, "pool_en": 0, "store_en": 1,
            "activation": rng.randrange(4), "cols": rng.randint(1, dim)}


@pytest.mark.parametrize("dim", [4, 32])
def test_the_writer_sends_exactly_the_bytes_of_the_columns(dim: int) -> None:
    rng = random.Random(dim)
    memory = Memory(SIZE, rng)
    with Simulation("rtl/gemmini", "DmaWriter", {"DIM": dim}) as sim:
        sim.reset()
        for _ in range(100):
            fields, local = random_write_request(rng, dim), LocalMemories(dim, rng)
            expected = bytearray(memory.bytes)
            row = local.row_bytes(fields)
            expected[fields["vaddr"] : fields["vaddr"] + len(row)] = row
            request(sim, fields)
            until_response(sim, WRITER_OUTPUTS, memory, True, local)
            assert memory.bytes == expected
            check_row_read(local.reads, fields)


@pytest.mark.parametrize("dim", [4, 32])
def test_the_writer_sends_the_maximum_of_the_rows_of_a_window(dim: int) -> None:
    rng = random.Random(dim)
    memory = Memory(SIZE, rng)
    with Simulation("rtl/gemmini", "DmaWriter", {"DIM": dim}) as sim:
        sim.reset()
        for size in [rng.randint(1, 9) for _ in range(40)]:
            fields = random_write_request(rng, dim) | {"read_full_acc_row": 0}
            rows, expected = [], bytearray(memory.bytes)
            for n in range(size):
                local, zeros, last = LocalMemories(dim, rng), int(rng.random() < 0.3), int(n == size - 1)
                rows.append(bytes(fields["cols"]) if zeros else local.row_bytes(fields))
                request(sim, fields | {"all_zeros": zeros, "pool_en": int(n > 0), "store_en": last})
                assert last or memory.bytes == expected
                if last:
                    largest = np.max([np.frombuffer(row, "i1") for row in rows], axis=0)
                    expected[fields["vaddr"] : fields["vaddr"] + fields["cols"]] = largest.tobytes()
                until_response(sim, WRITER_OUTPUTS, memory, True, local)
            assert memory.bytes == expected


def check_row_read(reads: list[dict[str, int]], fields: Mapping[str, int]) -> None:
    (seen,) = reads
    side = "acc" if fields["is_acc_addr"] else "sp"
    assert (seen["acc_read_valid"], seen["sp_read_valid"]) == (fields["is_acc_addr"], 1 - fields["is_acc_addr"])
    assert seen[f"{side}_read_addr"] == fields["data"]
    assert not fields["is_acc_addr"] or seen["acc_read_activation"] == fields["activation"]


@pytest.mark.parametrize("module", ["DmaReader", "DmaWriter"])
def test_the_time_of_a_row_does_not_depend_on_the_columns(module: str) -> None:
    """With an always ready memory every column count takes the same number of cycles."""
    outputs, write = (WRITER_OUTPUTS, True) if module == "DmaWriter" else (READER_OUTPUTS, False)
    make = random_write_request if write else random_read_request
    lengths = set()
    with Simulation("rtl/gemmini", module, {"DIM": 32}) as sim:
        sim.reset()
        for cols in (1, 16, 32):
            rng = random.Random(7)
            rng.random = lambda: 0.0  # type: ignore[method-assign]
            fields = {**make(random.Random(3), 32), "cols": cols, "all_zeros": 0}
            request(sim, {name: value for name, value in fields.items() if f"req_{name}" in sim.ports})
            lengths.add(until_response(sim, outputs, Memory(SIZE, rng), write, LocalMemories(32, rng) if write else lambda seen: {}))
    assert len(lengths) == 1
