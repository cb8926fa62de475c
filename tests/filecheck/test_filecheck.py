"""<pass>/<idiom>.mlir: the RUN line of each file is run, its output is as the CHECK lines say, and mlir-opt accepts what goes in and what comes out."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options

from lift.ir import opt
from lift.passes import PASSES

_INSTALLED = Path("/usr/lib/llvm-16/bin/mlir-opt")
MLIR_OPT = str(_INSTALLED) if _INSTALLED.exists() else shutil.which("mlir-opt-16") or shutil.which("mlir-opt")
HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*/*.mlir"))
each_file = pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}/{f.stem}")
needs_mlir_opt = pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")


def command(file: Path) -> list[str]:
    """The tensorlift-opt command of the RUN line."""
    return file.read_text().splitlines()[0].removeprefix("// RUN: ").split(" | ")[0].split()


@cache
def run(file: Path) -> str:
    """What that command prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert opt.main([str(file), *command(file)[2:]]) == 0
    return out.getvalue()


def mlir_opt(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(MLIR_OPT)], input=text, capture_output=True, text=True)


@each_file
def test_the_run_line_is_of_the_pass_that_the_folder_is_named_after(file: Path) -> None:
    tool, source, flag, passes = command(file)
    assert (tool, source, flag) == ("tensorlift-opt", "%s", "-p")
    assert file.parent.name in passes


@each_file
def test_the_output_is_as_the_file_says(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "out.mlir"
    output.write_text(run(file))
    status = Matcher.from_opts(parse_argv_options(["filecheck", str(file), "--input-file", str(output)])).run()
    assert status == 0, capsys.readouterr().err + output.read_text()


@each_file
@needs_mlir_opt
def test_mlir_opt_accepts_the_input(file: Path) -> None:
    result = mlir_opt(file.read_text())
    assert result.returncode == 0, result.stderr


@each_file
@needs_mlir_opt
def test_mlir_opt_accepts_the_output(file: Path) -> None:
    result = mlir_opt(run(file))
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", [kind.name for kind in PASSES])
def test_every_pass_has_a_folder(name: str) -> None:
    assert list((HERE / name).glob("*.mlir"))
