"""The oracle executes tokens, macros, look-ups, predicates and order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from act.oracle import Machine, MachineError
from act.oracle.strict import StrictMachine
from act.taidl import load

FORMS = load((Path(__file__).parent.parent / "taidl" / "forms.taidl").read_text())


def machine(kind: type[Machine] = Machine) -> Machine:
    memory = np.random.default_rng(0).integers(0, 256, 4096, dtype=np.uint8)
    memory[1024:1152] = np.arange(64, dtype=np.uint16).view(np.uint8)
    return kind(FORMS, {"dram": memory})


def test_an_address_may_be_looked_up_in_a_buffer() -> None:
    m = machine()
    m.step("load", {"n": 8, "addr": 0, "row": 0})
    m.step("load_uops", {"n": 64, "addr": 1024})
    m.buffers["sums"][:] = 7
    m.buffers["uops"][:3] = 5, 1, 32 + 5
    m.step("gather_add", {"n": 3, "first": 0, "last": 0})
    rows = m.buffers["rows"]
    np.testing.assert_array_equal(m.buffers["sums"][:3], rows[[5, 1, 5]].astype(np.int32) + 7)
    m.buffers["uops"][:3] = 2, 3, 4
    m.buffers["sums"][:] = 0
    m.step("gather_add", {"n": 3, "first": 0, "last": 0})
    np.testing.assert_array_equal(m.buffers["sums"][:3], rows[2:5])


def test_what_is_looked_up_must_be_specified_on_a_strict_machine() -> None:
    m = machine(StrictMachine)
    m.step("load", {"n": 8, "addr": 0, "row": 0})
    m.step("load_uops", {"n": 8, "addr": 1024})
    with pytest.raises(MachineError, match="looks into uops, some elements of which nothing has set"):
        m.step("gather_add", {"n": 3, "first": 0, "last": 0})


def test_a_predicate_of_the_body_decides_which_elements_are_written() -> None:
    m = machine()
    m.step("load", {"n": 8, "addr": 0, "row": 0})
    before = m.buffers["rows"].copy()
    m.step("keep_positive", {"n": 8, "row": 0})
    positive = before[:8] > 0
    np.testing.assert_array_equal(m.buffers["rows"][8:16], np.where(positive, before[:8], before[8:16]))
    np.testing.assert_array_equal(m.buffers["sums"][:8], positive)


def test_elements_that_a_predicate_leaves_out_stay_unspecified() -> None:
    m = machine(StrictMachine)
    m.step("load", {"n": 8, "addr": 0, "row": 0})
    m.step("keep_positive", {"n": 8, "row": 0})
    assert m.unspecified["rows"].reshape(32, 8)[8:16].tolist() == (m.buffers["rows"][:8] <= 0).tolist()


def test_tokens_are_pushed_and_waited_for() -> None:
    m = machine()
    for row in (0, 8):
        m.step("load", {"n": 8, "addr": 0, "row": row})
    assert m.tokens == {"loaded": 2, "free": 0}
    with pytest.raises(MachineError, match="load: waits for the token 'free', which nothing before it has pushed"):
        m.step("load", {"n": 8, "addr": 0, "row": 16})
    m.step("load_uops", {"n": 64, "addr": 1024})
    m.step("gather_add", {"n": 2, "first": 0, "last": 1})
    assert m.tokens == {"loaded": 1, "free": 1}
    m.step("load", {"n": 8, "addr": 0, "row": 16})


def test_order_is_kept() -> None:
    m = machine()
    m.step("set_pad", {"value": 3})
    m.step("keep_positive", {"n": 1, "row": 0})
    with pytest.raises(MachineError, match="set_pad: must come before keep_positive, which was executed already"):
        m.step("set_pad", {"value": 4})


def test_a_macro_has_the_effect_of_its_steps() -> None:
    whole, single = machine(), machine()
    whole.step("load_all", {"tiles": 1, "rest": 3, "addr": 64})
    single.step("load", {"n": 8, "addr": 64, "row": 0})
    single.step("load", {"n": 3, "addr": 128, "row": 8})
    np.testing.assert_array_equal(whole.buffers["rows"], single.buffers["rows"])
    assert whole.tokens == single.tokens
    whole.step("set_pad", {"value": 9})


def test_a_macro_that_fails_changes_nothing() -> None:
    m = machine()
    before = {name: array.copy() for name, array in m.buffers.items()}
    with pytest.raises(MachineError, match="load_all: load: waits for the token 'free'"):
        m.step("load_all", {"tiles": 3, "rest": 1, "addr": 0})
    assert m.tokens == {"loaded": 0, "free": 2}
    assert all(np.array_equal(before[name], array) for name, array in m.buffers.items())
