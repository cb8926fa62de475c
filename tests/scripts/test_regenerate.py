"""scripts/regenerate.py: what it says and leaves behind, with a stand-in for the lifting itself."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "regenerate.py"


@pytest.fixture
def regenerate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, in a tree of its own, with a tensorlift that writes one line."""
    spec = importlib.util.spec_from_file_location("regenerate", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "REPOSITORY", tmp_path)
    monkeypatch.setattr(module, "lift", lambda folder, top, output: bool(output.write_text(f"lifted {top}\n")))
    return module


def test_writes_what_was_lifted(regenerate: ModuleType, tmp_path: Path) -> None:
    assert regenerate.regenerate("rtl/box", "Box", check=False)
    assert (tmp_path / "isas/generated/box.taidl").read_text() == "lifted Box\n"


def test_check_accepts_what_was_lifted_before(regenerate: ModuleType) -> None:
    regenerate.regenerate("rtl/box", "Box", check=False)
    assert regenerate.regenerate("rtl/box", "Box", check=True)


def test_check_shows_a_difference_and_writes_nothing(regenerate: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    regenerate.regenerate("rtl/box", "Box", check=False)
    target = tmp_path / "isas/generated/box.taidl"
    target.write_text("edited by hand\n")
    assert not regenerate.regenerate("rtl/box", "Box", check=True)
    assert "-edited by hand\n+lifted Box\n" in capsys.readouterr().out
    assert target.read_text() == "edited by hand\n"


def test_a_failed_lift_is_a_failure(regenerate: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regenerate, "lift", lambda folder, top, output: False)
    assert not regenerate.regenerate("rtl/box", "Box", check=False)
