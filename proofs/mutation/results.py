"""A lifted function as it is after one of the passes -> a copy with one operation changed -> whether that is refuted.

A copy is compared with the function before all passes: by Z3, and by execution on random arguments where Z3 has no counterexample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from lift.ir.operations import functions
from lift.passes import PASSES, run_passes
from lift.prove import Prover
from proofs.designs import Target, gemmini
from proofs.meaning import prove_same
from proofs.mutate import mutant, places
from proofs.samples import operands, run
from proofs.solve import NotProved, Refuted, Undecided

DIM = 4
SAMPLES = 40
KINDS = {"arith.constant": "constant", "arith.cmpi": "condition", "arith.select": "swapped", "arith.extsi": "sign", "arith.extui": "sign"}


@dataclass(frozen=True, slots=True)
class ChangedResult:
    """Operation `number` of the function `file`, which is instruction.mode.state variable, as it is after the first `passes` passes."""

    file: str
    passes: int
    number: int
    kind: str

    @property
    def id(self) -> str:
        return f"{self.file}:{PASSES[self.passes - 1].name}:{self.number}"


@cache
def targets() -> dict[str, Target]:
    return {f"{c.instruction}.{c.number}.{name}": t for cases in gemmini(DIM).values() for c in cases for name, t in c.targets.items()}


@cache
def after(file: str, passes: int) -> func.FuncOp:
    module = targets()[file].raw.parent_op()
    assert isinstance(module, ModuleOp)
    copy = module.clone()
    run_passes(copy, [each() for each in PASSES[:passes]], Prover())
    return functions(copy)[0]


def drawn(seed: int, count: int) -> Iterator[ChangedResult]:
    """State variables take turns, passes as well; one operation of each."""
    draw = Random(seed)
    names = list(targets())
    stages = list(range(1, len(PASSES) + 1))
    found: set[ChangedResult] = set()
    while len(found) < count:
        draw.shuffle(names)
        for file in names[: count - len(found)]:
            passes = draw.choice(stages)
            if known := places(after(file, passes)):
                number, name = draw.choice(known)
                new = ChangedResult(file, passes, number, KINDS.get(name, "operator"))
                yield from {new} - found
                found.add(new)


def named(identifier: str) -> ChangedResult:
    """A mutant by its `id`.  Raises KeyError."""
    file, name, number = f"{identifier}::".split(":")[:3]
    passes = {each.name: k for k, each in enumerate(PASSES, 1)}[name]
    kind = dict(places(after(file, passes)))[int(number)]
    return ChangedResult(file, passes, int(number), KINDS.get(kind, "operator"))


def verdict(changed: ChangedResult) -> tuple[str, str]:
    """Outcome, and what was changed with the first line of evidence."""
    before = targets()[changed.file].raw
    what, wrong = mutant(after(changed.file, changed.passes), changed.number)
    try:
        prove_same(what, before, wrong)
    except Refuted as error:
        return "refuted by Z3", str(error).splitlines()[0]
    except NotProved as error:
        if executed(before, wrong):
            return "execution differs", what
        return "undecided" if isinstance(error, Undecided) else "no proof", str(error).splitlines()[0]
    return "equal by Z3", what


def executed(before: func.FuncOp, after: func.FuncOp) -> bool:
    """Whether some sample of arguments shows a difference, or has no meaning afterwards."""
    draw = Random(1)
    for sample in range(SAMPLES):
        words = operands(DIM, 4 * DIM, draw)
        right = run(before, words, f"{sample} ")
        try:
            if run(after, words, f"{sample} ") != right:
                return True
        except (AssertionError, ArithmeticError, IndexError, ValueError):
            return True
    return False
