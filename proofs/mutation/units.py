"""Mutants of modules of which all that they do is stated -> what notices each, from that module alone: a second, where the whole design takes minutes.

A mutant must be refused by the reader, do the same in every cycle (Z3), or not do what is stated of the module (Z3).
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import z3

from lift.errors import UserError
from lift.netlist.model import Netlist
from lift.verilog import read
from proofs import designs, pe, test_vta_tokens, vta
from proofs.designs import unlifted_cycle
from proofs.mutation.definitions import all_equal
from proofs.mutation.kinds import What
from proofs.mutation.sites import Mutant, mutants
from proofs.replay import OneCycle
from proofs.solve import NotProved, Refuted, prove_equal


@dataclass(frozen=True, slots=True)
class Unit:
    """Module `top` of some files; `stated` raises NotProved of a cycle that does not do what is stated, which may be all that there is to say."""

    top: str
    folder: Path
    files: tuple[str, ...]
    stated: Callable[[OneCycle], None]
    all_is_stated: bool

    def read(self, folder: Path) -> Netlist:
        return read([folder], self.top)

    def mutants(self) -> list[Mutant]:
        return [each for file in self.files for each in mutants(file, (self.folder / file).read_text())]


def an_element_does_what_is_stated(found: OneCycle) -> None:
    """In every mode."""
    for mode in pe.MODES.values():
        for name, stated in pe.statement(*mode).items():
            prove_equal(f"PE {name} in mode {mode}", stated, found.values[name], pe.in_mode(*mode))


UNITS = (
    Unit("PE", designs.RTL, ("PE.v", "MacUnit.v"), an_element_does_what_is_stated, True),
    *(Unit(top, vta.RTL, (f"{top}.v",), claim, top == "InstructionControl") for top, claim in test_vta_tokens.CLAIMS.items()),
)


def every() -> list[Mutant]:
    return [each for unit in UNITS for each in unit.mutants()]


def drawn(seed: int, count: int) -> list[Mutant]:
    found = every()
    return random.Random(seed).sample(found, min(count, len(found)))


@cache
def right(unit: Unit) -> Netlist:
    return unit.read(unit.folder)


@cache
def values(unit: Unit) -> dict[str, z3.BitVecRef]:
    return dict(unlifted_cycle(right(unit)).values)


def judged(file: str, folder: Path) -> tuple[What, str] | None:
    """Outcome and evidence for a copy of a design's folder in which `file` is changed; None where the unit says nothing, or there is none."""
    unit = next((each for each in UNITS if file in each.files), None)
    if unit is None:
        return None
    what, why = _judged(unit, folder)
    return None if what in ("survived", "undecided") else (what, why)


def verdict(mutant: Mutant) -> tuple[What, str]:
    """Outcome and evidence."""
    unit = next(each for each in UNITS if mutant.file in each.files)
    with tempfile.TemporaryDirectory() as folder:
        for file in unit.files:
            text = (unit.folder / file).read_text()
            Path(folder, file).write_text(mutant.apply(text) if file == mutant.file else text)
        return _judged(unit, Path(folder))


def _judged(unit: Unit, folder: Path) -> tuple[What, str]:
    try:
        changed = unit.read(folder)
    except UserError as error:
        return "rejected by the reader", str(error).splitlines()[0]
    return ("equal by Z3, module by module", "") if all_equal(right(unit), changed) else _stated(unit, changed)


def _stated(unit: Unit, changed: Netlist) -> tuple[What, str]:
    found, before = unlifted_cycle(changed), values(unit)
    if changed.inputs != right(unit).inputs:
        return "failed proof", "its inputs are others"
    for name in sorted(before):
        if name not in found.values or found.values[name].sort() != before[name].sort():
            return "failed proof", f"there is no {name} of {before[name].size()} bits"
    try:
        unit.stated(found)
    except Refuted as error:
        return "failed proof", str(error).splitlines()[0]
    except NotProved as error:
        return "undecided", str(error).splitlines()[0]
    if unit.all_is_stated:
        return "equal by Z3, module by module", "every register and output is what is stated"
    return "survived", f"all that is stated of {unit.top} holds"


__all__ = ["UNITS", "drawn", "every", "judged", "verdict"]
