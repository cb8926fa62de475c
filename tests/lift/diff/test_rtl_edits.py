"""Edits of the RTL, lifted at a small size: only the instructions whose effects depend on the edit are told."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from act.taidl import Accelerator, parse
from lift.cli import main
from lift.diff import Change, differences
from tests.lift.lifted import RTL

COMPUTE = re.compile(r"(instruction|composite)s? (preload_((bd_transpose|output_stationary)_)?)?compute_.*")
PRELOAD = re.compile(r"instructions? (preload(_bd_transpose|_output_stationary)?(, )?)+")
LOAD = re.compile(r"instructions? mvin.*")


def lifted(folder: Path, output: Path) -> Accelerator:
    assert main([str(folder), "--top", "Gemmini", "-P", "DIM=4", "--name", "gemmini", "-o", str(output), "--allow-partial"]) == 0
    return parse(output.read_text())


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Accelerator:
    return lifted(RTL, tmp_path_factory.mktemp("before") / "before.taidl")


def after(edit: tuple[str, str, str], folder: Path) -> Accelerator:
    """The lift of the RTL in which, in one module, the first text is replaced by the second."""
    module, old, new = edit
    shutil.copytree(RTL, folder / "rtl")
    source = folder / "rtl" / f"{module}.v"
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))
    return lifted(folder / "rtl", folder / "after.taidl")


def subjects(changes: list[Change]) -> list[str]:
    return [c.subject for c in changes]


def test_an_operator_of_the_address_generator_names_the_loads(before: Accelerator, tmp_path: Path) -> None:
    found = differences(before, after(("LoadController", "vaddr + row_wide * stride", "vaddr - row_wide * stride"), tmp_path))
    assert found and all(LOAD.fullmatch(subject) for subject in subjects(found))
    assert all("- i * strides" in line for change in found for line in change.lines if line.startswith("  + "))


def test_what_a_processing_element_loads_names_the_preload_and_what_leaves_through_others(before: Accelerator, tmp_path: Path) -> None:
    found = differences(before, after(("PE", "loaded = {{12{in_d[19]}}, in_d}", "loaded = {12'd0, in_d}"), tmp_path))
    (preload,) = [change for change in found if change.subject == "instruction preload"]
    assert preload.lines[0] == "body: what it writes to c"
    others = {*subjects(found)} - {preload.subject, "instruction preload_bd_transpose"}
    assert all("output_stationary" in subject for subject in others), others


def test_an_operator_of_the_processing_element_names_the_computations(before: Accelerator, tmp_path: Path) -> None:
    """The changed sum is no dot product: its instructions become opaque, and what is left of the composite says so."""
    found = differences(before, after(("PE", "output_stationary ? in_b : mac_d", "output_stationary ? in_b : -mac_d"), tmp_path))
    told = {subject for subject in subjects(found) if not COMPUTE.fullmatch(subject) and not PRELOAD.fullmatch(subject)}
    assert any(COMPUTE.fullmatch(subject) for subject in subjects(found))
    assert told <= {"registers c_cols, c_rows"}


def test_a_comment_is_no_change(before: Accelerator, tmp_path: Path) -> None:
    assert differences(before, after(("PE", "module PE (", "// a comment\nmodule PE ("), tmp_path)) == []
