"""Update functions of different shapes, lifted by several processes at once.

Terms are hash-consed per process, so nothing is sent there: workers are forked when the terms exist, and inherit them.  What comes back is the lifted
module, pickled in the worker, whose stack is deep enough for it.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from lift.passes.reuse import Lifted, Lifter
from lift.progress import Progress
from lift.unroll.function import UpdateFunction

WORTHWHILE = 10_000  # terms in all shapes

# What forked workers inherit: the functions to lift, and how.
_inherited: tuple[Sequence[UpdateFunction], Lifter] | None = None


def pool(jobs: int) -> Executor:
    return ProcessPoolExecutor(jobs, mp_context=get_context("fork"))


def lift_shapes(
    functions: Sequence[UpdateFunction],
    lifter: Lifter,
    jobs: int,
    progress: Progress,
    keep: Callable[[UpdateFunction, Lifted], None] = lambda function, lifted: None,
) -> float | None:
    """Lifts one function of each shape that `lifter` has not seen, with `jobs` processes, and makes the results known to `lifter`, and each
    to `keep`; the seconds that their solvers took.  None, with nothing done, where processes cost more than they save."""
    global _inherited
    shapes: dict[tuple[object, ...], list[UpdateFunction]] = {}
    for function in functions:
        shapes.setdefault(lifter.shape(function), []).append(function)
    # The largest first, so that no worker is left with one when the others are done.
    order = sorted(shapes.keys() - lifter.seen.keys(), key=lambda key: -_size(key))
    if jobs == 1 or sum(map(_size, order)) < WORTHWHILE:
        return None
    _inherited = [shapes[key][0] for key in order], lifter
    seconds = 0.0
    try:
        with pool(min(jobs, len(order))) as executor:
            # The first submission forks the workers.
            with progress.still():
                running = {executor.submit(_lift, number): key for number, key in enumerate(order)}
            for done in as_completed(running):
                key = running[done]
                lifted, spent = pickle.loads(done.result())
                first = shapes[key][0]
                lifter.seen[key] = first, lifted
                keep(first, lifted)
                seconds += spent
                progress.step(f"{first.instruction}, {first.target}", len(shapes[key]))
    finally:
        _inherited = None
    return seconds


def _size(key: tuple[object, ...]) -> int:
    """How many terms a shape has."""
    return len(key[-1])  # type: ignore[arg-type]


def _lift(number: int) -> bytes:
    """In a worker.  Raises UnsoundPass, which the caller sees."""
    assert _inherited is not None
    functions, lifter = _inherited
    before = getattr(lifter.prover, "seconds", 0.0)
    lifted: Lifted = lifter.lift(functions[number])
    return pickle.dumps((lifted, getattr(lifter.prover, "seconds", 0.0) - before))
