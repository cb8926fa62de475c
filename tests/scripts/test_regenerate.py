"""scripts/regenerate.py: what it says and leaves behind, with a stand-in for the lifting itself."""

from __future__ import annotations

from pathlib import Path

import pytest
import regenerate as script
from regenerate import regenerate


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of its own, with a tensorlift that writes one line."""
    monkeypatch.setattr(script, "REPOSITORY", tmp_path)
    monkeypatch.setattr(script, "lift", lambda folder, top, output: bool(output.write_text(f"lifted {top}\n")))
    return tmp_path


def test_writes_what_was_lifted(tree: Path) -> None:
    assert regenerate("rtl/box", "Box", check=False)
    assert (tree / "isas/generated/box.taidl").read_text() == "lifted Box\n"


def test_check_accepts_what_was_lifted_before(tree: Path) -> None:
    regenerate("rtl/box", "Box", check=False)
    assert regenerate("rtl/box", "Box", check=True)


def test_check_shows_a_difference_and_writes_nothing(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    regenerate("rtl/box", "Box", check=False)
    target = tree / "isas/generated/box.taidl"
    target.write_text("edited by hand\n")
    assert not regenerate("rtl/box", "Box", check=True)
    assert "-edited by hand\n+lifted Box\n" in capsys.readouterr().out
    assert target.read_text() == "edited by hand\n"


def test_a_failed_lift_is_a_failure(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "lift", lambda folder, top, output: False)
    assert not regenerate("rtl/box", "Box", check=False)
