"""What all passes share: a pass rewrites one function through a `Session`, which proves each change."""

from __future__ import annotations

import gc
import time
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from lift.ir.operations import COMMUTATIVE, PURE, describe, functions, result, walk
from lift.prove.equivalence import Body
from lift.prove.lemmas import Lemma, Prover
from lift.prove.session import Session


@dataclass(frozen=True, slots=True)
class PassReport:
    """What a pass did to a function: applications kept (`proved`) and not kept (`unknown`, `refuted`, some of them in `refused`)."""

    name: str
    function: str
    proved: int
    unknown: int
    refuted: int
    operations: int
    seconds: float
    refused: tuple[tuple[str, Lemma], ...] = ()

    @property
    def applications(self) -> int:
        return self.proved + self.unknown + self.refuted


class LiftPass(ModulePass):
    """A pass over each function of a module; subclasses say what they do to one function."""

    @abstractmethod
    def rewrite(self, session: Session) -> None:
        """Changes `session.function` through the session only."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for _ in self.reports(op, Prover()):
            pass

    def reports(self, module: ModuleOp, prover: Prover, read: dict[func.FuncOp, Body] | None = None) -> Iterator[PassReport]:
        """Runs on each function in turn.  `read`: the functions as the pass before has left them; the next one's after this."""
        for function in functions(module):
            yield self.run(function, prover, read)

    def run(self, function: func.FuncOp, prover: Prover, read: dict[func.FuncOp, Body] | None = None) -> PassReport:
        """One function, checked as a whole at the end.  Raises UnsoundPass."""
        read = {} if read is None else read
        start, enabled = time.perf_counter(), gc.isenabled()
        gc.disable()
        try:
            session = Session(function, prover, before=read.get(function))
            self.rewrite(session)
            session.finish()
            assert session.after is not None
            read[function] = session.after
        finally:
            if enabled:
                gc.enable()
        proved, unknown, refuted = (session.counts[v] for v in ("proved", "unknown", "refuted"))
        operations = len(walk(function.body.block))
        return PassReport(self.name, function.sym_name.data, proved, unknown, refuted, operations, time.perf_counter() - start, tuple(session.refused))


def share(session: Session) -> None:
    """Common subexpressions: the first of equal pure operations (in this block or around it) stands for all."""
    _share(session, session.function.body.block, {})


def _share(session: Session, block: Block, outer: dict[tuple[object, ...], SSAValue]) -> None:
    known = dict(outer) if outer else outer
    for op in list(block.ops):
        if op.name in PURE:
            key = _key(op)
            value = result(op)
            first = known.setdefault(key, value)
            if first is not value:
                session.merge(value, first)
        for region in op.regions:
            for inner in region.blocks:
                _share(session, inner, known)


def _key(op: Operation) -> tuple[object, ...]:
    operands = [id(v) for v in op._operands]
    if op.name in COMMUTATIVE:
        operands.sort()
    return (*describe(op), type(result(op).type), *operands)
