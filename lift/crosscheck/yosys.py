"""Verilog files to SMT-LIB text, module by module, by yosys: a reading of the same RTL that shares nothing with ours.

A file that yosys cannot read is tried again without the packed arrays that it lacks (`dialect`).  When that does not help its modules
become black boxes, so that one such file costs only its own definitions.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lift.crosscheck.dialect import flattened
from lift.errors import UserError

ERROR = re.compile(r"ERROR: (.*)")
PLACE = re.compile(r"(\S+?):(\d+)(?:\.\d+-\d+\.\d+)?: ERROR: (.*)")
# `memory_collect` alone: the other memory passes move registers into memory ports.  Flip-flops with enables and resets become plain ones.
PASSES = ("proc", "memory_collect", "async2sync", "dffunmap")


def is_installed() -> bool:
    return shutil.which("yosys") is not None


def require() -> None:
    """Raises UserError when yosys is missing."""
    if not is_installed():
        problem = "yosys was not found; --cross-check compares the reading of the RTL with its own"
        raise UserError(None, problem, "install yosys (a package of the system), or leave the option out")


@dataclass(frozen=True, slots=True)
class Request:
    """`files` in the order in which they are read; `parameters` are those of the `top`; `flat`: all instances in one module."""

    files: Sequence[Path]
    top: str
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    defines: Mapping[str, str] = field(default_factory=dict)
    include: Sequence[Path] = ()
    flat: bool = False


@dataclass(frozen=True, slots=True)
class Translation:
    """`text` is SMT-LIB, None when there is none at all, for the reason `failed`; `unread` maps files to why yosys does not read them;
    `rewritten` are those that it reads without packed arrays."""

    text: str | None
    failed: str | None = None
    unread: dict[Path, str] = field(default_factory=dict)
    rewritten: frozenset[Path] = frozenset()


def translate(request: Request, stubs: Mapping[Path, str]) -> Translation:
    """Everything below `request.top`.  `stubs`: for each file, black boxes in place of its modules."""
    unread: dict[Path, str] = {}
    texts: dict[Path, str] = {}  # what is read in place of a file
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        while True:
            done = _run(request, texts, scratch)
            if done.returncode == 0:
                return Translation((scratch / "all.smt2").read_text(), None, unread, frozenset(texts) - unread.keys())
            culprit, reason = _culprit(done.stdout + done.stderr, request.files, scratch)
            if culprit is None or culprit in unread:
                return Translation(None, reason, unread)
            simpler = None if culprit in texts else flattened(culprit.read_text(errors="replace"))
            if simpler is None:
                unread[culprit] = reason
            texts[culprit] = stubs.get(culprit, "") if simpler is None else simpler


def _run(request: Request, texts: Mapping[Path, str], scratch: Path) -> subprocess.CompletedProcess[str]:
    options = [f"-D{name}={value}" if value else f"-D{name}" for name, value in request.defines.items()]
    options += [f"-I{folder}" for folder in (*request.include, *dict.fromkeys(f.parent for f in texts))]
    lines: list[str] = []
    for number, file in enumerate(request.files):
        if file in texts:
            _copy(scratch, number).write_text(texts[file])
        lines.append(" ".join(["read_verilog", "-sv", *options, str(_copy(scratch, number) if file in texts else file)]))
    sizes = "".join(f" -chparam {name} {value}" for name, value in request.parameters.items())
    lines += [f"hierarchy -top {request.top}{sizes}", *PASSES, *(["flatten"] if request.flat else []), f"write_smt2 -wires {scratch / 'all.smt2'}"]
    (scratch / "script.ys").write_text("\n".join(lines) + "\n")
    return subprocess.run(["yosys", "-q", str(scratch / "script.ys")], capture_output=True, text=True)


def _copy(scratch: Path, number: int) -> Path:
    return scratch / f"copy{number}.v"


def _culprit(output: str, files: Sequence[Path], scratch: Path) -> tuple[Path | None, str]:
    """The file that an error message names, and the message."""
    place = PLACE.search(output)
    if place:
        file = next((f for n, f in enumerate(files) if place[1] in (str(f), str(_copy(scratch, n)))), None)
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
