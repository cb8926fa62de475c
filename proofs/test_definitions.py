"""Each module of the RTL, as this project reads it, is the module as yosys reads it: next state, memories, outputs, and what instances get.

One step, from any state under any inputs, instances with free outputs. Their number does not matter: a definition is read and compared once.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from lift.crosscheck import Given, compare_definitions
from lift.crosscheck.icarus import is_installed
from lift.crosscheck.verdicts import Verdict
from lift.netlist.model import Netlist
from lift.netlist.module import Design
from lift.verilog import read
from proofs import yosys
from proofs.designs import RTL
from proofs.replay import CONFIRMED, NOT_PLAYED
from proofs.replay_definition import replayed

pytestmark = pytest.mark.skipif(not yosys.is_installed(), reason="yosys is not installed: the independent reading of the RTL is not compared")

MODULES = sorted(file.stem for file in RTL.glob("*.v"))
SIZES = [pytest.param(4, id="4x4"), pytest.param(16, id="16x16", marks=pytest.mark.slow)]


@cache
def gemmini(dim: int) -> Netlist:
    return read([RTL], "Gemmini", parameters={"DIM": dim})


def design(dim: int) -> Design:
    found = gemmini(dim).design
    assert found is not None
    return found


@cache
def verdicts(dim: int) -> tuple[Verdict, ...]:
    return tuple(compare_definitions(gemmini(dim), Given({"DIM": dim})))


@pytest.mark.parametrize("module", [pytest.param(name, id=f"gemmini-{name}-step") for name in MODULES])
@pytest.mark.parametrize("dim", SIZES)
def test_a_definition_is_the_reading_by_yosys(dim: int, module: str) -> None:
    own = [v for v in verdicts(dim) if v.subject.split(" ")[0] == module]
    assert own
    shown = [str(replayed(design(dim), v)) for v in own if v.counterexample is not None]
    assert [v for v in own if v.status != "agreed"] == [], "\n".join(shown)


def test_the_rtl_does_what_the_counterexample_says(tmp_path: Path) -> None:
    """Our reading of the RTL as it is, and that by yosys of a changed copy: Icarus, which executes the copy, is on the side of yosys."""
    text = (RTL / "PE.v").read_text()
    old, new = "output_stationary ? in_b : mac_d", "output_stationary ? mac_d : in_b"
    assert text.count(old) == 1
    for name in ("PE.v", "MacUnit.v"):
        (tmp_path / name).write_text((RTL / name).read_text())
    read_before = read([tmp_path], "PE")
    (tmp_path / "PE.v").write_text(text.replace(old, new))
    (found,) = (v for v in compare_definitions(read_before, Given()) if v.status == "different")
    assert read_before.design is not None
    replay = replayed(read_before.design, found)
    print(replay)
    assert replay.verdict == (CONFIRMED if is_installed() else NOT_PLAYED)
    lines = [line.split() for line in replay.table.splitlines()]
    assert lines[0] == ["bits", "before", "ours", "yosys", "Icarus"]
    assert [line[0] for line in lines if line[-1].startswith(f"{tmp_path}/PE.v:")][-1] == "out_b"
