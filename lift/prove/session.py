"""One pass on one function: the only way in which a pass changes it, with every change proved before it is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from lift.ir.emit import Emitter
from lift.ir.operations import PURE, constant_value, describe, result, walk, width
from lift.prove.cone import Value
from lift.prove.equivalence import Body, Equation, differences_between, record, snapshot
from lift.prove.expand import expand
from lift.prove.lemmas import Lemma, Prover
from lift.prove.steps import Step


class UnsoundPass(Exception):
    """A pass changed a function in a way that no lemma justifies: a bug of the pass, not of its input."""


@dataclass(slots=True)
class Session:
    """What a pass does to `function`.  `counts` are the applications by verdict; `refused` the first few that were not kept.  `before` may be given as
    the `after` of the pass before."""

    function: func.FuncOp
    prover: Prover
    counts: Counter[str] = field(default_factory=Counter)
    refused: list[tuple[str, Lemma]] = field(default_factory=list)
    equations: list[Equation] = field(default_factory=list)
    assumed: dict[SSAValue, int] = field(default_factory=dict)
    constants: dict[tuple[int, int], arith.ConstantOp] = field(default_factory=dict)
    before: Body | None = None
    after: Body | None = None
    changed: bool = False  # or anything was made that may be dead by now

    def __post_init__(self) -> None:
        if self.before is None:
            self.before, self.changed = snapshot(self.function), True
        for op in self.function.body.block.ops:
            if not isinstance(op, arith.ConstantOp):
                break
            _, value, bits = describe(op)
            self.constants.setdefault((value, bits if isinstance(result(op).type, IntegerType) else 0), op)

    def emitter(self, before: Operation) -> Emitter:
        """Makes new operations in front of `before`; constants are placed when the session is finished."""
        self.changed = True
        return Emitter(None, self.constants, before)

    def replace(self, before: SSAValue, after: SSAValue, cut: Iterable[SSAValue] = ()) -> bool:
        """Uses of `before` become uses of `after`, if they are proved equal over the cones that end at `cut`."""
        self.changed = True
        lemma, both = self.prover.equal(before, after, cut)
        if not self._count(lemma, before):
            return False
        self.equations.append(Equation(before, both))
        before.replace_all_uses_with(after)
        return True

    def prove(self, value: SSAValue, steps: Iterable[Step]) -> bool:
        """Steps of a proof about `value`, whose operands they may speak of; False at the first that does not hold."""
        for step in steps:
            lemma, both = self.prover.equal(step.left, step.right, step.cut)
            if not self._count(lemma, value):
                return False
            self.equations.append(Equation(value, both))
        return True

    def replace_by_loop(self, before: SSAValue, loop: scf.ForOp, cut: Iterable[SSAValue], via: Value | None = None) -> bool:
        """Uses of `before` become uses of the result of `loop`, if its iterations written out are `before`; or are `via`, which steps proved before have
        shown to be equal to it (the check at the end sees that they do)."""
        self.changed = True
        lemma, both = self.prover.equal(before if via is None else via, expand(loop), cut, loads=True)
        if not self._count(lemma, before):
            return False
        self.equations.append(Equation(before, both, record(loop)))
        before.replace_all_uses_with(loop.results[0])
        return True

    def merge(self, before: SSAValue, after: SSAValue) -> None:
        """Uses of `before` become uses of `after`, the same operation on the same operands; the check at the end sees that it is."""
        self.changed = True
        before.replace_all_uses_with(after)

    def fix(self, argument: SSAValue, value: int) -> None:
        """From here on the function is only for this value of a scalar argument."""
        self.changed = True
        self.assumed[argument] = value
        argument.replace_all_uses_with(Emitter(None, self.constants).constant(value, width(argument)))

    def fold_structure(self, op: Operation) -> None:
        """A conditional whose condition is a constant becomes the chosen side, a loop that does not run disappears; the check at the end sees
        that this is right."""
        self.changed = True
        if isinstance(op, scf.IfOp) and (chosen := constant_value(op.cond)) is not None:
            region = op.true_region if chosen else op.false_region
            _inline(op, region.blocks[0] if region.blocks else None, ())
        elif isinstance(op, scf.ForOp) and constant_value(op.ub) == 0 == constant_value(op.lb):
            _inline(op, None, tuple(op.iter_args))

    def annotate(self, op: Operation, attributes: Mapping[str, Attribute], claim: Value, cut: Iterable[SSAValue]) -> bool:
        """Adds attributes to the operation if its result is proved equal to `claim`, which is what they say."""
        lemma, _ = self.prover.equal(result(op), claim, cut)
        if not self._count(lemma, result(op)):
            return False
        op.attributes.update(attributes)
        return True

    def _count(self, lemma: Lemma, value: SSAValue) -> bool:
        self.counts[lemma.verdict] += 1
        if lemma.verdict != "proved" and len(self.refused) < 8:
            self.refused.append((str(value.owner).strip(), lemma))
        return lemma.verdict == "proved"

    def finish(self) -> None:
        """Places the new constants, removes dead operations and checks the whole function.  Raises UnsoundPass."""
        block = self.function.body.block
        for constant in self.constants.values():
            if constant.parent_block() is None and result(constant).first_use is not None:
                block.insert_op_before(constant, block.first_op)  # type: ignore[arg-type]
        if self.changed:
            remove_dead(self.function)
        assert self.before is not None
        self.after = snapshot(self.function, self.before)
        wrong = differences_between(self.before, self.after, self.equations, self.assumed)
        if wrong:
            raise UnsoundPass(f"{self.function.sym_name.data}: {', '.join(wrong)} changed without a proof")


def _inline(op: Operation, block: Block | None, values: tuple[SSAValue, ...]) -> None:
    """Puts the operations of `block` in place of `op`, whose results are what the block yields, or `values` without a block."""
    if block is not None:
        values = tuple(block.last_op.operands)  # type: ignore[union-attr]
        for inner in list(block.ops)[:-1]:
            inner.detach()
            op.parent_block().insert_op_before(inner, op)  # type: ignore[union-attr]
    for old, new in zip(op.results, values, strict=True):
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def remove_dead(function: func.FuncOp) -> int:
    """Removes operations without effect whose results are unused; how many."""
    removed = 0
    for op in reversed(walk(function.body.block)):
        if op.parent is not None and _is_dead(op):
            op.detach()
            op.erase()
            removed += 1
    return removed


def _is_dead(op: Operation) -> bool:
    """Loads, pure operations and loops with results but without stores."""
    if any(value.first_use is not None for value in op.results):
        return False
    if op.name in PURE or op.name == "memref.load":
        return True
    return op.name == "scf.for" and not any(inner.name in ("memref.store", "scf.if") for inner in op.walk())
