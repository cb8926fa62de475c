"""Programs on the oracle: memory images, recognition of composites, and runners."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from act.errors import UserError
from act.oracle import Executor, Machine, MachineError
from act.program import Command, Program, Region
from act.runner import program_image, run_on
from act.taidl import parse
from act.taidl.encode import Issue, expand

ISA = parse((Path(__file__).parents[3] / "isas/reference/systolic16.taidl").read_text())
SIZE = {"m": 16, "k": 16, "n": 16}
SETUP: list[Issue] = [
    ("config_ld", {"stride": 16, "shrink": 0, "block_stride": 0, "bank": 0}),
    ("config_ex", {"activation": 0, "a_stride": 1, "c_stride": 1}),
    ("config_st", {"stride": 64, "activation": 0}),
]
MATMUL: list[Issue] = [
    *SETUP,
    ("mvin", {"rows": 16, "cols": 16, "addr": 0x1000, "row": 0}),
    ("mvin", {"rows": 16, "cols": 16, "addr": 0x1100, "row": 16}),
    *expand(ISA, "matmul", {**SIZE, "a": 0, "b": 16, "c": 0}),
    ("mvout_acc_full", {"rows": 16, "cols": 16, "addr": 0x2000, "row": 0}),
]
OPERANDS = (Region("input", "A", "s8", (16, 16), "dram", 0x1000), Region("input", "B", "s8", (16, 16), "dram", 0x1100))


def program(commands: Sequence[Issue], *regions: Region) -> Program:
    return Program("systolic16", "0", {"dram": 0x3000}, regions, tuple(Command(*issue) for issue in commands))


def operands() -> dict[str, np.ndarray]:
    random = np.random.default_rng(3)
    return {name: random.integers(-128, 128, (16, 16)).astype(np.int8) for name in "AB"}


def product(inputs: dict[str, np.ndarray]) -> np.ndarray:
    return inputs["A"].astype(np.int32) @ inputs["B"].astype(np.int32)


def test_a_program_computes_its_outputs() -> None:
    inputs = operands()
    result = Machine(ISA).run(program(MATMUL, *OPERANDS, Region("output", "out0", "s32", (16, 16), "dram", 0x2000)), inputs)
    assert np.array_equal(result["out0"], product(inputs))


def test_constants_are_in_memory() -> None:
    b = operands()["B"]
    constant = Region("constant", "B", "s8", (16, 16), "dram", 0x1100, b.tobytes())
    inputs = {"A": operands()["A"]}
    result = Machine(ISA).run(program(MATMUL, OPERANDS[0], constant, Region("output", "out0", "s32", (16, 16), "dram", 0x2000)), inputs)
    assert np.array_equal(result["out0"], product({**inputs, "B": b}))


def test_machines_share_plans_but_no_state() -> None:
    output = Region("output", "out0", "s32", (16, 16), "dram", 0x2000)
    machines = [Machine(ISA, seed=seed) for seed in (0, 1)]
    before = machines[1].buffers["spad"].copy()
    assert np.array_equal(machines[0].run(program(MATMUL, *OPERANDS, output), operands())["out0"], product(operands()))
    assert np.array_equal(machines[1].buffers["spad"], before)
    ones = {name: np.ones((16, 16), np.int8) for name in "AB"}
    assert np.array_equal(machines[1].run(program(MATMUL, *OPERANDS, output), ones)["out0"], product(ones))
    assert machines[0].starts is machines[1].starts


def test_composites_are_chosen_by_registers() -> None:
    machine = Machine(ISA)
    executor = Executor(machine)
    parts = expand(ISA, "matmul_spad", {**SIZE, "a": 0, "b": 16, "c": 100})
    for activation, low in ((0, -128), (1, 0)):
        executor.execute([("config_ex", {"activation": activation, "a_stride": 1, "c_stride": 1}), *parts])
        a, b = machine.buffers["spad"][:16].astype(np.int32), machine.buffers["spad"][16:32].astype(np.int32)
        assert np.array_equal(machine.buffers["spad"][100:116], (a @ b).clip(low, 127))


def test_a_part_alone_is_refused() -> None:
    with pytest.raises(MachineError, match="command 4: preload is only executed as part of a composite"):
        Executor(Machine(ISA)).execute([*SETUP, MATMUL[5], MATMUL[7]])


def test_a_composite_that_is_not_allowed_says_why() -> None:
    with pytest.raises(MachineError, match="command 1: preload is only executed as part of a composite: matmul: needs a_addr_stride == 1"):
        Executor(Machine(ISA)).execute(MATMUL[5:7])


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"A": np.zeros((16, 16), np.int8)}, "expected inputs A, B, found A"),
        ({"A": np.zeros((16, 16), np.int8), "B": np.zeros((16, 4), np.int8)}, "input 'B': expected a tensor of shape s8[16,16], found dimensions [16, 4]"),
        ({"A": np.zeros((16, 16), np.int8), "B": np.full((16, 16), 128)}, "input 'B': a value is not in the range of s8"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(inputs: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(UserError) as error:
        Machine(ISA).run(program([], *OPERANDS), inputs)
    assert message in str(error.value)


@pytest.mark.parametrize(("dtype", "low"), [("s8", -128), ("u16", 0), ("s20", -(1 << 19)), ("s33", -(1 << 32)), ("pred", 0), ("f32", -3), ("bf16", -3)])
def test_tensors_of_every_type_survive_memory(dtype: str, low: int) -> None:
    value = np.array([[low, 1], [0, 1]])
    regions = (Region("input", "x", dtype, (2, 2), "dram", 0x10), Region("output", "out0", dtype, (2, 2), "dram", 0x10))
    assert np.array_equal(Machine(ISA).run(program([], *regions), {"x": value})["out0"], value)


def test_a_thousand_instructions_take_about_a_second() -> None:
    executor = Executor(Machine(ISA, {"dram": np.zeros(0x3000, np.uint8)}))
    executor.execute(MATMUL)
    start = time.process_time()
    executor.execute(MATMUL * 25)
    assert time.process_time() - start < 2 * 25 * len(MATMUL) / 1000


RUNNER = f"""#!{sys.executable}
# Answers with the memory that it was given, byte 0x2000 set to the number of commands.
import pathlib, sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
lines = [line for line in pathlib.Path(options["--program"]).read_text().splitlines() if line[0] != "#"]
memory = bytearray(pathlib.Path(options["--memory"]).read_bytes())
memory[0x2000] = len(lines)
pathlib.Path(options["--output"]).write_bytes(memory[: int(options.get("--size", len(memory)))])
print(options.get("--say", '{{"cycles": 42}}'))
sys.exit(int(options.get("--exit", 0)))
"""


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    file = tmp_path / "runner"
    file.write_text(RUNNER)
    file.chmod(0o755)
    return file


def test_a_runner_gets_program_and_memory_and_returns_memory_and_cycles(runner: Path) -> None:
    outputs = Region("output", "out0", "u8", (), "dram", 0x2000), Region("output", "out1", "s8", (16, 16), "dram", 0x1100)
    result = run_on(runner, ISA, program(MATMUL, *OPERANDS, *outputs), operands())
    assert (result.cycles, int(result.outputs["out0"])) == (42, len(MATMUL))
    assert np.array_equal(result.outputs["out1"], operands()["B"])


def test_the_program_image_has_the_words_in_the_declared_order() -> None:
    commands = [Command("mvin", {"rows": 16, "cols": 4}, {"addr": 0x1234, "row": 7})]
    assert program_image(ISA, commands).splitlines() == ["# systolic16: funct rs1 rs2", "2 1234 10000400000007"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--exit", "3"], 'the runner failed with exit status 3 and said: {"cycles": 42}'),
        (["--say", "done"], "expected a last line {\"cycles\": N} from the runner, found 'done'"),
        (["--size", "5"], "expected a memory of 12288 bytes from the runner, found 5"),
    ],
)
def test_a_runner_that_does_not_answer_as_it_should_is_an_error(runner: Path, options: list[str], message: str) -> None:
    with pytest.raises(UserError) as error:
        run_on(runner, ISA, program([], *OPERANDS), operands(), options)
    assert message in str(error.value)


def test_a_runner_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="expected 'oracle' or an executable runner"):
        run_on(tmp_path / "nowhere", ISA, program([]), {})
