"""Verilog files to SMT-LIB text, module by module, by yosys: a reading of the same RTL that shares nothing with ours.

A file that yosys cannot read is left out, and its modules become black boxes, so that one such file costs only its own definitions.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lift.errors import UserError

ERROR = re.compile(r"ERROR: (.*)")
PLACE = re.compile(r"(\S+?):(\d+)(?:\.\d+-\d+\.\d+)?: ERROR: (.*)")
# `memory_collect` alone: the other memory passes move registers into memory ports.  Flip-flops with enables and resets become plain ones.
PASSES = "proc; memory_collect; async2sync; dffunmap; write_smt2 -wires"


def is_installed() -> bool:
    return shutil.which("yosys") is not None


def require() -> None:
    """Raises UserError when yosys is missing."""
    if not is_installed():
        raise UserError(None, "yosys was not found; --cross-check compares the reading of the RTL with its own", "install yosys (a package of the system), or leave the option out")


@dataclass(frozen=True, slots=True)
class Request:
    """`files` in the order in which they are read; `stubs` gives modules, by name, a text to take when their file is unreadable."""

    files: Sequence[Path]
    top: str
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    defines: Mapping[str, str] = field(default_factory=dict)
    include: Sequence[Path] = ()


@dataclass(frozen=True, slots=True)
class Translation:
    """`text` is SMT-LIB, None when there is none at all, for the reason `failed`; `unread` maps files to why yosys does not read them."""

    text: str | None
    failed: str | None = None
    unread: dict[Path, str] = field(default_factory=dict)


def translate(request: Request, stubs: Mapping[Path, str]) -> Translation:
    """Everything below `request.top`.  `stubs`: for each file, black boxes in place of its modules."""
    unread: dict[Path, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        while True:
            script, target = _script(request, unread, stubs, scratch), scratch / "all.smt2"
            done = subprocess.run(["yosys", "-q", "-p", f"{script}{PASSES} {target}"], capture_output=True, text=True)
            if done.returncode == 0:
                return Translation(target.read_text(), None, unread)
            culprit, reason = _culprit(done.stdout + done.stderr, request.files)
            if culprit is None or culprit in unread:
                return Translation(None, reason, unread)
            unread[culprit] = reason


def _script(request: Request, unread: Iterable[Path], stubs: Mapping[Path, str], scratch: Path) -> str:
    options = [f"-D{name}={value}" if value else f"-D{name}" for name, value in request.defines.items()]
    options += [f"-I{folder}" for folder in request.include]
    read = " ".join(["read_verilog", "-sv", *options])
    lines = [f"{read} {file}" for file in request.files if file not in unread]
    for number, file in enumerate(unread):
        (scratch / f"stub{number}.v").write_text(stubs.get(file, ""))
        lines.append(f"read_verilog -sv {scratch / f'stub{number}.v'}")
    sizes = "".join(f" -chparam {name} {value}" for name, value in request.parameters.items())
    lines.append(f"hierarchy -top {request.top}{sizes}")
    return "".join(f"{line}; " for line in lines)


def _culprit(output: str, files: Sequence[Path]) -> tuple[Path | None, str]:
    """The file that an error message names, and the message."""
    place = PLACE.search(output)
    if place:
        file = next((f for f in files if str(f) == place[1]), None)
        return file, f"yosys: {place[3]} (line {place[2]})"
    message = ERROR.search(output)
    return None, f"yosys: {message[1] if message else output.strip()[-200:]}"


@dataclass(frozen=True, slots=True)
class Section:
    """The text of one module; `cells` maps instances to their modules; `sorts` and `memories` map signals and memories to their sorts."""

    name: str
    text: str
    cells: dict[str, str]
    sorts: dict[str, str]
    memories: dict[str, str]


BEGIN = "; yosys-smt2-module "


def sections(text: str) -> dict[str, Section]:
    """The modules of SMT-LIB text by yosys' name for them."""
    parts: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(BEGIN):
            lines = parts.setdefault(line.removeprefix(BEGIN), [])
        elif not line.startswith("; yosys-smt2-topmod"):
            lines.append(line)
    return {name: _section(name, part) for name, part in parts.items()}


def top_of(text: str) -> str:
    """The module that was the top."""
    found = re.search(r"^; yosys-smt2-topmod (.*)$", text, re.MULTILINE)
    assert found, "no top module in the text"
    return found[1]


def _section(name: str, lines: list[str]) -> Section:
    cells, sorts, memories = dict[str, str](), dict[str, str](), dict[str, str]()
    signal = re.compile(rf"\(define-fun \|{re.escape(name)}_n (.*?)\| \(\(state \|.*?\|\)\) (Bool|\(_ BitVec \d+\)) ")
    for line in lines:
        if line.startswith("; yosys-smt2-cell "):
            module, _, instance = line.removeprefix("; yosys-smt2-cell ").rpartition(" ")
            cells[instance] = module
        elif line.startswith("; yosys-smt2-memory "):
            _, _, memory, address, width, *_ = line.split()
            memories[memory] = f"(Array (_ BitVec {address}) (_ BitVec {width}))"
        elif found := signal.match(line):
            sorts[found[1]] = found[2]
    code = "\n".join(line for line in lines if not line.startswith(";"))
    return Section(name, code, cells, sorts, memories)
