"""Runs with what earlier runs left: the same files, faster; and never anything that does not belong to the design."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lift.pipeline
from lift.cache.executions import _Remembering
from lift.cache.sources import sources_key
from lift.cli import argument_parser, main, read_options
from tests.lift.lifted import RTL

TOY = Path(__file__).parents[1] / "designs" / "toy"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory, with a copy of the design."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(TOY, tmp_path / "rtl")
    return tmp_path


def run(where: str, *more: str, top: str = "Toy", status: int = 0) -> dict[str, str]:
    """All files that a run writes, but for seconds."""
    arguments = ["rtl", "--top", top, "-o", f"{where}/a.taidl", "--report", where, "--emit-ir", f"{where}/ir", "--json", f"{where}/j.json"]
    assert main([*arguments, *more]) == status
    found = {str(p.relative_to(where)): p.read_text() for p in Path(where).rglob("*") if p.is_file()}
    numbers = json.loads(found.pop("j.json"))
    found["numbers"] = json.dumps({k: v for k, v in numbers.items() if not k.endswith(("_s", "_mb"))})
    return found


def edit(module: str, old: str, new: str) -> None:
    source = Path("rtl") / f"{module}.v"
    assert old in source.read_text()
    source.write_text(source.read_text().replace(old, new))


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of instructions that are executed, not recalled."""
    names: list[str] = []
    recorded: Callable[..., Any] = _Remembering._recorded

    def noted(self: _Remembering, code: Any) -> Any:
        names.append(code.name)
        return recorded(self, code)

    monkeypatch.setattr(_Remembering, "_recorded", noted)
    return names


def forbid(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def refuse(*_: object) -> None:
        pytest.fail(f"{name} was called")

    monkeypatch.setattr(lift.pipeline, name, refuse)


def test_the_second_run_writes_the_same_files_and_lifts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    first = run("one", "--cache", "cache")
    forbid(monkeypatch, "lift_netlist")
    assert run("two", "--cache", "cache") == first == run("one", "--cache", "cache")


def test_what_the_cache_gives_is_what_a_run_without_one_gives() -> None:
    run("one", "--cache", "cache")
    assert run("two", "--cache", "cache") == run("three", "--no-cache")


def test_a_run_without_a_cache_keeps_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "home"))
    run("one", "--no-cache")
    assert not (folder / "home").exists()
    run("one")
    assert (folder / "home" / "tensorlift").exists()


def test_comments_that_move_lines_lift_nothing_and_change_only_places(monkeypatch: pytest.MonkeyPatch) -> None:
    run("one", "--cache", "cache")
    edit("Toy", "module Toy", "// one\n// two\nmodule Toy")
    with monkeypatch.context() as patch:
        forbid(patch, "lift_netlist")
        moved = run("two", "--cache", "cache")
    assert moved == run("three", "--no-cache")


@pytest.mark.parametrize("more", [["-P", "ROWS=8"], ["--name", "other"], ["--no-prove"], ["-D", "PARTIAL"]])
def test_other_options_are_other_runs(more: list[str]) -> None:
    run("one", "--cache", "cache")
    assert run("two", "--cache", "cache", *more, "--allow-partial") == run("three", "--no-cache", *more, "--allow-partial")


def test_entries_that_were_spoilt_are_not_used() -> None:
    first = run("one", "--cache", "cache")
    entries = [p for p in Path("cache").rglob("*") if p.is_file()]
    assert len({p.parts[1] for p in entries}) == 6
    for number, path in enumerate(entries):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2] if number % 2 else data[:-1] + bytes([data[-1] ^ 1]))
    assert run("two", "--cache", "cache") == first


def test_a_run_that_was_interrupted_is_taken_up_again(executed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise ValueError("stop")

    with monkeypatch.context() as patch:
        patch.setattr(lift.pipeline, "assemble", interrupt)
        with pytest.raises(ValueError, match="stop"):
            run("one", "--cache", "cache")
    assert executed
    executed.clear()
    with monkeypatch.context() as patch:
        forbid_lifting(patch)
        second = run("two", "--cache", "cache")
    assert executed == []
    assert second == run("three", "--no-cache")


def forbid_lifting(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("a function was lifted that was lifted before")

    monkeypatch.setattr("lift.passes.reuse.run_passes", refuse)


def test_what_is_partly_opaque_is_the_same_again(executed: list[str]) -> None:
    first = run("one", "--cache", "cache", "-D", "PARTIAL", status=3)
    shutil.rmtree("cache/runs")
    executed.clear()
    assert run("two", "--cache", "cache", "-D", "PARTIAL", status=3) == first
    assert executed == []


def test_an_edit_executes_only_what_looks_at_it(executed: list[str]) -> None:
    """And what comes out is what a run without a cache gives."""
    shutil.rmtree("rtl")
    shutil.copytree(RTL, "rtl")
    small = ["-P", "DIM=4"]
    run("one", "--cache", "cache", *small, top="Gemmini")
    executed.clear()
    edit("LoadController", "vaddr + row_wide * stride", "vaddr - row_wide * stride")
    edited = run("two", "--cache", "cache", *small, top="Gemmini")
    assert {name.split("_")[0] for name in executed} == {"config", "mvin", "mvin2", "mvin3"}
    assert edited == run("three", "--no-cache", *small, top="Gemmini")


def test_the_same_sources_are_not_even_read(monkeypatch: pytest.MonkeyPatch) -> None:
    first = run("one", "--cache", "kept")
    forbid(monkeypatch, "read_netlist")
    assert run("two", "--cache", "kept") == first


@pytest.mark.parametrize("line", ['`include "elsewhere"', '`define WORDS $readmemh("elsewhere", words)'])
def test_sources_that_name_other_files_are_read_each_time(line: str, folder: Path) -> None:
    """What they name may lie anywhere, and is not among the sources."""
    source = sorted((folder / "rtl").glob("*.v"))[0]
    source.write_text(f"{line}\n{source.read_text()}")
    assert sources_key(read_options(argument_parser(), argument_parser().parse_args(["rtl", "--top", "Toy"]))) is None
