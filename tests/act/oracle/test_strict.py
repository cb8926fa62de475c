"""A strict machine reads nothing that is unspecified."""

import numpy as np
import pytest

from act.oracle import MachineError
from act.oracle.strict import StrictMachine
from act.taidl import parse
from tests.act.backend.backends import SYSTOLIC

MATMUL = {"m": 1, "k": 1, "n": 1, "a": 0, "b": 1, "c": 0}
STORE = {"rows": 1, "cols": 1, "addr": 0, "row": 0}


def machine(*known: str) -> StrictMachine:
    return StrictMachine(parse(SYSTOLIC.read_text()), {"dram": np.zeros(64, np.uint8)}, known=known)


def test_contents_that_are_not_known_are_not_read() -> None:
    with pytest.raises(MachineError, match="reads elements of spad that nothing has set"):
        machine().step("mvout", STORE)
    machine("spad").step("mvout", STORE)


def test_what_was_written_may_be_read() -> None:
    strict = machine()
    strict.step("mvin_zero", {"rows": 1, "cols": 1, "row": 0})
    strict.step("mvout", STORE)
    with pytest.raises(MachineError, match="nothing has set"):
        strict.step("mvout", STORE | {"cols": 2})


def test_what_was_clobbered_is_unspecified() -> None:
    strict = machine("spad", "tile")
    strict.step("config_ex", {"activation": 0, "a_stride": 1, "c_stride": 1})
    strict.step("matmul", MATMUL)
    assert strict.unspecified["tile"].all() and not strict.unspecified["acc"][0]
