"""A program + inputs -> outputs and cycles on a RUNNER: an executable that simulates or drives the hardware.

It is called as  RUNNER --program P.img --memory IN.bin --output OUT.bin  and prints one line of JSON, {"cycles": N}.  P.img has one
command per line: its words in hexadecimal, in the order in which the TAIDL file declares them; `#` begins a comment line.  IN.bin and
OUT.bin are the bytes of the host memory from address 0.  Exit status 0 means that OUT.bin was written.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from act.errors import UserError
from act.memory import memory_image, outputs
from act.program import Command, Program
from act.records import dataclass
from act.taidl.encode import EncodeError, encode
from act.taidl.model import Accelerator


@dataclass(frozen=True, slots=True)
class RunResult:
    """`outputs` by name (`out0`, ...); `cycles` as the runner counted them."""

    outputs: dict[str, NDArray[Any]]
    cycles: int


def program_image(accelerator: Accelerator, commands: Iterable[Command]) -> str:
    """The text of P.img; `UserError` for a command that has no encoding."""
    order = [word.name for word in accelerator.words]
    lines = [f"# {accelerator.name}: {' '.join(order)}"]
    for number, command in enumerate(commands, start=1):
        try:
            words = encode(accelerator, command.instruction, command.attributes)
        except EncodeError as error:
            raise UserError(None, f"command {number} cannot be encoded: {error}", "compile the program for this instruction set") from None
        lines.append(" ".join(f"{words[name]:x}" for name in order))
    return "\n".join(lines) + "\n"


def run_on(runner: str | Path, accelerator: Accelerator, program: Program, inputs: Mapping[str, Any], options: Sequence[str] = ()) -> RunResult:
    """The outputs of `program` on `runner`; `options` are handed to it as they are.

    `UserError` when there is no such executable, when it fails, or when it does not answer as described above.
    """
    command = [_executable(runner), *options]
    image = memory_image(program, inputs)
    if len(image) > 1:
        raise UserError(None, f"a runner has one host memory, this program uses {', '.join(image)}", "use --on oracle")
    with tempfile.TemporaryDirectory(prefix="act-run-") as folder:
        files = {name: Path(folder) / name for name in ("P.img", "IN.bin", "OUT.bin")}
        files["P.img"].write_text(program_image(accelerator, program.commands))
        files["IN.bin"].write_bytes(b"".join(memory.tobytes() for memory in image.values()))
        command += ["--program", str(files["P.img"]), "--memory", str(files["IN.bin"]), "--output", str(files["OUT.bin"])]
        cycles = _cycles(runner, _call(runner, command))
        result = _memory(runner, files["OUT.bin"], image)
    return RunResult(outputs(program, result), cycles)


def _executable(runner: str | Path) -> str:
    found = shutil.which(str(runner)) or (str(runner) if Path(runner).is_file() and os.access(runner, os.X_OK) else None)
    if found is None:
        raise UserError(str(runner), "expected 'oracle' or an executable runner, found none", "give the path of a runner such as rtl/sim/<design>")
    return os.path.abspath(found) if os.sep in found else found


def _call(runner: str | Path, command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise UserError(str(runner), f"cannot be run: {error.strerror}", "give an executable runner") from None
    if done.returncode:
        said = done.stderr.strip() or done.stdout.strip() or "nothing"
        raise UserError(str(runner), f"the runner failed with exit status {done.returncode} and said: {said}")
    return done.stdout


def _cycles(runner: str | Path, text: str) -> int:
    lines = text.strip().splitlines()
    try:
        return int(json.loads(lines[-1])["cycles"])
    except (IndexError, ValueError, KeyError, TypeError):
        found = f"'{lines[-1][:60]}'" if lines else "nothing"
        raise UserError(str(runner), f'expected a last line {{"cycles": N}} from the runner, found {found}') from None


def _memory(runner: str | Path, file: Path, image: Mapping[str, NDArray[np.uint8]]) -> dict[str, NDArray[np.uint8]]:
    size = sum(memory.size for memory in image.values())
    data = file.read_bytes() if file.exists() else b""
    if len(data) != size:
        raise UserError(str(runner), f"expected a memory of {size} bytes from the runner, found {len(data)}")
    return {name: np.frombuffer(data, dtype=np.uint8) for name in image}
