"""A compiled program as data, and its assembly text.

    act-asm 1
    isa systolic16 sha256 9f86…
    memory dram 0x3000
    input a : s8[16,16] = dram[0x1000]
    constant c0 : s32[2] = dram[0x1100] bytes 0100000002000000
    output out0 : s8[16,16] = dram[0x2000]

    mvin rows=16 cols=16 | addr=0x1000 row=0

Tensors lie in memory row-major, elements little-endian, each in whole bytes.  The order of the inputs is that of the HLO parameters, the
order of the outputs that of the HLO results; `out0`, `out1`, … are their names in files.  The parts of a composite are written one by one.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator
from typing import Literal

from act.errors import UserError
from act.hlo.dtypes import is_dtype, stored_bytes
from act.records import dataclass, field

VERSION = 1
_REGION = re.compile(
    r"(?P<kind>input|constant|output|scratch) (?P<name>[\w.-]+) : (?P<dtype>\w+)\[(?P<dims>[\d,]*)\]"
    r" = (?P<buffer>\w+)\[(?P<address>0x[0-9a-f]+|\d+)\](?: bytes (?P<data>[0-9a-f]+))?"
)
_ISA = re.compile(r"isa (\w+) sha256 ([0-9a-f]+)")
_MEMORY = re.compile(r"memory (\w+) (0x[0-9a-f]+|\d+)")
_COMMAND = re.compile(r"(\w+)((?: \w+=\S+)*)(?: \|((?: \w+=\S+)*))?")
_ATTRIBUTE = re.compile(r"(\w+)=(-?(?:0x[0-9a-f]+|\d+))")


@dataclass(frozen=True, slots=True)
class Region:
    """A tensor in a host memory: `dims` of `dtype` from byte `address` of `buffer` on.  A constant has its bytes in `data`."""

    kind: Literal["input", "constant", "output", "scratch"]
    name: str
    dtype: str
    dims: tuple[int, ...]
    buffer: str
    address: int
    data: bytes | None = None

    def __post_init__(self) -> None:
        if (self.data is None) == (self.kind == "constant"):
            raise ValueError(f"{self.name}: a constant, and nothing else, has data")
        if self.data is not None and len(self.data) != self.size:
            raise ValueError(f"{self.name}: {len(self.data)} bytes of data for {self.size} bytes")

    @property
    def size(self) -> int:
        """In bytes."""
        return stored_bytes(self.dtype) * math.prod(self.dims)

    @property
    def end(self) -> int:
        return self.address + self.size


@dataclass(frozen=True, slots=True)
class Command:
    """One instruction with a value for each attribute, in the order in which they are printed; alpha before beta."""

    instruction: str
    alpha: dict[str, int] = field(default_factory=dict)
    beta: dict[str, int] = field(default_factory=dict)
    comment: str = field(default="", compare=False)

    @property
    def attributes(self) -> dict[str, int]:
        return {**self.alpha, **self.beta}


@dataclass(frozen=True, slots=True)
class Program:
    """`sha256` is that of the ISA's canonical text; `memory` gives the bytes needed of each host memory, from address 0."""

    isa: str
    sha256: str
    memory: dict[str, int]
    regions: tuple[Region, ...]
    commands: tuple[Command, ...]

    def of_kind(self, kind: str) -> tuple[Region, ...]:
        return tuple(region for region in self.regions if region.kind == kind)


def isa_digest(text: str) -> str:
    """SHA-256 of the canonical text of an ISA, in hexadecimal."""
    return hashlib.sha256(text.encode()).hexdigest()


def print_program(program: Program) -> str:
    """`parse_program(print_program(p)) == p`; comments of commands are kept in the text only."""
    head = [f"act-asm {VERSION}", f"isa {program.isa} sha256 {program.sha256}"]
    memory = [f"memory {name} {size:#x}" for name, size in program.memory.items()]
    return "\n".join([*head, *memory, *map(_print_region, program.regions), "", *_print_commands(program.commands)]) + "\n"


def _print_region(region: Region) -> str:
    dims = ",".join(map(str, region.dims))
    data = "" if region.data is None else f" bytes {region.data.hex()}" if region.data else ""
    return f"{region.kind} {region.name} : {region.dtype}[{dims}] = {region.buffer}[{region.address:#x}]{data}"


def _print_commands(commands: tuple[Command, ...]) -> Iterator[str]:
    for command in commands:
        alpha = "".join(f" {name}={value}" for name, value in command.alpha.items())
        beta = "".join(f" {name}={_address(value)}" for name, value in command.beta.items())
        line = f"{command.instruction}{alpha}{' |' + beta if beta else ''}"
        yield f"{line}  # {command.comment}" if command.comment else line


def _address(value: int) -> str:
    return f"{value:#x}" if value >= 0x1000 else str(value)


def parse_program(text: str, filename: str = "<asm>") -> Program:
    """`UserError` (file:line) for text that is no program; whether its instructions exist is the reader's to check."""
    return _Parser(filename).program(text)


@dataclass(slots=True)
class _Parser:
    filename: str
    isa: tuple[str, str] | None = None
    memory: dict[str, int] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)

    def program(self, text: str) -> Program:
        lines = text.splitlines()
        if not lines or lines[0].strip() != f"act-asm {VERSION}":
            found = f"'{lines[0][:40]}'" if lines else "an empty file"
            raise UserError(f"{self.filename}:1", f"expected 'act-asm {VERSION}', found {found}", "give a program that act-cc wrote")
        for number, line in enumerate(lines[1:], start=2):
            text, _, comment = line.partition("#")
            self.line(f"{self.filename}:{number}", text.strip(), comment.strip())
        if self.isa is None:
            raise UserError(self.filename, "expected a line 'isa NAME sha256 DIGEST', found none", "give a program that act-cc wrote")
        return Program(*self.isa, self.memory, tuple(self.regions), tuple(self.commands))

    def line(self, location: str, line: str, comment: str = "") -> None:
        if not line:
            return
        if match := _ISA.fullmatch(line):
            self.isa = match[1], match[2]
        elif match := _MEMORY.fullmatch(line):
            self.memory[match[1]] = int(match[2], 0)
        elif match := _REGION.fullmatch(line):
            self.regions.append(_region(location, match))
        elif match := _COMMAND.fullmatch(line):
            self.commands.append(Command(match[1], _attributes(location, match[2]), _attributes(location, match[3] or ""), comment))
        else:
            raise UserError(location, f"expected an instruction such as 'NAME a=1 | b=2', or a header line, found '{line[:60]}'")


def _region(location: str, match: re.Match[str]) -> Region:
    if not is_dtype(match["dtype"]):
        raise UserError(location, f"expected an element type such as s8, found '{match['dtype']}'")
    dims = tuple(int(size) for size in match["dims"].split(",") if size)
    data = bytes.fromhex(match["data"] or "") if match["kind"] == "constant" else None
    try:
        address = int(match["address"], 0)
        return Region(match["kind"], match["name"], match["dtype"], dims, match["buffer"], address, data)  # type: ignore[arg-type]
    except ValueError as error:
        raise UserError(location, f"not a tensor in memory: {error}") from None


def _attributes(location: str, text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in text.split():
        match = _ATTRIBUTE.fullmatch(word)
        if match is None or match[1] in found:
            raise UserError(location, f"expected an attribute NAME=INTEGER, each once, found '{word}'")
        found[match[1]] = int(match[2], 0)
    return found
