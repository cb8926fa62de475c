"""Bad input through the real commands: one error with a place and advice, the right exit status, nothing written.

Each case runs in a fresh folder that holds a copy of inputs/. Its golden file, golden/<case>.txt, is the exit status and what the command said on stderr.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import numpy as np
import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
ISA = REPOSITORY / "isas" / "reference" / "systolic16.taidl"
BIN = Path(sys.executable).parent

# Nothing of what these read is a backend: they end in the first stage that sees the fault.
COMMANDS = {
    "missing_top": "tensorlift good --top Multiplier -o out.taidl",
    "syntax_error": "tensorlift syntax_error --top Adder -o out.taidl",
    "unsupported_construct": "tensorlift unsupported --top Bus -o out.taidl",
    "unknown_module": "tensorlift unknown_module --top Top -o out.taidl",
    "empty_directory": "tensorlift empty --top Top -o out.taidl",
    "no_such_directory": "tensorlift nowhere --top Top -o out.taidl",
    "no_commands_in_design": "tensorlift good --top Adder -o out.taidl",
    "lift_would_overwrite_a_file_of_others": "tensorlift good --top Adder -o notes.txt",
    "lift_output_below_a_file": "tensorlift good --top Adder -o notes.txt/out.taidl",
    "descriptor_is_not_toml": "tensorlift good --top Adder --descriptor notes.txt -o out.taidl",
    "no_such_descriptor": "tensorlift good --top Adder --descriptor nowhere.toml -o out.taidl",
    "descriptor_names_a_port_that_is_not_there": "tensorlift good --top Adder --descriptor adder.toml -o out.taidl",
    "no_such_parameter": "tensorlift good --top Adder -P WIDTH=3 -o out.taidl",
    "no_such_file_list": "tensorlift -f nowhere.f --top Adder -o out.taidl",
    "malformed_taidl": "act-gen malformed.taidl -o out",
    "ill_typed_taidl": "act-gen ill_typed.taidl -o out",
    "no_such_taidl": "act-gen nowhere.taidl -o out",
    "backend_below_a_file": f"act-gen {ISA} -o notes.txt/out",
}
# These get a backend of the reference ISA as BACKEND.
COMPILATIONS = {
    "malformed_hlo": "act-cc BACKEND malformed.hlo -o out.asm",
    "ill_shaped_hlo": "act-cc BACKEND ill_shaped.hlo -o out.asm",
    "unknown_operation": "act-cc BACKEND unknown_operation.hlo -o out.asm",
    "kernel_the_isa_cannot_express": "act-cc BACKEND inexpressible.hlo -o out.asm",
    "no_such_kernel": "act-cc BACKEND nowhere.hlo -o out.asm",
    "no_such_backend": "act-cc nowhere matmul.hlo -o out.asm",
    "program_below_a_file": "act-cc BACKEND matmul.hlo -o notes.txt/out.asm",
}
# These get a program, matmul.asm, as well, and inputs in good.npz (as they should be), short.npz (without b) and narrow.npz (b has the wrong shape).
RUNS = {
    "malformed_program": "act-run BACKEND malformed.hlo --inputs good.npz -o out.npz",
    "missing_input": "act-run BACKEND matmul.asm --inputs short.npz -o out.npz",
    "input_of_the_wrong_shape": "act-run BACKEND matmul.asm --inputs narrow.npz -o out.npz",
    "inputs_are_not_npz": "act-run BACKEND matmul.asm --inputs notes.txt -o out.npz",
    "no_such_runner": "act-run BACKEND matmul.asm --inputs good.npz --on ./nowhere -o out.npz",
    "result_below_a_file": "act-run BACKEND matmul.asm --inputs good.npz -o notes.txt/out.npz",
}
USAGE = {
    "tensorlift_without_top": "tensorlift good",
    "act_gen_without_specification": "act-gen",
    "act_cc_with_unknown_option": "act-cc BACKEND matmul.hlo --fast",
    "act_run_without_inputs": "act-run BACKEND matmul.asm",
}

Golden = Callable[[Path | str, str], None]


def run(command: str, folder: Path, backend: str = "BACKEND") -> subprocess.CompletedProcess[str]:
    program, *arguments = command.replace("BACKEND", backend).split()
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    return subprocess.run([BIN / program, *arguments], cwd=folder, capture_output=True, text=True, env=environment, timeout=300)


def listing(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def neutral(text: str, folder: Path, backend: Path | None) -> str:
    """Without what differs from machine to machine."""
    for place, name in ((backend, "BACKEND"), (folder, "FOLDER"), (REPOSITORY, "REPOSITORY")):
        text = text.replace(str(place), name) if place else text
    return text


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    copytree(HERE / "inputs", tmp_path, dirs_exist_ok=True)
    (tmp_path / "empty").mkdir()
    return tmp_path


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    made = run(f"act-gen {ISA} -o backend", folder)
    assert made.returncode == 0, made.stderr
    return folder / "backend"


@pytest.fixture(scope="module")
def program(backend: Path) -> bytes:
    made = run(f"act-cc {backend} {HERE / 'inputs' / 'matmul.hlo'} -o matmul.asm", backend.parent)
    assert made.returncode == 0, made.stderr
    return (backend.parent / "matmul.asm").read_bytes()


def expect_rejection(case: str, command: str, folder: Path, golden: Golden, backend: Path | None = None) -> None:
    before = listing(folder)
    outcome = run(command, folder, str(backend))
    assert "Traceback" not in outcome.stderr
    assert outcome.returncode == 1, outcome.stderr
    assert listing(folder) == before, "something was written"
    golden(f"golden/{case}.txt", f"exit status {outcome.returncode}\n{neutral(outcome.stderr, folder, backend)}")


@pytest.mark.parametrize("case", COMMANDS)
def test_bad_input_is_rejected(case: str, inputs: Path, golden: Golden) -> None:
    expect_rejection(case, COMMANDS[case], inputs, golden)


@pytest.mark.parametrize("case", COMPILATIONS)
def test_bad_kernel_is_rejected(case: str, inputs: Path, backend: Path, golden: Golden) -> None:
    expect_rejection(case, COMPILATIONS[case], inputs, golden, backend)


@pytest.mark.parametrize("case", RUNS)
def test_bad_run_is_rejected(case: str, inputs: Path, backend: Path, program: bytes, golden: Golden) -> None:
    (inputs / "matmul.asm").write_bytes(program)
    square, narrow = np.zeros((16, 16), np.int8), np.zeros((16, 4), np.int8)
    np.savez(inputs / "good.npz", a=square, b=square)
    np.savez(inputs / "short.npz", a=square)
    np.savez(inputs / "narrow.npz", a=square, b=narrow)
    expect_rejection(case, RUNS[case], inputs, golden, backend)


@pytest.mark.parametrize("case", USAGE)
def test_wrong_usage_has_its_own_status(case: str, inputs: Path) -> None:
    before = listing(inputs)
    outcome = run(USAGE[case], inputs)
    assert (outcome.returncode, "usage:" in outcome.stderr, "Traceback" in outcome.stderr) == (2, True, False)
    assert listing(inputs) == before
