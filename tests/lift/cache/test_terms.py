"""Data with terms in it, written and read again in the same or another process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lift.cache.terms import Unknown, dump, load
from lift.unroll import terms
from lift.unroll.function import Loop, Store
from lift.unroll.machine import Later, State
from lift.unroll.memory import Write

A, B = terms.sym("a", 8), terms.sym("b", 8)
SUM = terms.apply("add", 8, (terms.load("memory", 8, A), B))


def test_terms_are_the_same_objects_when_read() -> None:
    found = load(dump((SUM, [A, B])), "")
    assert found[0] is SUM and found[1][0] is A and found[1][1] is B


def test_statements_states_and_logs_are_equal_when_read() -> None:
    loop = Loop(terms.sym("i0", 32), terms.const(3, 32), (Store("memory", A, SUM, None, None),))
    state = State({"r": SUM}, frozenset({"r"}), (Write("memory", A, SUM, None, terms.TRUE),), {"x": B})
    assert load(dump((loop, state)), "") == (loop, state)


def test_a_value_that_was_computed_later_is_known_when_read() -> None:
    value = Later(lambda: SUM)
    value.now()
    found = load(dump({"r": value}), "")["r"]
    assert isinstance(found, Later) and found.known() is SUM


def test_a_value_that_nobody_computed_is_not_computed() -> None:
    def refuse() -> terms.Term:
        pytest.fail("computed")

    assert isinstance(load(dump(Later(refuse)), ""), Unknown)


def test_undefined_values_of_another_process_are_told_apart() -> None:
    undefined = terms.sym("undefined@7f", 8)
    found = load(dump(undefined), "x")
    assert found is not undefined and found.attr == "undefined@7f.x"


def test_bytes_do_not_depend_on_the_process() -> None:
    """Hashes of texts differ from process to process; entries and their keys must not."""
    program = "from lift.cache.digest import digest, plain; print(digest(plain({'k': frozenset(map(str, range(50)))})))"
    runs = {subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout for _ in range(3)}
    assert len(runs) == 1
