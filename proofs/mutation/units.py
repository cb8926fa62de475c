"""Mutants of modules of which all that they do is stated -> what notices each, from that module alone: a second, where the whole design takes minutes.

A mutant must be refused by the reader, do the same in every cycle (Z3), or not do what is stated of the module (Z3).
"""

from __future__ import annotations

import random
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lift.errors import UserError
from lift.netlist.model import Netlist
from lift.verilog import read
from proofs import designs, stated, vta
from proofs.designs import unlifted_cycle
from proofs.mutation.definitions import all_equal
from proofs.mutation.kinds import What
from proofs.mutation.sites import Mutant, mutants
from proofs.solve import NotProved, Refuted

EQUAL: What = "equal by Z3, module by module"
Verdict = tuple[What, str]


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A module, and the folder that its files are in."""

    module: stated.Module
    folder: Path

    def read(self, folder: Path) -> Netlist:
        return read([folder], self.module.top, parameters=dict(self.module.parameters))


UNITS = [*(Unit(m, designs.RTL) for m in stated.GEMMINI), *(Unit(m, vta.RTL) for m in stated.VTA)]


def every() -> list[Mutant]:
    files = {file: unit.folder / file for unit in UNITS for file in unit.module.files}
    return [each for file, path in files.items() for each in mutants(file, path.read_text())]


def drawn(seed: int, count: int) -> list[Mutant]:
    """The files in turn, so that small ones are not lost among large ones."""
    draw, by_file = random.Random(seed), dict[str, list[Mutant]]()
    for each in every():
        by_file.setdefault(each.file, []).append(each)
    queues = [draw.sample(found, len(found)) for found in by_file.values()]
    rounds = [[queue.pop() for queue in draw.sample(queues, len(queues)) if queue] for _ in range(max(map(len, queues)))]
    return [each for found in rounds for each in found][:count]


@cache
def right(unit: Unit) -> Netlist:
    return unit.read(unit.folder)


def verdict(mutant: Mutant) -> Verdict:
    """Outcome and evidence."""
    folders = {unit.folder for unit in UNITS if mutant.file in unit.module.files}
    (folder,) = folders
    with tempfile.TemporaryDirectory() as copy:
        for file in {file for unit in UNITS if unit.folder == folder for file in unit.module.files}:
            text = (folder / file).read_text()
            Path(copy, file).write_text(mutant.apply(text) if file == mutant.file else text)
        found = judged(mutant.file, Path(copy))
    assert found is not None
    return found


def judged(file: str, folder: Path) -> Verdict | None:
    """Outcome and evidence for a copy of a design's folder in which `file` is changed; None where no module is stated that it is part of.  Of several modules
    the first that notices it."""
    found = [_judged(unit, folder) for unit in _units_of(file)]
    return next((each for each in found if each[0] != EQUAL), found[0] if found else None)


def _units_of(file: str) -> list[Unit]:
    """Those whose own file it is; else the smallest that it is part of."""
    own = [unit for unit in UNITS if unit.module.files[0] == file]
    return own or sorted((unit for unit in UNITS if file in unit.module.files), key=lambda unit: len(unit.module.files))[:1]


def _judged(unit: Unit, folder: Path) -> Verdict:
    try:
        changed = unit.read(folder)
    except UserError as error:
        return "rejected by the reader", str(error).splitlines()[0]
    return (EQUAL, "") if all_equal(right(unit), changed) else _stated(unit, changed)


def _stated(unit: Unit, changed: Netlist) -> Verdict:
    """What is stated is everything: a cycle that does it is the right one."""
    if _shape(changed) != _shape(right(unit)):
        return "failed proof", "its ports or registers are others"
    try:
        unit.module.prove(unlifted_cycle(changed))
    except Refuted as error:
        return "failed proof", str(error).splitlines()[0]
    except NotProved as error:
        return "undecided", str(error).splitlines()[0]
    return EQUAL, "every register and output is what is stated"


def _shape(netlist: Netlist) -> tuple[object, ...]:
    return netlist.inputs, {n: o.width for n, o in netlist.outputs.items()}, {n: r.width for n, r in netlist.registers.items()}


__all__ = ["UNITS", "Unit", "drawn", "every", "judged", "verdict"]
