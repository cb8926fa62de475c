"""Each .mlir file is one pass: its RUN line is executed, and the real mlir-opt accepts what comes out."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
from pathlib import Path

import pytest
from filecheck.matcher import Matcher
from filecheck.options import parse_argv_options

from lift.ir import opt

_INSTALLED = Path("/usr/lib/llvm-16/bin/mlir-opt")
MLIR_OPT = str(_INSTALLED) if _INSTALLED.exists() else shutil.which("mlir-opt")
FILES = sorted(Path(__file__).parent.glob("*.mlir"))


def run(file: Path) -> str:
    """What the tensorlift-opt command of the RUN line prints."""
    command = file.read_text().splitlines()[0].removeprefix("// RUN: ").split(" | ")[0].split()
    assert command[:2] == ["tensorlift-opt", "%s"]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert opt.main([str(file), *command[2:]]) == 0
    return out.getvalue()


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_output_is_as_the_file_says(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "out.mlir"
    output.write_text(run(file))
    status = Matcher.from_opts(parse_argv_options(["filecheck", str(file), "--input-file", str(output)])).run()
    assert status == 0, capsys.readouterr().err + output.read_text()


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
def test_mlir_opt_accepts_the_output(file: Path) -> None:
    result = subprocess.run([str(MLIR_OPT)], input=run(file), capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
