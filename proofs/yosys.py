"""A module -> one clock cycle of it as yosys reads it: an independent front end, elaboration and translation to SMT-LIB (`lift.crosscheck`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import z3

from lift.crosscheck import reading, yosys
from proofs.meaning import variable

is_installed = yosys.is_installed


@dataclass(frozen=True, slots=True)
class Reading:
    """`axioms` relate the variables with RTL names (before) to `values`: outputs before the clock edge, registers after it."""

    axioms: tuple[z3.BoolRef, ...]
    values: dict[str, z3.BitVecRef]


def read(folder: Path, top: str, free: Mapping[str, int], registers: tuple[str, ...], outputs: Mapping[str, int], **parameters: int) -> Reading:
    """One cycle of module `top` with all below it; `free` (inputs and registers) and `outputs` give widths by name."""
    done = yosys.translate(yosys.Request(sorted(folder.glob("*.v")), top, parameters, flat=True), {})
    assert done.text is not None, done.failed
    found = reading.read(yosys.sections(done.text)[yosys.top_of(done.text)], {}, {}, {*free, *outputs}, registers)
    for name, bits in free.items():
        found.bind(found.before[name], variable(name, bits))
    texts = {n: found.after[n] for n in registers} | {n: found.before[n] for n in outputs}
    return Reading(tuple(found.axioms), dict(zip(texts, found.resolve(list(texts.values())), strict=True)))
