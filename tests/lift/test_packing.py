"""Words that are collected over cycles, and handed out over cycles: whole in the lift, and what the RTL does."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.crosscheck.outside import OnNetlist
from lift.crosscheck.replay import replayed
from lift.netlist.model import Netlist
from lift.unroll.extract import Lift
from tests.lift.lifted import lift_of

PACKING = Path(__file__).parent / "designs/packing/Packing.v"


@pytest.fixture(scope="module", name="packing")
def fixture_packing() -> Lift:
    return lift_of([PACKING], "Packing")


def changed(folder: Path, old: str, new: str) -> Lift:
    text = PACKING.read_text()
    assert old in text
    (folder / "Packing.v").write_text(text.replace(old, new))
    return lift_of([folder / "Packing.v"], "Packing")


def replays(lift: Lift, netlist: Netlist) -> set[str]:
    return {v.status for v in replayed(lift, OnNetlist(netlist), "the simulator")}


def test_every_instruction_is_whole_and_what_the_rtl_does(packing: Lift) -> None:
    assert packing.opaque == {}
    assert [e.excluded for e in packing.unit.executions.values()] == [()] * 4
    assert replays(packing, packing.unit.machine.netlist) == {"tested"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{element, part}", "{part, element}"),
        ("k == 2'd0 ? whole[7:0] : part[7:0]", "k == 2'd0 ? whole[7:0] : part[15:8]"),
        ("32'sd1 <<< (shift - 5'd1)", "32'sd1 <<< shift"),
        ("turn <= turn + 4'd1", "turn <= turn + 4'd3"),
    ],
)
def test_another_rtl_does_something_else(packing: Lift, tmp_path: Path, old: str, new: str) -> None:
    assert "different" in replays(packing, changed(tmp_path, old, new).unit.machine.netlist)


def test_a_counter_that_is_compared_and_reset_is_no_step(tmp_path: Path) -> None:
    lift = changed(tmp_path, "turn <= turn + 4'd1", "turn <= turn == 4'd11 ? 4'd0 : turn + 4'd1")
    assert [why for _, why in lift.unit.executions["enter"].excluded] == ["an effect of a loop depends on turn, carried from one iteration to the next"]
    assert replays(lift, lift.unit.machine.netlist) == {"tested"}
