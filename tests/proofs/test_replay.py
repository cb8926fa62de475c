"""Counterexamples as waves, and what Icarus Verilog says of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import z3

from lift.crosscheck.icarus import is_installed
from lift.verilog import read
from proofs.meaning import variable
from proofs.replay import CONFIRMED, OTHERWISE, OneCycle, Replay, about, at, explained
from proofs.solve import Refuted, prove_equal
from proofs.waves import Wave, table

needs_icarus = pytest.mark.skipif(not is_installed(), reason="Icarus Verilog is not installed: no counterexample is replayed")
COUNTER = """module counter(input wire clock, input wire up, output wire [3:0] shown);
    reg [3:0] count;
    assign shown = ~count;
    always @(posedge clock) if (up) count <= count + 4'd1;
endmodule
"""
up, count = variable("up", 1), variable("count", 4)
RIGHT = {"count": z3.If(up == 1, count + 1, count), "shown": ~count}


def refuted(folder: Path, values: dict[str, z3.BitVecRef]) -> Refuted:
    """The counterexample to the claim that the counter stays, of a proof that has these `values`."""
    (folder / "counter.v").write_text(COUNTER)
    with pytest.raises(Refuted) as caught, about(OneCycle(read([folder], "counter"), values)):
        prove_equal("it stays", count, values["count"], [up == 1])
    return caught.value


def replay(folder: Path, values: dict[str, z3.BitVecRef]) -> Replay:
    found = explained(refuted(folder, values))
    assert found is not None
    return found


@needs_icarus
def test_what_the_rtl_does_is_confirmed(tmp_path: Path) -> None:
    assert replay(tmp_path, RIGHT).verdict == CONFIRMED


@needs_icarus
def test_what_only_the_proof_does_is_not_reproduced(tmp_path: Path) -> None:
    found = replay(tmp_path, RIGHT | {"count": count + 2})
    assert found.verdict == OTHERWISE and found.why.startswith("count is 0x")


@needs_icarus
def test_a_line_has_a_name_its_bits_values_and_the_place_in_the_source(tmp_path: Path) -> None:
    error = refuted(tmp_path, RIGHT)
    lines = [line.split() for line in str(explained(error)).splitlines()]
    before = error.values["count"]
    assert lines[0] == ["bits", "before", "after", "proof"]
    assert lines[1] == ["up", "1", "1", f"{tmp_path}/counter.v:1:45"]
    assert lines[2] == ["count", "4", f"{before:x}", f"{(before + 1) % 16:x}", ".", f"{tmp_path}/counter.v:2:15"]
    assert lines[3][:4] == ["shown", "4", f"{15 - before:x}", f"{15 - before:x}"]


def test_without_a_subject_nothing_is_replayed() -> None:
    assert explained(Refuted("nothing", {}, {})) is None


def test_a_value_that_stays_is_a_dot_and_one_that_is_missing_is_empty() -> None:
    text = table(["0", "1", "2"], [Wave("a", 8, (255, 255, 1), "a.v:1"), Wave("long_name", 1, (0, None, 1))])
    assert text == "           bits   0  1  2\na             8  ff  .  1  a.v:1\nlong_name     1   0     1"


def test_words_of_arrays_have_the_values_that_are_named() -> None:
    words = z3.Array("words", z3.BitVecSort(64), z3.BitVecSort(8))
    value = z3.Select(words, z3.ZeroExt(60, count)) + z3.ZeroExt(4, count)
    assert at(value, {"count": 3, "words[0x3]": 5, "words[0x4]": 7}) == 8
