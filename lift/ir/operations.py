"""The closed list of operations that lifted functions are made of, and the two helpers that read an operation as data.

A *pure* operation has one result, no regions and no effects; `describe` reads it as (name, attribute, result width), and its meaning is
written once for integers (`evaluate.EVALUATE`) and once for Z3 (`smt.TRANSLATE`) over this list.  Shifts by at least the width shift
everything out, and division follows SMT-LIB; the builder never lets either happen, where MLIR has poison or undefined behaviour.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import arith, builtin, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation, base, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

INDEX_WIDTH = 64

PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")

PURE = frozenset(
    "arith.constant arith.addi arith.subi arith.muli arith.divui arith.divsi arith.remui arith.remsi arith.andi arith.ori arith.xori "
    "arith.shli arith.shrui arith.shrsi arith.cmpi arith.select arith.extui arith.extsi arith.trunci arith.index_castui".split()
)
STRUCTURED = frozenset("memref.load memref.store scf.if scf.for scf.yield func.return".split())
COMMUTATIVE = frozenset("arith.addi arith.muli arith.andi arith.ori arith.xori".split())


# xDSL hashes values and operations by their identity, in Python; what Python has built in means the same and takes a third of the time.
for _kind in (SSAValue, IRDLOperation):
    _kind.__hash__ = object.__hash__  # type: ignore[method-assign]
    _kind.__eq__ = object.__eq__  # type: ignore[method-assign]


@irdl_op_definition
class IndexCastUIOp(IRDLOperation):
    """`arith.index_castui`: between an integer and the index type, zero-extending or truncating."""

    name = "arith.index_castui"
    input = operand_def(base(IntegerType) | base(IndexType))
    result = result_def(base(IntegerType) | base(IndexType))
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `to` type($result)"


def context() -> Context:
    """A parsing context with the dialects of lifted functions."""
    made = Context()
    for dialect in (builtin.Builtin, arith.Arith, func.Func, memref.MemRef, scf.Scf):
        made.load_dialect(dialect)
    made.load_op(IndexCastUIOp)
    return made


def width_of(kind: Attribute) -> int:
    """Bits of an integer or index type."""
    if type(kind) is IntegerType:
        return kind.width.data
    assert isinstance(kind, IndexType), f"no width: {kind}"
    return INDEX_WIDTH


def width(value: SSAValue) -> int:
    return width_of(value.type)


def describe(op: Operation) -> tuple[str, int, int]:
    """(name, attribute, result width) of a pure operation; the attribute is the value of a constant (unsigned), the predicate of a
    comparison (index into PREDICATES), else 0."""
    (result,), name = op.results, op.name
    bits = width_of(result.type)
    if name == "arith.constant":
        return name, op.properties["value"].value.data & ((1 << bits) - 1), bits  # type: ignore[attr-defined]
    return name, op.properties["predicate"].value.data if name == "arith.cmpi" else 0, bits  # type: ignore[attr-defined]


def result(op: Operation) -> SSAValue:
    """The only result; unpacking is several times faster than indexing xDSL's tuples."""
    (value,) = op.results
    return value


def constant_value(value: SSAValue) -> int | None:
    """The value (unsigned) of a constant, None for anything else."""
    op = value.owner
    if type(op) is not arith.ConstantOp:
        return None
    return op.properties["value"].value.data & ((1 << width_of(value.type)) - 1)  # type: ignore[attr-defined]


def walk(block: Block) -> list[Operation]:
    """All operations of a block and the blocks in it, in the order of the text; an operation comes before what is inside it."""
    found, op = [], block.first_op
    while op is not None:
        found.append(op)
        for region in op.regions:
            for inner in region.blocks:
                found.extend(walk(inner))
        op = op.next_op
    return found


def functions(module: builtin.ModuleOp) -> list[func.FuncOp]:
    return [op for op in module.body.block.ops if isinstance(op, func.FuncOp)]
