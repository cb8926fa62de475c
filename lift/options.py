"""What a run of the lifting pipeline is asked to do: data only."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """`paths` and `file_lists` are the sources, `top` the module that is lifted, `output` the TAIDL file, `name` the accelerator's name in it.

    `defines`, `parameters` and `black_boxes` are as in `lift.verilog.read`.  `emit_ir`, `report` and `json` are written if given.  Without `prove`
    changes are tested on random values only, and reported as tested.  `jobs` is the number of processes that lift functions;
    what was worked out before is looked up in the folder `cache`, and kept there.  `cross_check`: other tools are asked what the RTL does.
    `compare`: a hand-written instruction set that the report is compared with.
    `sharing`: so many units of one design, this one among them, share what one may take (`lift.unroll.budget`).
    """

    paths: tuple[Path, ...]
    top: str
    output: Path
    name: str
    frontend: str = "slang"
    descriptor: Path | None = None
    file_lists: tuple[Path, ...] = ()
    defines: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, int | str] = field(default_factory=dict)
    black_boxes: tuple[str, ...] = ()
    emit_ir: Path | None = None
    report: Path | None = None
    json: Path | None = None
    prove: bool = True
    jobs: int = 1
    cache: Path | None = None
    cross_check: bool = False
    compare: Path | None = None
    sharing: int = 1

    @property
    def sources(self) -> str:
        """The sources as a person would name them."""
        return " ".join(path.as_posix() for path in (*self.paths, *self.file_lists))
