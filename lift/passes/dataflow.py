"""A function -> for every value the arguments whose data it carries, and what each argument is used for.

Sets of arguments are bit masks over their positions.  Data flows through arithmetic, loads (from the array, not from the address) and the arms of
selects; conditions, trip counts and shift amounts are control, what is cast to an index is an address.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Block, Operation, SSAValue

from lift.ir.operations import constant_value, walk
from lift.passes.b3_detect_mac import MAC, address_operations, candidates
from lift.passes.c7_lift_to_linalg import OPERAND_A, OPERAND_B

ROLES = ("input", "weight", "accumulator", "address", "control", "data", "output")
_SHIFTS = ("arith.shli", "arith.shrui", "arith.shrsi")


@dataclass(slots=True)
class Dataflow:
    """`carries` by value; `uses` by role; for each array, by position, how many words are read and written (None: a symbolic number) and the
    arguments that its addresses depend on; `targets` are the arrays of which there is a destination, before the instruction."""

    function: func.FuncOp
    carries: dict[SSAValue, int] = field(default_factory=dict)
    uses: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ROLES, 0))
    reads: dict[int, int | None] = field(default_factory=dict)
    writes: dict[int, int | None] = field(default_factory=dict)
    addressed: dict[int, int] = field(default_factory=dict)
    targets: int = 0
    addresses: set[Operation] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.addresses = address_operations(walk(self.function.body.block))
        given = [a.data for a in self.function.arg_attrs or ()]
        stored = {a.get("rtl.name") for a in given if "rtl.destination" in a}
        self.targets = sum(1 << k for k, a in enumerate(given) if "rtl.destination" not in a and a.get("rtl.name") in stored)
        for position, argument in enumerate(self.function.args):
            self.carries[argument] = 1 << position
        self._block(self.function.body.block, 1)

    def of(self, value: SSAValue) -> int:
        return self.carries.get(value, 0)

    def _block(self, block: Block, times: int | None) -> None:
        """`times` is how often the block runs."""
        for op in block.ops:
            if MAC in op.attributes:
                self._mac(op)
            elif op.name == "arith.addi":
                self._accumulate(op)
            rule = _RULES.get(op.name)
            if rule is not None:
                rule(self, op, times)
            elif op.results:
                self._join(op, list(op.operands))

    def _join(self, op: Operation, operands: list[SSAValue]) -> None:
        found = 0
        for operand in operands:
            found |= self.of(operand)
        for result in op.results:
            self.carries[result] = found

    def _mac(self, op: Operation) -> None:
        for mac in candidates(op):
            a, b = ("weight", "input") if _weight_first(op) else ("input", "weight")
            self.uses[a] |= self.of(mac.a.value)
            self.uses[b] |= self.of(mac.b.value)
            for factor in (mac.a, mac.b):
                self.uses["data"] |= 0 if factor.zero is None else self.of(factor.zero)
            self.uses["accumulator"] |= self.of(mac.accumulator)
            return

    def _accumulate(self, op: Operation) -> None:
        """What else is added to a word of the array that is being computed: that array accumulates."""
        for word, other in (op.operands, reversed(op.operands)):
            if self.of(word) & self.targets and self.of(other) & ~self.targets and op not in self.addresses:
                self.uses["accumulator"] |= self.of(word) & self.targets

    def _select(self, op: Operation, times: int | None) -> None:
        self.uses["control"] |= self.of(op.operands[0])
        self._join(op, list(op.operands[1:]))

    def _shift(self, op: Operation, times: int | None) -> None:
        self.uses["control"] |= self.of(op.operands[1])
        self._join(op, [op.operands[0]])

    def _load(self, op: Operation, times: int | None) -> None:
        self._access(self.reads, op.operands[0], op.operands[1], times)
        self._join(op, [op.operands[0]])

    def _store(self, op: Operation, times: int | None) -> None:
        self._access(self.writes, op.operands[1], op.operands[2], times)
        self.uses["output"] |= self.of(op.operands[1])
        self.uses["data"] |= self.of(op.operands[0])

    def _access(self, counts: dict[int, int | None], array: SSAValue, index: SSAValue, times: int | None) -> None:
        position = array.index if array in self.function.args else -1  # type: ignore[attr-defined]
        before = counts.get(position, 0)
        counts[position] = None if before is None or times is None else before + times
        self.uses["address"] |= self.of(index)
        self.addressed[position] = self.addressed.get(position, 0) | self.of(index)

    def _branch(self, op: Operation, times: int | None) -> None:
        self.uses["control"] |= self.of(op.operands[0])
        for region in op.regions:
            for block in region.blocks:
                self._block(block, times)

    def _loop(self, op: Operation, times: int | None) -> None:
        low, high, step, *carried = op.operands
        self.uses["control"] |= self.of(low) | self.of(high)
        body = op.regions[0].block
        for argument, initial in zip(body.args[1:], carried, strict=True):
            self.carries[argument] = self.of(initial)
        bounds = [constant_value(v) for v in (low, high, step)]
        known = times is not None and None not in bounds
        self._block(body, times * len(range(*bounds)) if known else None)  # type: ignore[arg-type, operator]
        for result, value, initial in zip(op.results, body.last_op.operands, carried, strict=True):  # type: ignore[union-attr]
            self.carries[result] = self.of(value) | self.of(initial)

    def _end(self, op: Operation, times: int | None) -> None:
        if op.name == "func.return":
            for value in op.operands:
                self.uses["data"] |= self.of(value)


_RULES: dict[str, Callable[[Dataflow, Operation, int | None], None]] = {
    "arith.select": Dataflow._select, "memref.load": Dataflow._load, "memref.store": Dataflow._store,
    "scf.if": Dataflow._branch, "scf.for": Dataflow._loop, "scf.yield": Dataflow._end, "func.return": Dataflow._end,
} | dict.fromkeys(_SHIFTS, Dataflow._shift)  # fmt: skip


def _weight_first(op: Operation) -> bool:
    """In a dot product the weights are what a new word is read for at each position, the inputs parts of one word."""
    loop = op.parent_op()
    a, b = (_kind(loop.attributes.get(key)) for key in (OPERAND_A, OPERAND_B)) if loop is not None else (None, None)
    return a == "load" and b == "part"


def _kind(attribute: object) -> str | None:
    kind = attribute.data.get("kind") if isinstance(attribute, DictionaryAttr) else None
    return kind.data if isinstance(kind, StringAttr) else None
