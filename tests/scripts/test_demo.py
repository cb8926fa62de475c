"""scripts/demo.py: what it says where the RTL cannot be run, and what it compares."""

from __future__ import annotations

from pathlib import Path

import demo
import numpy as np
import pytest


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """What the program wrote, 2x2, in a tree where running a command does nothing."""
    values = np.array([[1, 2], [3, 4]], np.int8)
    np.savez(tmp_path / "oracle.npz", out0=values)
    monkeypatch.setattr(demo, "WORK", tmp_path)
    monkeypatch.setattr(demo, "step", lambda title, *command: "")
    return values


def test_names_what_the_rtl_run_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert demo.missing_for_rtl() == ["Verilator", "a C++ compiler"]


def test_equal_results_are_said_to_be_equal(results: np.ndarray) -> None:
    assert "equals the HLO reference in all 4 elements" in demo.run("", "oracle", results)


def test_one_wrong_element_ends_the_demo(results: np.ndarray) -> None:
    expected = results.copy()
    expected[1, 1] = 5
    with pytest.raises(SystemExit, match="differs from the HLO reference in 1 elements"):
        demo.run("", "oracle", expected)


def test_another_element_type_ends_the_demo(results: np.ndarray) -> None:
    with pytest.raises(SystemExit, match="differs"):
        demo.run("", "oracle", results.astype(np.int32))
