"""The Python builder makes the model that the text makes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from act.errors import UserError
from act.taidl import Accelerator, TaidlErrors, parse

LOAD = """
ENTRY load {
    %In1 = u8[`@c.n * 64`] parameter(0);
    %a = u8[`@c.n`,16,4] reshape(%In1);
    ROOT %Out0 = f32[`@c.n`,16] bitcast_convert(%a);
}
"""
TEXT = """taidl 1
accelerator demo

hbm    d0 : u8[1 << 40]
buffer d1 : f32[128][16]

config mode : u2 = 0

instruction load(n | addr_in, addr_out)
  when    1 <= n and n <= 128
  when    mode == 1
  use     mode as mode
  read    %In1 = d0[addr_in + i0 : i0 < 64 * n]
  write   d1[addr_out + i0][i1 : i0 < n, i1 < 16] = %Out0
  body {
    %In1 = u8[`n * 64`] parameter(0)
    %a = u8[`n`,16,4] reshape(%In1)
    ROOT %Out0 = f32[`n`,16] bitcast-convert(%a)
  }
"""


def demo() -> Accelerator:
    isa = Accelerator("demo")
    isa.add_data_model("d1", [128], [16], "f32")
    isa.add_state("mode", "u2")
    load = isa.add_instruction("load", ["n"], ["addr_in", "addr_out"])
    load.set_inputs([["d0", ["@a.addr_in"], ["@c.n * 64"]]])
    load.set_outputs([["d1", ["@a.addr_out"], ["@c.n"]]])
    load.add_constraints(["1 <= @c.n and @c.n <= 128", "@s.mode == 1"])
    load.add_semantics(LOAD)
    return isa


def test_python_and_text_describe_the_same() -> None:
    assert demo().build() == parse(TEXT)


def test_the_oracle_executes_what_was_built() -> None:
    machine = demo().generate_oracle()
    values = np.arange(32, dtype=np.float32)
    machine.attach({"d0": values.view(np.uint8)})
    machine.registers["mode"] = 1
    machine.step("load", {"n": 2, "addr_in": 0, "addr_out": 5})
    assert np.array_equal(machine.buffers["d1"][5:7].reshape(-1), values)


def test_a_backend_is_written(tmp_path: Path) -> None:
    assert (demo().generate_backend(tmp_path / "out") / "isa.taidl").read_text() == TEXT


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("f32[`@c.n`,16]", "f32[`@c.n`,8]", "load: the slice of d1 is f32[`n`,16], but '%Out0' is f32[`n`,8]"),
        ("parameter(0)", "iota(), iota_dimension=0", "load: 1 inputs are set, but the semantics have 0 parameters"),
        ("ROOT ", "", "load: 1 outputs are set, but the semantics have 0 results"),
    ],
)
def test_ill_typed_semantics_are_rejected(before: str, after: str, message: str) -> None:
    isa = demo()
    isa.add_instruction("load", ["n"], ["addr_in", "addr_out"])
    builder = isa.builders.pop(0)
    isa.builders[:] = [builder.add_semantics(LOAD.replace(before, after))]
    with pytest.raises((UserError, TaidlErrors)) as error:
        isa.build()
    assert message in str(error.value)


def test_operands_must_fit_their_buffer() -> None:
    isa = demo()
    isa.builders[0].set_outputs([["d2", ["@a.addr_out"], ["@c.n"]]])
    with pytest.raises(UserError, match=r"expected an operand .buffer, starts, lengths. with one start and length per access dimension"):
        isa.build()
