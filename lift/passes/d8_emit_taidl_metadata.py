"""D8: what the assembly of a TAIDL specification reads is written down as attributes of the closed set in docs/ir.md.

    func @f(%x: i14 {rtl.name = "rs1"}, %m: memref<64xi8>, ...)   -->   func @f(%x: i14 {..., taidl.roles = ["address"]},
                                                                          %m: memref<64xi8> {taidl.roles = ["weight"], taidl.footprint = {...}}, ...)
                                                                          attributes {taidl.kind = "compute", taidl.grid = [16, 16, 16]}

These attributes describe and claim nothing about values, so there is nothing to prove.
"""

from __future__ import annotations

from collections import Counter

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, MemRefType, StringAttr
from xdsl.ir import Attribute, Operation

from lift.ir.operations import constant_value, walk
from lift.passes.b3_detect_mac import MAC
from lift.passes.base import LiftPass
from lift.passes.c7_lift_to_linalg import LINALG_OP
from lift.passes.dataflow import ROLES, Dataflow
from lift.passes.strides import Stride, strides
from lift.prove.session import Session

ROLES_OF, FOOTPRINT, STRIDES, KIND, GRID = "taidl.roles", "taidl.footprint", "taidl.strides", "taidl.kind", "taidl.grid"
SYMBOLIC = -1


class EmitTaidlMetadata(LiftPass):
    name = "d8-emit-taidl-metadata"

    def rewrite(self, session: Session) -> None:
        function, flow = session.function, Dataflow(session.function)
        given = function.arg_attrs.data if function.arg_attrs is not None else [DictionaryAttr({})] * len(function.args)
        moves = strides(function)
        added = [_argument(flow, k) | _strides(function, moves.get(a, [])) for k, a in enumerate(function.args)]
        function.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(dict(old.data) | new) for old, new in zip(given, added, strict=True)])
        operations = walk(function.body.block)
        function.attributes[KIND] = StringAttr(_kind(flow, operations))
        grid = _grid(operations)
        if grid is not None:
            function.attributes[GRID] = ArrayAttr([IntegerAttr(n, 64) for n in grid])


def _argument(flow: Dataflow, position: int) -> dict[str, Attribute]:
    roles = [role for role in ROLES if flow.uses[role] >> position & 1]
    if len(roles) > 1 and "data" in roles and any(r in roles for r in ("input", "weight", "accumulator", "output")):
        roles.remove("data")
    attributes: dict[str, Attribute] = {ROLES_OF: ArrayAttr([StringAttr(role) for role in roles])}
    if isinstance(flow.function.args[position].type, MemRefType):
        attributes[FOOTPRINT] = _footprint(flow, position)
    return attributes


def _footprint(flow: Dataflow, position: int) -> DictionaryAttr:
    """Words read and written (counting repetitions; conditional accesses count), and the scalar arguments that addresses depend on."""
    mask = flow.addressed.get(position, 0)
    by = [a for k, a in enumerate(flow.function.arg_attrs or ()) if mask >> k & 1]
    names = [a.data["rtl.name"] for a in by if "rtl.name" in a.data]
    counts = {"reads": flow.reads.get(position, 0), "writes": flow.writes.get(position, 0)}
    numbers = {key: IntegerAttr(SYMBOLIC if n is None else n, 64) for key, n in counts.items()}
    return DictionaryAttr({**numbers, "addressed_by": ArrayAttr(names)})


def _strides(function: func.FuncOp, levels: list[Stride]) -> dict[str, Attribute]:
    """Omitted where there is no regular pattern; a symbolic stride that a scalar argument gives is named."""
    entries = []
    for level in levels:
        by = function.arg_attrs.data[level.by.index].data.get("rtl.name") if level.by in function.args and function.arg_attrs else None  # type: ignore[union-attr]
        numbers: dict[str, Attribute] = {"count": IntegerAttr(level.count, 64), "words": IntegerAttr(level.words, 64)}
        entries.append(DictionaryAttr(numbers | ({} if by is None else {"by": by})))
    return {STRIDES: ArrayAttr(entries)} if entries else {}


def _kind(flow: Dataflow, operations: list[Operation]) -> str:
    """compute: multiplies and accumulates; move: between arrays; update: changes a register."""
    if any(MAC in op.attributes for op in operations):
        return "compute"
    return "move" if flow.writes else "update"


def _grid(operations: list[Operation]) -> tuple[int, int, int] | None:
    """(stores, dot products per store, length of a dot product), where all stores hold as many dot products of one length."""
    dots = [op for op in operations if op.attributes.get(LINALG_OP) == StringAttr("dot_product")]
    stores = sum(op.name == "memref.store" for op in operations)
    lengths = Counter(constant_value(op.operands[1]) for op in dots)
    if not dots or len(lengths) != 1 or None in lengths:
        return None
    (length,) = lengths
    rows = max(stores, 1)
    return (rows, len(dots) // rows, length) if len(dots) % rows == 0 and length is not None else None
