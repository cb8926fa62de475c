"""The command tensorlift-opt: what it prints, and what it says about bad input."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from lift.ir.opt import main

TEXT = "func.func @f(%x: i8) -> i16 {\n  %w = arith.extsi %x : i8 to i32\n  %r = arith.trunci %w : i32 to i16\n  func.return %r : i16\n}\n"


@pytest.fixture
def module(tmp_path: Path) -> Path:
    file = tmp_path / "in.mlir"
    file.write_text(TEXT)
    return file


def test_without_passes_the_module_is_printed_as_it_is(module: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(module)]) == 0
    assert capsys.readouterr().out.count("arith.") == 2


def test_stdin_to_stdout_is_the_default(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(TEXT))
    assert main(["-p", "a2-narrow-types"]) == 0
    assert "arith.extsi %x : i8 to i16" in capsys.readouterr().out


def test_all_runs_the_eight_passes_in_order(module: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.mlir"
    assert main([str(module), "-p", "all", "-o", str(out), "--statistics"]) == 0
    assert [line.split()[0][:2] for line in capsys.readouterr().err.splitlines()] == ["a1", "a2", "b3", "b4", "b5", "c6", "c7", "d8"]
    assert "taidl.roles" in out.read_text()


def test_an_option_sets_a_mode(module: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(module), "-p", 'b4-specialize-control{set="x=3"}']) == 0
    assert "arith.constant 3 : i16" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("passes", "expected"),
    [
        ("a9-unheard-of", "expected the name of a pass, found 'a9-unheard-of'"),
        ("a1-canon-bitmanip{", "expected passes separated by commas, found 'a1-canon-bitmanip{'"),
        ('b4-specialize-control{set="x"}', "expected NAME=VALUE in `set`, found 'x'"),
    ],
)
def test_a_bad_pipeline_is_one_error(module: Path, passes: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(module), "-p", passes]) == 1
    shown = capsys.readouterr()
    assert expected in shown.err
    assert shown.out == ""


def test_a_syntax_error_has_a_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.mlir"
    file.write_text("func.func @f() {\n  %x = arith.addi %y, %y : i8\n  func.return\n}\n")
    assert main([str(file)]) == 1
    assert f"{file}:" in capsys.readouterr().err


def test_a_missing_file_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.mlir")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_an_output_that_cannot_be_written_leaves_nothing(module: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(module), "-o", str(tmp_path / "none" / "out.mlir")]) == 1
    assert "cannot be written" in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["in.mlir"]


def test_a_sum_of_many_products_is_one_loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    length, total, lines = 700, "%bias", []
    for k in range(length):
        lines += [
            f"%i{k} = arith.constant {k} : index",
            f"%a{k} = memref.load %x[%i{k}] : memref<{length}xi8>",
            f"%b{k} = memref.load %w[%i{k}] : memref<{length}xi8>",
        ]
        lines += [f"%c{k} = arith.extsi %a{k} : i8 to i32", f"%d{k} = arith.extsi %b{k} : i8 to i32"]
        lines += [f"%p{k} = arith.muli %c{k}, %d{k} : i32", f"%s{k} = arith.addi {total}, %p{k} : i32"]
        total = f"%s{k}"
    head = f"func.func @chain(%x: memref<{length}xi8>, %w: memref<{length}xi8>, %bias: i32) -> i32 {{"
    (tmp_path / "chain.mlir").write_text("\n".join([head, *lines, f"func.return {total} : i32", "}"]))
    assert main([str(tmp_path / "chain.mlir"), "-p", "b3-detect-mac,c6-reconstruct-loops,c7-lift-to-linalg"]) == 0
    out = capsys.readouterr().out
    assert out.count("scf.for") == out.count('"dot_product"') == 1
    assert f"arith.constant {length} : index" in out
