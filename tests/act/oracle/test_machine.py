"""The machine: the effect of single operations, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from act.oracle import Machine, MachineError
from act.taidl import parse

ISA = parse((Path(__file__).parents[3] / "isas/reference/systolic16.taidl").read_text())
TILE = {"m": 16, "k": 16, "n": 16, "a": 0, "b": 16, "c": 0}


@pytest.fixture
def machine() -> Machine:
    return Machine(ISA, {"dram": np.arange(4096, dtype=np.int64).astype(np.uint8)})


def configure(machine: Machine, stride: int = 16, block_stride: int = 0, shrink: int = 0) -> None:
    machine.step("config_ld", {"stride": stride, "shrink": shrink, "block_stride": block_stride, "bank": 0})


def random(shape: tuple[int, ...], dtype: type = np.int8, seed: int = 0) -> np.ndarray:
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def test_strided_load_moves_bytes(machine: Machine) -> None:
    configure(machine, stride=100)
    machine.step("mvin", {"rows": 3, "cols": 5, "addr": 200, "row": 7})
    expected = machine.buffers["dram"].view(np.int8)
    assert all(np.array_equal(machine.buffers["spad"][7 + row, :5], expected[200 + 100 * row :][:5]) for row in range(3))


def test_elements_outside_of_a_slice_stay(machine: Machine) -> None:
    before = machine.buffers["spad"].copy()
    configure(machine)
    machine.step("mvin", {"rows": 3, "cols": 5, "addr": 200, "row": 7})
    before[7:10, :5] = machine.buffers["spad"][7:10, :5]
    assert np.array_equal(before, machine.buffers["spad"])


def test_index_expressions_with_division_reach_several_blocks(machine: Machine) -> None:
    configure(machine, stride=64, block_stride=40)
    machine.step("mvin", {"rows": 2, "cols": 33, "addr": 64, "row": 1})
    source = machine.buffers["dram"].view(np.int8)
    assert np.array_equal(machine.buffers["spad"][41 + 1, :16], source[64 + 64 + 16 :][:16])
    assert machine.buffers["spad"][81 + 1, 0] == source[64 + 64 + 32]


def test_wider_elements_are_put_together_least_byte_first(machine: Machine) -> None:
    configure(machine, stride=8)
    machine.step("mvin_acc", {"rows": 2, "cols": 2, "addr": 16, "row": 5})
    assert machine.buffers["acc"][5, 1] == int.from_bytes(bytes(range(20, 24)), "little")


def test_a_matmul_is_that_of_numpy(machine: Machine) -> None:
    machine.step("config_ex", {"activation": 0, "a_stride": 1, "c_stride": 1})
    a, b = random((16, 16)), random((16, 16), seed=1)
    machine.buffers["spad"][:32] = np.concatenate([a, b])
    machine.step("matmul", TILE)
    assert np.array_equal(machine.buffers["acc"][:16], a.astype(np.int32) @ b.astype(np.int32))


def test_an_operand_that_is_written_as_well_is_read_first(machine: Machine) -> None:
    machine.step("config_ex", {"activation": 0, "a_stride": 1, "c_stride": 1})
    machine.buffers["acc"][:16] = old = random((16, 16), np.int32)
    a, b = machine.buffers["spad"][:16].astype(np.int32), machine.buffers["spad"][16:32].astype(np.int32)
    machine.step("matmul_accumulate", TILE)
    assert np.array_equal(machine.buffers["acc"][:16], old + a @ b)


def test_registers_are_set_after_they_are_read(machine: Machine) -> None:
    machine.step("config_ex", {"activation": 0, "a_stride": 1, "c_stride": 1})
    machine.step("matmul", TILE)
    assert machine.registers["in_use"] == 1
    machine.step("matmul", TILE)
    assert machine.registers["in_use"] == 0


def test_registers_wrap_to_their_width() -> None:
    isa = parse("taidl 1\naccelerator a\ncommand w : 8\nconfig r : s4 = 0\ninstruction set(n)\n encode w = n\n set r = n + 1\n")
    machine = Machine(isa)
    machine.step("set", {"n": 7})
    assert machine.registers["r"] == -8


def test_clobbered_elements_are_spoilt(machine: Machine) -> None:
    machine.step("config_ex", {"activation": 0, "a_stride": 1, "c_stride": 1})
    machine.buffers["tile"][:] = 0
    machine.step("matmul", TILE)
    assert machine.buffers["tile"].any()


def test_unspecified_contents_depend_on_the_seed_alone() -> None:
    first, again, other = (Machine(ISA, seed=seed).buffers["acc"] for seed in (1, 1, 2))
    assert np.array_equal(first, again) and not np.array_equal(first, other)


REFUSED = [
    ("frobnicate", {}, "'frobnicate' is no instruction of systolic16"),
    ("mvin", {"rows": 1, "cols": 1, "addr": 16}, "mvin: 'row' is missing; its attributes are rows, cols, addr, row"),
    ("mvin", {"rows": 1, "cols": 1, "addr": 0, "row": 0}, "does not hold for rows = 1, cols = 1, addr = 0, row = 0"),
    ("mvin", {"rows": 2, "cols": 1, "addr": 16, "row": 16383}, "mvin: spad[row + i + j / 16 * block_stride] reaches from 16383 to 16384, of 0 to 16383"),
    ("mvin", {"rows": 1, "cols": 2, "addr": 4095, "row": 0}, "mvin: dram[0x1000] is beyond the memory image of 0x1000 bytes"),
    ("mvin_acc_shrink", {"rows": 1, "cols": 1, "addr": 16, "row": 0}, "mvin_acc_shrink: needs shrinks[0] == 1, found 0"),
    ("config_ld", {"stride": 1, "shrink": 0, "block_stride": 0, "bank": 3}, "config_ld: bank < 3 does not hold"),
    ("compute_preloaded", {}, "compute_preloaded: its semantics are not known (opaque)"),
    ("matmul", TILE, "matmul: needs a_addr_stride == 1, found 0"),
]


@pytest.mark.parametrize(("name", "attributes", "message"), REFUSED)
def test_what_is_not_allowed_is_refused_and_changes_nothing(machine: Machine, name: str, attributes: dict[str, int], message: str) -> None:
    before = {buffer: contents.copy() for buffer, contents in machine.buffers.items()}
    with pytest.raises(MachineError) as error:
        machine.step(name, attributes)
    assert message in str(error.value)
    assert all(np.array_equal(before[buffer], contents) for buffer, contents in machine.buffers.items())


def test_a_register_that_was_never_set_is_not_used() -> None:
    isa = parse("taidl 1\naccelerator a\nbuffer b : s8[4]\nconfig r : u4\ninstruction get()\n use r as n\n clobber b[n]\n")
    with pytest.raises(MachineError, match="get: register r was never set"):
        Machine(isa).step("get", {})


def test_order_is_enforced() -> None:
    isa = parse("taidl 1\naccelerator a\ninstruction first()\ninstruction second()\n after first\n")
    machine = Machine(isa)
    with pytest.raises(MachineError, match="second: must come after first"):
        machine.step("second", {})
    machine.step("first", {})
    machine.step("second", {})


def test_writing_an_element_twice_is_refused(machine: Machine) -> None:
    configure(machine, stride=64, block_stride=1)
    with pytest.raises(MachineError, match="has one element twice"):
        machine.step("mvin", {"rows": 2, "cols": 17, "addr": 64, "row": 0})


SCATTER = """taidl 1
accelerator scatter
buffer b : s8[64]
instruction fill(n | base, step)
  write b[base + i * step : i < n] = %y
  body {
    %one = s8[] constant(1)
    ROOT %y = s8[`n`] broadcast(%one), dimensions={}
  }
instruction swap(| p, q)
  read %x = b[p]
  read %y = b[q]
  write b[q] = %x
  write b[p] = %y
  body {
    %x = s8[] parameter(0)
    ROOT %y = s8[] parameter(1)
  }
"""


def test_addresses_may_multiply_index_variables() -> None:
    machine = Machine(parse(SCATTER))
    machine.buffers["b"][:] = 0
    machine.step("fill", {"n": 4, "base": 3, "step": 5})
    machine.step("fill", {"n": 4, "base": 2, "step": 7})
    assert np.flatnonzero(machine.buffers["b"]).tolist() == [2, 3, 8, 9, 13, 16, 18, 23]


def test_all_reads_come_before_all_writes() -> None:
    machine = Machine(parse(SCATTER))
    machine.buffers["b"][:2] = [5, 6]
    machine.step("swap", {"p": 0, "q": 1})
    assert machine.buffers["b"][:2].tolist() == [6, 5]
