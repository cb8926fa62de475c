"""What is shown meanwhile: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import io

import pytest

import lift.progress
from lift.progress import Bar, Lines, for_stream


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_bar_and_anything_else_lines() -> None:
    assert isinstance(for_stream(io.StringIO()), Lines)
    with for_stream(Terminal()) as progress:
        assert isinstance(progress, Bar)


def test_the_bar_shows_stage_step_and_count_and_goes_away() -> None:
    out = Terminal()
    with Bar(out) as progress, progress.stage("passes", 3):
        progress.step("dot, sums")
        progress.live.refresh()
        assert "passes" in out.getvalue() and "1/3" in out.getvalue() and "dot, sums" in out.getvalue()
    assert out.getvalue().endswith("\x1b[2K") or out.getvalue().rstrip("\r\n").endswith("\x1b[2K")


def test_nothing_is_drawn_while_still() -> None:
    out = Terminal()
    with Bar(out) as progress, progress.stage("passes", 3):
        with progress.still():
            assert not progress.live.live.is_started
        assert progress.live.live.is_started


def test_short_stages_are_silent_in_lines() -> None:
    out = io.StringIO()
    with Lines(out) as progress, progress.stage("read"):
        progress.step("a file")
    assert out.getvalue() == ""


def test_long_stages_are_announced_and_their_steps_told_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 1000, 4))
    monkeypatch.setattr(lift.progress, "perf_counter", lambda: next(clock))
    out = io.StringIO()
    with Lines(out) as progress, progress.stage("execute", 9):
        progress.step("load")
        progress.step("store")
    lines = out.getvalue().splitlines()
    assert lines[0] == "execute ..."
    assert "execute: 2 of 9, store" in lines
    assert lines[-1].startswith("execute: ") and lines[-1].endswith(" s")


def test_seconds_of_a_stage_add_up() -> None:
    progress = Lines(io.StringIO())
    for _ in range(2):
        with progress.stage("read"):
            pass
    assert set(progress.seconds) == {"read"} and progress.seconds["read"] >= 0
