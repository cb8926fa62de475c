"""A program written by hand: the operations of a machine are functions."""

from pathlib import Path

import numpy as np
import pytest

from act.oracle import Machine, MachineError
from act.taidl import load

FORMS = load((Path(__file__).parent.parent / "taidl" / "forms.taidl").read_text())


def test_an_instruction_is_a_function_of_its_attributes() -> None:
    machine = Machine(FORMS, {"dram": np.arange(256, dtype=np.uint8)})
    machine.api.load(n=2, addr=16, row=4)
    machine.api.load(1, 64, row=9)
    np.testing.assert_array_equal(machine.buffers["rows"][4:6].reshape(-1), np.arange(16, 32))
    assert machine.buffers["rows"][9, 0] == 64


def test_what_is_no_instruction_is_no_function() -> None:
    api = Machine(FORMS).api
    assert "keep_positive" in dir(api) and not hasattr(api, "nothing")
    with pytest.raises(MachineError, match="'row' is missing"):
        api.load(n=1, addr=0)
