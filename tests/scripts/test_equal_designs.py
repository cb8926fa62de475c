"""Mutants that are proved equal from reset on, and those that are not: ranges of registers are used, data of enabled writes count."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from lift.discover.contract import discover
from proofs.mutation.control import Bound
from proofs.mutation.designs import DESIGNS, ROOT
from proofs.mutation.invariants import invariants
from proofs.mutation.ranges import ranges
from proofs.mutation.sequential import Compared

DESIGN = DESIGNS["gemmini"]


@cache
def original(known: bool) -> Compared:
    netlist = DESIGN.read(ROOT / "rtl" / DESIGN.folder)
    contract = discover(netlist)
    return Compared(netlist, contract, ranges(netlist, contract) if known else [])


def proof(folder: Path, line: str, changed: str, known: bool = True, file: str = "DmaWriter.v") -> str:
    """What is proved of the design with another line in a file."""
    for name, text in DESIGN.texts().items():
        if name == file:
            assert text.count(line) == 1
            text = text.replace(line, changed)
        (folder / name).write_text(text)
    return original(known).proof(DESIGN.read(folder))


def test_ranges_are_found_by_induction() -> None:
    found = original(True).invariants
    assert Bound("dma_writer.beat_counter", 0) in found  # rows of 4 x 4 elements are one beat
    assert Bound("issue.state", 2) in found
    assert "dma_writer.vaddr" not in {each.register for each in found}


def test_what_differs_only_beyond_a_range_is_equal(tmp_path: Path) -> None:
    counts_twice = ("{8'd0, beat_counter, 4'd0}", "{8'd0, beat_counter + beat_counter, 4'd0}")
    assert proof(tmp_path, *counts_twice)
    assert not proof(tmp_path, *counts_twice, known=False)


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("mem_req_data  = row[127:0]", "mem_req_data  = row[127:0] ^ 128'd1"),
        ("mem_req_data  = row[127:0]", "mem_req_data  = {1'b0, row[126:0]}"),
        ("(bytes > first_byte + k)", "(bytes >= first_byte + k)"),
        ("mem_req_addr  = vaddr", "mem_req_addr  = 40'd1 + vaddr"),
        ("row <= read_full_acc_row ?", "row <= !read_full_acc_row ?"),
    ],
    ids=["lowest-bit", "highest-bit", "mask", "address", "row"],
)
def test_what_is_written_by_an_enabled_write_is_told_apart(tmp_path: Path, line: str, changed: str) -> None:
    assert not proof(tmp_path, line, changed)


def test_data_without_a_write_do_not_matter(tmp_path: Path) -> None:
    assert proof(tmp_path, "mem_req_data  = row[127:0]", "mem_req_data  = (state == SENDING) ? row[127:0] : 128'd0")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "line", "changed"),
    [("DmaWriter.v", "else if (req_fire)", "else"), ("DmaReader.v", "[3:0]  received", "[2:0]  received")],
    ids=["a-request-that-is-held-is-taken-again", "a-counter-that-is-too-narrow-in-reset-only"],
)
def test_what_is_equal_by_more_invariants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, line: str, changed: str) -> None:
    monkeypatch.setattr(original(True), "more", invariants)
    assert proof(tmp_path, line, changed, file=file)
