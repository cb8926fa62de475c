"""A netlist's RTL on Icarus Verilog, clock cycle by clock cycle.

A generated test bench (`bench`) takes commands from its standard input: set all registers, set the memories, apply inputs, tick, show
everything.  So the state may be put and looked at between cycles, and whoever drives it may answer to what it sees.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from lift.crosscheck.bench import MARK, bench, chunks, memory_file, ports
from lift.netlist.model import Netlist

# Icarus knows no labels of immediate assertions.
LABEL = re.compile(r"\b\w+\s*:\s*(?=(?:assert|assume|cover)\s*\()")


class NotSimulated(Exception):
    """Icarus does not take the sources, or stopped; the message says why."""


def is_installed() -> bool:
    return shutil.which("iverilog") is not None and shutil.which("vvp") is not None


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that hold a design, its include folders and macros, and the parameters of the top."""

    files: Sequence[Path]
    include: Sequence[Path] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Known:
    """Values and masks of bits that are x or z, by name; memories hold both word by word."""

    values: dict[str, int]
    unknown: dict[str, int]


class Icarus:
    """`netlist` says which ports, registers and memories there are.  Use it as a context manager.

    `stubs` are modules in place of those of the instances of the top; their output ports are variables, and inputs of `netlist`."""

    def __init__(self, netlist: Netlist, sources: Sources, stubs: str = "") -> None:
        if not is_installed():
            raise NotSimulated("Icarus Verilog (iverilog) is not installed")
        self._netlist = netlist
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        self._inputs, self._outputs = ports(netlist, bool(stubs))
        try:
            program = str(_compiled(netlist, sources, folder, stubs))
        except BaseException:
            self._folder.cleanup()
            raise
        self._process = subprocess.Popen(["vvp", "-n", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def __enter__(self) -> Icarus:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.kill()
        self._process.communicate()
        self._folder.cleanup()

    def load(self, registers: Mapping[str, int], memories: Mapping[str, Sequence[int]]) -> None:
        """Set every register and memory."""
        for number, memory in enumerate(self._netlist.memories.values()):
            text = "".join(f"{word:x}\n" for word in memories[memory.name])
            memory_file(Path(self._folder.name), number).write_text(text)
        lines = [_packed(registers, {n: self._netlist.registers[n].width for n in group}) for group in chunks(list(self._netlist.registers))]
        self._send("M" + "L" + "\n".join(lines))

    def outputs(self, inputs: Mapping[str, int]) -> Known:
        """The outputs for `inputs` in the present state.  An input that is missing is 0."""
        self._send("I" + (_packed(inputs, self._inputs) if self._inputs else "0"))
        return _unpacked(self._answer(), self._outputs)

    def step(self, inputs: Mapping[str, int]) -> Known:
        """The outputs for `inputs`; then the clock edge."""
        found = self.outputs(inputs)
        self._send("T")
        return found

    def registers(self) -> Known:
        """All registers now."""
        self._send("D")
        result = Known({}, {})
        for group in chunks(list(self._netlist.registers)):
            part = _unpacked(self._answer(), {n: self._netlist.registers[n].width for n in group})
            result.values.update(part.values)
            result.unknown.update(part.unknown)
        return result

    def memories(self) -> dict[str, list[int]]:
        """The words of all memories now; x and z digits are 0."""
        self._send("W")
        self._answer()
        files = [memory_file(Path(self._folder.name), k) for k in range(len(self._netlist.memories))]
        return {name: _words(file.read_text()) for name, file in zip(self._netlist.memories, files, strict=True)}

    def _send(self, text: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise NotSimulated("the simulation ended") from None

    def _answer(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(MARK):
                return line[len(MARK) :].strip()
        raise NotSimulated("the simulation ended")


def _compiled(netlist: Netlist, sources: Sources, folder: Path, stubs: str) -> Path:
    rising = clock_rises(netlist)
    (folder / "bench.sv").write_text(bench(netlist, sources.parameters, rising, folder, bool(stubs)) + stubs)
    copies = list[str]()
    for number, file in enumerate(sources.files):
        copy = folder / f"source{number}{file.suffix}"
        copy.write_text(LABEL.sub("", file.read_text(errors="replace")))
        copies.append(str(copy))
    options = [f"-D{n}={v}" if v else f"-D{n}" for n, v in sources.defines.items()] + [f"-I{p}" for p in sources.include]
    command = ["iverilog", "-g2012", *options, "-s", "bench", "-o", str(folder / "bench.vvp"), str(folder / "bench.sv"), *copies]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
        raise NotSimulated(f"Icarus Verilog: {lines[0].replace(str(folder) + '/', '')}")
    return folder / "bench.vvp"


def clock_rises(netlist: Netlist) -> bool:
    """Whether the clock of a netlist acts when it rises."""
    if netlist.design is None:
        return True
    edges = [p.edges[0] for m in netlist.design.modules.values() for p in m.processes if len(p.edges) == 1]
    return all(e.rising for e in edges)


def _packed(values: Mapping[str, int], widths: Mapping[str, int]) -> str:
    """Hexadecimal digits of a concatenation, the first name highest."""
    result = 0
    for name, width in widths.items():
        result = result << width | values.get(name, 0) & ((1 << width) - 1)
    return f"{result:x}"


def _unpacked(digits: str, widths: Mapping[str, int]) -> Known:
    values, unknown, at = dict[str, int](), dict[str, int](), 0
    for name, width in widths.items():
        part = digits[at : at + width]
        at += width
        values[name] = int(part.replace("x", "0").replace("z", "0"), 2)
        unknown[name] = 0 if part.isdecimal() else int("".join("0" if d in "01" else "1" for d in part), 2)
    return Known(values, unknown)


def _words(text: str) -> list[int]:
    lines = [line.split("//")[0].strip() for line in text.splitlines()]
    return [int(re.sub("[xz]", "0", w, flags=re.IGNORECASE), 16) for line in lines if line and not line.startswith("@") for w in line.split()]
