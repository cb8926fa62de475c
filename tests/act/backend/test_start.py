"""A program counts on nothing that programs before it may have changed."""

from __future__ import annotations

import numpy as np
import pytest

from act.backend.compile import Backend, compile_module
from act.backend.configure import Configurator
from act.backend.registers import first_values
from act.backend.verify import inputs
from act.hlo import parse_module
from act.hlo.evaluate import evaluate
from act.oracle import Machine
from act.oracle.machine import MachineError
from act.program import Program
from act.records import replace
from act.taidl import parse
from tests.act.backend.backends import REFERENCE, ROOT, backend_of, hlo

ISAS = (REFERENCE / "systolic16.taidl", ROOT / "isas/generated/gemmini.taidl")
OPERANDS = "a = s8[20,16] parameter(0)", "b = s8[16,16] parameter(1)", "d = s32[20,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
PRODUCT = hlo(*OPERANDS)
RELU = hlo(
    *OPERANDS,
    "low = s32[] constant(0)",
    "high = s32[] constant(127)",
    "limited = s32[20,16] clamp(low, d, high)",
    "narrow = s8[20,16] convert(limited)",
)
MOVING = """taidl 1
accelerator moving
command word : 16
hbm    mem : u8[1 << 16]
buffer row : u8[16][16]
config stride : u8 = 16
config mode   : u1 = 0
config fixed  : u1 = 1

instruction set_stride(value)
  encode  word[15:12] = 1; word[7:0] = value
  set     stride = value

instruction set_mode(value)
  encode  word[15:12] = 2; word[0:0] = value
  set     mode = value
"""


@pytest.fixture(params=ISAS, ids=lambda path: path.stem)
def backend(request: pytest.FixtureRequest) -> Backend:
    return backend_of(request.param.read_text())


def program(backend: Backend, text: str) -> Program:
    return compile_module(backend, parse_module(text)).program


def right(machine: Machine, program: Program, text: str) -> bool:
    module = parse_module(text)
    cases = [values for name, values in inputs(module, 1) if name.startswith("random")]
    return all(np.array_equal(machine.run(program, values)["out0"], np.asarray(evaluate(module, list(values.values())))) for values in cases)


def test_programs_run_one_after_the_other(backend: Backend) -> None:
    machine = Machine(backend.accelerator)
    for text in (RELU, PRODUCT, RELU, PRODUCT):
        assert right(machine, program(backend, text), text)


@pytest.mark.parametrize("seed", range(8))
def test_what_registers_hold_at_the_start_does_not_matter(backend: Backend, seed: int) -> None:
    machine = Machine(backend.accelerator, seed=seed)
    machine.disturb()
    assert right(machine, program(backend, PRODUCT), PRODUCT)


def test_a_machine_in_use_shows_that_a_setting_is_missing(backend: Backend) -> None:
    """Also one that gives registers their first values."""
    whole = program(backend, PRODUCT)
    (first, *_) = [n for n, each in enumerate(whole.commands) if each.instruction == "config_ex"]
    less = replace(whole, commands=whole.commands[:first] + whole.commands[first + 1 :])
    machine = Machine(backend.accelerator, seed=1)
    machine.disturb()
    with pytest.raises(MachineError, match=r"needs|reaches"):
        right(machine, less, PRODUCT)


def test_only_what_no_instruction_sets_is_known_at_the_start() -> None:
    accelerator = parse(MOVING)
    assert first_values(accelerator) == {("stride", None): None, ("mode", None): None, ("fixed", None): 1}
    assert Configurator(accelerator, ()).state == first_values(accelerator)
    machine = Machine(accelerator, seed=1)
    machine.disturb()
    assert machine.registers["fixed"] == 1 and machine.registers["stride"] != 16


def test_one_setting_does_for_all_registers_that_are_needed(backend: Backend) -> None:
    assert [each.instruction for each in program(backend, PRODUCT).commands].count("config_ex") == 1
