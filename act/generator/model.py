"""What a generated backend knows of each instruction: the pattern it computes, where its operands live, and when it applies.  Data only.

Everything here has a `repr` that builds it again: a generated backend is a Python module of these records.  Expressions are over the
computational attributes (alpha) of the instruction and, where it is said, its registers.
"""

from __future__ import annotations

from typing import Any

from act.records import dataclass
from act.taidl.model import Buffer, Composite, Expr, Set, Use


@dataclass(frozen=True, slots=True)
class Leaf:
    """Operand number `operand` of the instruction."""

    operand: int
    dtype: str
    dims: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Splat:
    """One constant everywhere; as a scalar it also stands for its broadcasts where HLO allows a scalar (the bounds of a clamp)."""

    value: Any
    dtype: str
    dims: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator on patterns, in the normal form of e-nodes; integers in `attributes` may be expressions."""

    opcode: str
    attributes: tuple[tuple[str, Any], ...]
    dtype: str
    dims: tuple[Expr, ...]
    children: tuple[Pattern, ...]


Pattern = Leaf | Splat | Apply


@dataclass(frozen=True, slots=True)
class Typed:
    """A tensor operand or result: its element type and dimensions, and how its bytes are numbered by the index variables of the slice.

    `trailing` index variables count the bytes of one element; with `dense` all bytes of the tensor follow each other.
    """

    dtype: str
    dims: tuple[Expr, ...]
    trailing: int
    dense: bool = False


@dataclass(frozen=True, slots=True)
class Start:
    """One coordinate of the first element: `scale` * attribute + `offset`; without an attribute the place is fixed."""

    attribute: str | None
    scale: int
    offset: Expr


@dataclass(frozen=True, slots=True)
class OnChip:
    """A tensor in an accelerator memory: dimension d of the tensor runs along coordinate `axes[d]`, step 1.  `unit_registers` are the
    configuration registers that are a step and so must be 1."""

    buffer: str
    starts: tuple[Start, ...]
    axes: tuple[int, ...]
    unit_registers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InHost:
    """A tensor of whole elements in host memory: element (i, j, ...) begins at byte start + i * strides[0] + j * strides[1] + ...

    A stride is an expression over alpha, or one of the names in `chosen`: a register or an attribute that may have any value."""

    buffer: str
    start: Start
    strides: tuple[Expr, ...]
    chosen: tuple[str, ...] = ()


Access = OnChip | InHost


@dataclass(frozen=True, slots=True)
class Operand:
    """A tensor that an instruction reads or writes.  `tied`: read where the result is written, so the instruction updates it in place;
    `consumed`: it is overwritten by something else."""

    name: str
    dtype: str
    dims: tuple[Expr, ...]
    access: Access
    tied: bool = False
    consumed: bool = False


@dataclass(frozen=True, slots=True)
class Clobber:
    """Places of a memory that an instruction overwrites with unspecified values: `size` of them along `coordinate`, from `start` on."""

    buffer: str
    coordinate: int
    start: Start
    size: Expr


@dataclass(frozen=True, slots=True)
class WordField:
    """`attribute` is bits [shift + width - 1 : shift] of the word."""

    attribute: str
    shift: int
    width: int


@dataclass(frozen=True, slots=True)
class TableWord:
    """The word in `table` at the place that attribute `slot` says, whose parts are addresses."""

    table: str
    slot: str
    fields: tuple[WordField, ...]


@dataclass(frozen=True, slots=True)
class Selector:
    """An instruction (or a composite) as the compiler selects it.

    It computes `pattern` of `operands` into `result` when `conditions` hold; those over beta attributes are checked when addresses are
    known.  `limits` are the largest values of alpha attributes that the address maps allow.  `uses` are the registers it needs.  `free` are
    the alpha attributes that do not change what is computed: strides in host memory, and those without effect.  A `narrow` selector says
    what the instruction does modulo 2**width to wider memory, see `act.generator.twins`.  `words` are those in tables whose parts are
    addresses.
    """

    name: str
    alpha: tuple[str, ...]
    free: tuple[str, ...]
    beta: tuple[str, ...]
    conditions: tuple[Expr, ...]
    limits: tuple[tuple[str, int], ...]
    uses: tuple[Use, ...]
    operands: tuple[Operand, ...]
    result: Operand
    pattern: Pattern
    clobbers: tuple[Clobber, ...]
    sets: tuple[Set, ...]
    cost: Expr | None
    narrow: str | None = None
    words: tuple[TableWord, ...] = ()


@dataclass(frozen=True, slots=True)
class Setter:
    """An instruction that only sets registers: `sets` of values that are attributes or constants, when some attributes are `fixed`."""

    name: str
    attributes: tuple[str, ...]
    conditions: tuple[Expr, ...]
    sets: tuple[Set, ...]
    fixed: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Tiles:
    """Into what pieces large tensors are cut: at most `rows` x `columns` elements, dot products of at most `depth` terms."""

    rows: int
    columns: int
    depth: int


@dataclass(frozen=True, slots=True)
class Rules:
    """All that was derived from one TAIDL file.  `unused` says of every other instruction why it is never selected.
    `derived` stand for instructions whose forms selection has no words for, see `act.generator.derive`; they see the memories
    `buffers` with rows of two dimensions."""

    selectors: tuple[Selector, ...]
    setters: tuple[Setter, ...]
    tiles: Tiles
    unused: tuple[tuple[str, str], ...]
    derived: tuple[Composite, ...] = ()
    buffers: tuple[Buffer, ...] = ()
