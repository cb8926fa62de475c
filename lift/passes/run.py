"""Functions through passes, with the reports."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lift.passes.base import LiftPass, PassReport
from lift.prove.equivalence import Body
from lift.prove.lemmas import Prover


def run_passes(module: ModuleOp, passes: Iterable[LiftPass], prover: Prover) -> list[PassReport]:
    """Lifts `module` in place, pass by pass; an application that is not proved is not kept.  Raises UnsoundPass when a pass changed something without
    a proof.  Give the same prover to many modules: its lemmas carry over."""
    read: dict[func.FuncOp, Body] = {}
    return [report for each in passes for report in each.reports(module, prover, read)]
