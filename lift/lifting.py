"""The passes over many functions: what is known of an earlier run, shapes in parallel, and the seconds of each stage."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from lift.cache import Store
from lift.cache.functions import kept
from lift.cache.lemmas import RememberingProver
from lift.functions import Key, LiftedFunction, TimedProver, lift_function
from lift.netlist.model import Netlist
from lift.options import Options
from lift.parallel import lift_shapes
from lift.passes import PASSES
from lift.passes.reuse import Lifter
from lift.progress import Progress
from lift.testing import TrialProver
from lift.unroll.function import UpdateFunction
from lift.unroll.pull import pulled
from lift.unroll.series import gathered


def lift_functions(pending: Iterable[tuple[Key, UpdateFunction]], options: Options, progress: Progress) -> list[LiftedFunction]:
    """Every update function through the passes; the solver's share of the time is stage `prove`."""
    store = None if options.cache is None else Store(options.cache)
    prover = TrialProver() if not options.prove else TimedProver() if store is None else RememberingProver(store)
    pending, before = list(pending), kept(store, options.prove)
    lifter = Lifter(tuple(each() for each in PASSES), prover)
    lifted = []
    with progress.stage("passes", len(pending)), without_collection():
        before.recall([f for _, f in pending], lifter)
        elsewhere = lift_shapes([f for _, f in pending], lifter, options.jobs, progress, before.keep)
        for key, function in pending:
            if elsewhere is None:
                progress.step(f"{key[0]}, {key[2]}")
            lifted.append(lift_function(key, function, lifter, options.emit_ir is not None, before.keep))
    proving = prover.seconds + (elsewhere or 0.0) / options.jobs
    progress.seconds["passes"] -= proving
    progress.seconds["prove"] = progress.seconds.get("prove", 0.0) + proving
    return lifted


@contextmanager
def without_collection() -> Iterator[None]:
    """Little of what lifting makes is garbage before it ends, so collecting it is time lost; forked workers do the same."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def transactions(netlist: Netlist, options: Options, progress: Progress) -> list[LiftedFunction]:
    """What a design does in one cycle, as functions of inputs some cycles ago and of state (`lift.unroll.pull`): where --emit-ir asks for
    functions and there are no instructions, or some are opaque."""
    if options.emit_ir is None:
        return []
    with progress.stage("pull"):
        functions = gathered(netlist, pulled(netlist))
    return lift_functions((((f.instruction, 0, f.target), f) for f in functions.values()), options, progress)
