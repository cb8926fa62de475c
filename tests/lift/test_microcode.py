"""Bursts, padding and loops over micro-operations: from the RTL of a small accelerator to its instruction set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lift.discover.bursts import single_beats
from lift.discover.contract import discover
from lift.options import Options
from lift.pipeline import lift
from lift.progress import Progress
from lift.unroll.machine import with_deep_recursion
from lift.verilog import read

DESIGN = Path(__file__).parent / "designs/micro"  # LOAD with rows of zeros before and after, ADD over micro-operations in three loops, STORE in bursts

Golden = Callable[[Path | str, str], None]


def lifted(rtl: Path, target: Path) -> str:
    """The instruction set without where it comes from."""
    asked = Options((rtl,), "Micro", target, "micro", prove=False)
    with_deep_recursion(lambda: lift(asked, Progress()))
    lines = target.read_text().splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith(("#", "source"))) + "\n"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    return lifted(DESIGN, tmp_path_factory.mktemp("micro") / "micro.taidl")


def test_its_instruction_set_is_the_one_kept(text: str, golden: Golden) -> None:
    golden("designs/micro/micro.taidl", text)


def test_nothing_is_opaque(text: str) -> None:
    assert "opaque" not in text


def test_rows_of_zeros_are_padding(text: str) -> None:
    assert "padding=`before`_`after_37`x0_0" in text


def test_loops_over_micro_operations_are_macros_whose_steps_look_their_addresses_up(text: str) -> None:
    assert "for n0 < outers {" in text
    assert "uops[n2 + uop] % 64" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y < {5'd0, before}", "y <= {5'd0, before}"),
        ("y - {5'd0, before}", "y + {5'd0, before}"),
        ("dst_outer <= dst_outer + dst_0;", "dst_outer <= dst_outer + dst_1;"),
        ("micro[5:0] + dst_inner", "micro[5:0] - dst_inner"),
        ("{{8{row[8*k+7]}}, row[8*k+:8]}", "{8'd0, row[8*k+:8]}"),
        ("inner == inners - 6'd1", "inner == inners"),
        ("mem_wr_data_bits = x[0] ? sum[63:32] : sum[31:0]", "mem_wr_data_bits = x[0] ? sum[31:0] : sum[63:32]"),
    ],
)
def test_another_design_has_another_instruction_set(old: str, new: str, text: str, tmp_path: Path) -> None:
    rtl = tmp_path / "Micro.v"
    before = (DESIGN / "Micro.v").read_text()
    assert before.count(old) == 1
    rtl.write_text(before.replace(old, new))
    assert lifted(rtl, tmp_path / "micro.taidl") != text


def test_bursts_are_found_and_become_a_port_of_single_beats() -> None:
    netlist = read([DESIGN], "Micro")
    contract = discover(netlist)
    assert [(b.request.name, b.data.name, b.done.name if b.done else None) for b in contract.bursts] == [
        ("mem_wr_cmd", "mem_wr_data", "mem_wr_ack"),
        ("mem_rd_cmd", "mem_rd_data", None),
    ]
    assert contract.memory is not None
    behind = single_beats(netlist, contract)
    assert {contract.memory.request_valid, contract.memory.address, contract.memory.write} <= behind.outputs.keys()
    assert not {"mem_rd_data_valid", "mem_wr_data_ready", "mem_wr_ack_valid"} & behind.inputs.keys()
