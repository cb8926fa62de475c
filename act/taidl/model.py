"""The accelerator model that a `.taidl` file says: data only.

An `Accelerator` has memories (`Buffer`), registers (`State`) and operations (`Instruction`, and `Composite` which is a fixed sequence of
instructions).  All integer expressions are `Expr` over attributes, index variables and registers named by `use`.
"""

from __future__ import annotations

from typing import Any, Literal

from act.records import dataclass, field
from act.taidl.building import Building


@dataclass(frozen=True, slots=True)
class Int:
    value: int


@dataclass(frozen=True, slots=True)
class Name:
    """An attribute, an index variable, or a register bound by `use ... as NAME`."""

    name: str


@dataclass(frozen=True, slots=True)
class Unary:
    """`-a`, `not a`."""

    op: Literal["-", "not"]
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """Integer arithmetic over the mathematical integers (`/` rounds down), comparisons and connectives (1 or 0)."""

    op: Literal["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "min", "max", "==", "!=", "<", "<=", ">", ">=", "and", "or"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Choice:
    """`then if condition else otherwise`."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Lookup:
    """The integer that the buffer holds at `indices` before the instruction; in slices only."""

    buffer: str
    indices: tuple[Expr, ...]


Expr = Int | Name | Unary | Binary | Choice | Lookup


@dataclass(frozen=True, slots=True)
class Buffer:
    """A memory of `element` values (`s8`, `u8`, `s32`, `f32`, ...).  `access` are the dimensions that addresses count, `unit` the
    dimensions of what one address holds.  A host memory (`hbm`) has one access dimension, of bytes, and no unit dimensions."""

    name: str
    element: str
    access: tuple[int, ...]
    unit: tuple[int, ...]
    hbm: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """A register, or `count` registers of one kind.  `config` registers take part in the computation of who uses them (alpha); `staged`
    registers carry an address or a choice of buffer from one instruction to another (beta)."""

    name: str
    kind: Literal["config", "staged"]
    element: str
    count: int | None
    initial: int | None


@dataclass(frozen=True, slots=True)
class Token:
    """A dependency between units: a counter that instructions raise (`push`) and wait for and lower (`pop`); below `limit` at all times, where
    there is one."""

    name: str
    initial: int = 0
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class TokenUse:
    """`token` is pushed or popped, when `condition` holds; None is always."""

    token: str
    condition: Expr | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command, `width` bits."""

    name: str
    width: int


@dataclass(frozen=True, slots=True)
class Field:
    """Bits [high:low] of a command word hold `value`; bits that no field names are 0."""

    word: str
    high: int
    low: int
    value: Expr


@dataclass(frozen=True, slots=True)
class Index:
    """An index variable that runs over 0 <= name < extent."""

    name: str
    extent: Expr


@dataclass(frozen=True, slots=True)
class Slice:
    """The elements `buffer[coordinates]` for all values of the index variables; as a tensor its shape is the extents of `indices`, in
    order.  There is one coordinate for each access dimension, then one for each unit dimension."""

    buffer: str
    coordinates: tuple[Expr, ...]
    indices: tuple[Index, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """Operand `%name` of the body is the tensor in `slice` before the instruction."""

    name: str
    slice: Slice


@dataclass(frozen=True, slots=True)
class Write:
    """The tensor `%name` of the body is stored to `slice`; a slice that is read as well is updated in place.

    With `mask`, only where the pred tensor `%mask` of the body, of the same dimensions, is true."""

    slice: Slice
    name: str
    mask: str | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """Needs register `state[index]`: its value is called `name`, or must equal `equals`."""

    state: str
    index: Expr | None
    name: str | None = None
    equals: Expr | None = None


@dataclass(frozen=True, slots=True)
class Set:
    """Register `state[index]` becomes `value` (wrapped to its width)."""

    state: str
    index: Expr | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Part:
    """One instruction of a composite, with a value for each of its attributes."""

    instruction: str
    arguments: dict[str, Expr]


@dataclass(frozen=True, slots=True)
class Loop:
    """`steps` for each value of the index variable, from 0 on."""

    index: Index
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """`then` where the condition holds, else `otherwise`."""

    condition: Expr
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...] = ()


Step = Part | Loop | Branch


@dataclass(frozen=True, slots=True)
class Instruction:
    """`alpha` attributes select the computation, `beta` attributes are addresses.  All reads happen before all writes.  `body` is the HLO
    text of the computation with back-quoted expressions.  `part_only`: never selected alone.  `opaque`: the semantics are not known.

    `after`: one of these was executed before; `before`: none of these was; `exclusive`: none of these is executed at the same time.  `unit`
    executes it, in order; units run side by side.  `steps`: a macro, whose effect is that of these instructions one after the other."""

    name: str
    alpha: tuple[str, ...]
    beta: tuple[str, ...]
    encode: tuple[Field, ...] = ()
    when: tuple[Expr, ...] = ()
    uses: tuple[Use, ...] = ()
    reads: tuple[Read, ...] = ()
    writes: tuple[Write, ...] = ()
    clobbers: tuple[Slice, ...] = ()
    sets: tuple[Set, ...] = ()
    after: tuple[str, ...] = ()
    cost: Expr | None = None
    body: str = ""
    part_only: bool = False
    opaque: bool = False
    source: tuple[str, ...] = ()
    line: int = field(default=0, compare=False)
    before: tuple[str, ...] = ()
    exclusive: tuple[str, ...] = ()
    pops: tuple[TokenUse, ...] = ()
    pushes: tuple[TokenUse, ...] = ()
    unit: str | None = None
    steps: tuple[Step, ...] = ()

    @property
    def attributes(self) -> tuple[str, ...]:
        return self.alpha + self.beta

    @property
    def slices(self) -> tuple[Slice, ...]:
        """Of all that is read, written and overwritten."""
        return (*(each.slice for each in (*self.reads, *self.writes)), *self.clobbers)


@dataclass(frozen=True, slots=True)
class Composite:
    """Instructions issued one directly after the other as one operation.  It has the clauses of an instruction; `encode` is empty."""

    operation: Instruction
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """`assume` (taken as given) or `proved` (with the method), about `subject` (instruction, or instruction.buffer)."""

    kind: Literal["assume", "proved"]
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class Accelerator(Building):
    """An instruction set; `Accelerator("name")` is an empty one, which the methods of `Building` fill.  `builders` are what they wait for."""

    name: str
    words: tuple[Word, ...] = ()
    buffers: dict[str, Buffer] = field(default_factory=dict)
    states: dict[str, State] = field(default_factory=dict)
    instructions: dict[str, Instruction] = field(default_factory=dict)
    composites: dict[str, Composite] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    header: str = ""
    tokens: dict[str, Token] = field(default_factory=dict)
    units: tuple[str, ...] = ()
    builders: list[Any] = field(default_factory=list, compare=False, repr=False)

    def operation(self, name: str) -> Instruction:
        """The instruction of this name, or what the composite of this name does."""
        composite = self.composites.get(name)
        return composite.operation if composite else self.instructions[name]
