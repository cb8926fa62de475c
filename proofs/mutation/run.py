"""Mutants of a design -> their outcomes, each in a process of its own that inherits the original and ends within a time."""

from __future__ import annotations

import gc
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from lift.discover.contract import discover
from proofs.mutation.apart import Apart, Failed
from proofs.mutation.designs import ROOT, Design
from proofs.mutation.invariants import invariants
from proofs.mutation.outcome import Check, Original, Outcome, lifted_text
from proofs.mutation.ranges import ranges
from proofs.mutation.sequential import Compared
from proofs.mutation.sites import KINDS, Mutant

SECONDS = 900
"""For one mutant, far more than any should take."""


def chosen(mutants: Sequence[Mutant], seed: int, count: int) -> list[Mutant]:
    """`count` of them, drawn by `seed`: the kinds take turns, files as well, so that small ones are not lost among large ones."""
    draw = random.Random(seed)
    by_kind = {kind: _interleaved([m for m in mutants if m.kind == kind], draw) for kind in KINDS}
    found: list[Mutant] = []
    while len(found) < count and any(by_kind.values()):
        for kind in draw.sample(KINDS, len(KINDS)):
            if by_kind[kind] and len(found) < count:
                found.append(by_kind[kind].pop())
    return found


def _interleaved(mutants: Sequence[Mutant], draw: random.Random) -> list[Mutant]:
    """In random order, the files in turn."""
    by_file: dict[str, list[Mutant]] = {}
    for each in draw.sample(mutants, len(mutants)):
        by_file.setdefault(each.file, []).append(each)
    rounds = [(number, each) for found in by_file.values() for number, each in enumerate(found)]
    draw.shuffle(rounds)
    return [each for _, each in sorted(rounds, key=lambda pair: -pair[0])]


def original(design: Design, work: Path) -> Original:
    """Reads and lifts the design as it is, and runs the streams on it.  Raises AssertionError when these differ."""
    source = ROOT / "rtl" / design.folder
    cache = work / "cache"
    netlist = design.read(source)
    text = lifted_text(design, source, work / f"{design.name}.taidl", cache)
    design.prepare(text)
    with tempfile.TemporaryDirectory() as folder:
        differences, cycles = design.streams(text, _copy(design, Path(folder)))
    assert not differences, differences[:3]
    contract = discover(netlist)
    return Original(design, netlist, text, cycles, Compared(netlist, contract, [*ranges(netlist, contract)], invariants), cache)


def outcomes(given: Original, mutants: Sequence[Mutant], jobs: int = 1) -> Iterator[Outcome]:
    """In the order of `mutants`; a process that dies or does not end is an outcome, too."""
    gc.freeze()
    results = Apart([partial(run, given, each) for each in mutants], jobs, SECONDS).results()
    for mutant, result in zip(mutants, results, strict=True):
        yield Outcome(mutant.id, mutant.kind, "crashed", result.why, {}) if isinstance(result, Failed) else result


def run(given: Original, mutant: Mutant) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        copy = _copy(given.design, Path(folder))
        changed = copy / mutant.file
        changed.write_text(mutant.apply(changed.read_text()))
        return Check(given, mutant, copy).run()


def _copy(design: Design, folder: Path) -> Path:
    """The design's folder in a copy of rtl/ that holds it alone."""
    return Path(shutil.copytree(ROOT / "rtl" / design.folder, folder / "rtl" / design.folder))
