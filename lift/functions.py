"""Update functions -> lifted functions: build the IR of each, run the passes over it, prove every change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block

from lift.ir import build
from lift.passes import PassReport
from lift.passes.reuse import Lifted, Lifter
from lift.prove import Prover
from lift.prove.cone import Cone
from lift.prove.lemmas import Lemma
from lift.unroll.extract import Lift
from lift.unroll.function import UpdateFunction

Key = tuple[str, int, str]  # instruction, number of its mode, state variable
BRACES = 3  # lines of an unlifted module that are no operations: module and function; loops and conditionals print a brace for their terminator


@dataclass(frozen=True, slots=True)
class LiftedFunction:
    """`lifted` is the function after the passes, `raw` the text before them, if it was asked for."""

    key: Key
    function: UpdateFunction
    lifted: Lifted
    raw: str | None
    lines_raw: int
    lines_lifted: int

    @property
    def module(self) -> ModuleOp:
        return self.lifted.module

    @property
    def reports(self) -> tuple[PassReport, ...]:
        """What each pass did."""
        return self.lifted.reports


class TimedProver(Prover):
    """Also counts the seconds that the solver took."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = 0.0

    def _solve(self, both: Cone) -> Lemma:
        start = perf_counter()
        lemma = self._verdict(both)
        self.seconds += perf_counter() - start
        return lemma

    def _verdict(self, both: Cone) -> Lemma:
        return Prover._solve(self, both)


def update_functions(lift: Lift) -> Iterator[tuple[Key, UpdateFunction]]:
    """Every update function, in the order of instructions, modes and state variables."""
    for instruction, modes in lift.modes.items():
        for mode in modes:
            for target, function in mode.functions.items():
                yield (instruction, mode.number, target), function


def lift_function(
    key: Key, function: UpdateFunction, lifter: Lifter, keep_raw: bool, keep: Callable[[UpdateFunction, Lifted], None] = lambda function, lifted: None
) -> LiftedFunction:
    """Build, and run all passes; `keep` gets what was not lifted before.  Raises UnsoundPass."""
    raw = str(build(function)) + "\n" if keep_raw else None
    before = len(lifter.seen)
    lifted = lifter.lift(function)
    if len(lifter.seen) > before:
        keep(function, lifted)
    return LiftedFunction(key, function, lifted, raw, lifted.operations_raw + BRACES, count_lines(lifted.original))


def count_lines(module: ModuleOp) -> int:
    """Lines of the module as text, without printing it."""
    return 2 + _lines(module.body.block)


def _lines(block: Block) -> int:
    """One an operation, and one for each closing brace; a terminator without operands is implied."""
    total = 0
    for op in block.ops:
        if op.name != "scf.yield" or op.operands:
            total += 1
        total += sum(1 + sum(_lines(inner) for inner in region.blocks) for region in op.regions if region.blocks)
    return total
