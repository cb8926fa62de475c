"""Functions through passes, with the reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import ModuleOp

from lift.ir.operations import functions
from lift.passes.base import LiftPass, PassReport
from lift.prove.lemmas import Prover


def run_passes(module: ModuleOp, passes: Iterable[LiftPass], prover: Prover) -> list[PassReport]:
    """Lifts `module` in place, pass by pass; an application that is not proved is not kept.  Raises UnsoundPass when a pass changed something without
    a proof.  Give the same prover to many modules: its lemmas carry over."""
    return list(_reports(module, passes, prover))


def _reports(module: ModuleOp, passes: Iterable[LiftPass], prover: Prover) -> Iterator[PassReport]:
    for each in passes:
        for function in functions(module):
            yield each.run(function, prover)
