"""The designs in the tree that are mutated: how each is read and lifted, and how its RTL is run against an instruction set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lift.netlist.model import Netlist
from lift.verilog import read
from proofs.mutation import gemmini_statements, gemmini_streams, relations, units, vta_streams
from proofs.mutation.kinds import What
from proofs.mutation.sites import Mutant, mutants

ROOT = Path(__file__).parents[2]
Streams = Callable[[str, Path], tuple[list[str], tuple[int, ...]]]
"""A TAIDL text and the design's folder in a copy of rtl/ -> what streams of instructions leave otherwise than it says; the cycles of each."""


@dataclass(frozen=True, slots=True)
class Design:
    """Sources in `folder` below rtl/, with small parameters; `prepare` makes ready, from the specification, what all calls of `streams` share.

    `statements`: a file that was changed and the folder of the copy -> what the proofs about that module alone say, if they say something.
    `related`: the design and a changed one -> what was proved if they are the same from reset on, by a relation that is known for this design."""

    name: str
    folder: str
    top: str
    prepare: Callable[[str], None]
    streams: Streams
    statements: Callable[[str, Path], tuple[What, str] | None] = units.judged
    related: Callable[[Netlist, Netlist], str] = lambda right, other: ""
    parameters: dict[str, int | str] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        return sorted(p for p in (ROOT / "rtl" / self.folder).rglob("*") if p.suffix in (".v", ".sv"))

    def texts(self) -> dict[str, str]:
        """Source texts by name below the design's folder."""
        return {p.relative_to(ROOT / "rtl" / self.folder).as_posix(): p.read_text() for p in self.files}

    def mutants(self) -> list[Mutant]:
        return [each for file, text in self.texts().items() for each in mutants(file, text)]

    def read(self, folder: Path) -> Netlist:
        return read([folder], self.top, parameters=self.parameters, assertions=True)


DESIGNS = {
    "gemmini": Design(
        "gemmini", "gemmini", "Gemmini", gemmini_streams.prepare, gemmini_streams.run, gemmini_statements.judged, relations.gemmini, {"DIM": relations.DIM}
    ),
    "vta": Design("vta", "vta", "VTA", vta_streams.prepare, vta_streams.run, related=relations.vta, parameters=vta_streams.PARAMETERS),
}
