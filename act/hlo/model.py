"""HLO as data: a module of computations, each a list of instructions in an order in which operands come first.

Every attribute is normalised when it is read, so that two instructions compute the same function of their operands exactly when opcode,
`attributes` and shapes are equal.  Layouts, metadata and other things that do not change a value are not kept.

| opcode                      | attributes                                                                                              |
|-----------------------------|---------------------------------------------------------------------------------------------------------|
| parameter                   | number: int                                                                                             |
| constant                    | value: a scalar, or nested tuples of the constant's shape                                               |
| iota                        | dimension: int                                                                                          |
| broadcast                   | dimensions: for each operand dimension the result dimension it becomes                                  |
| transpose                   | dimensions: result dimension i is operand dimension dimensions[i]                                       |
| reverse                     | dimensions                                                                                              |
| slice                       | start, limit, stride: one value per dimension                                                           |
| pad                         | low, high, interior: one value per dimension; operands are the tensor and the scalar                    |
| concatenate                 | dimension: int                                                                                          |
| dynamic-slice               | sizes: one value per dimension; operands are the tensor and a scalar start for each dimension           |
| dynamic-update-slice        | none; operands are the tensor, the update, and a scalar start for each dimension                        |
| dot                         | lhs_contracting_dims, rhs_contracting_dims, lhs_batch_dims, rhs_batch_dims                              |
| convolution                 | a window (windows.py), lhs_dims, rhs_dims, out_dims, feature_group_count, batch_group_count             |
| reduce                      | dimensions, kind: add, multiply, maximum, minimum, and, or, xor; operands are the tensor and the scalar |
| reduce-window               | a window but for its reversal, kind; operands are the tensor and the scalar                             |
| compare                     | direction: EQ NE LT LE GT GE; order: "TOTAL" where floats are compared by their total order             |
| reduce-precision            | exponent_bits, mantissa_bits: int                                                                       |
| get-tuple-element           | index: int                                                                                              |
| call, fusion                | to_apply: name of a computation (`flatten` removes these)                                               |
| all others                  | none                                                                                                    |
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from act.hlo.dtypes import check_dtype
from act.records import dataclass, field

Dimension = Any  # an int; in a TAIDL body also the object that the `expression` callback made
Value = Any  # int, float, bool, str, a symbolic integer, or nested tuples of these


@dataclass(frozen=True, slots=True)
class Shape:
    """A tensor of `dtype` (pred, s1..s64, u1..u64, f16, bf16, f32, f64)."""

    dtype: str
    dims: tuple[Dimension, ...] = ()

    def __post_init__(self) -> None:
        check_dtype(self.dtype)

    @property
    def rank(self) -> int:
        return len(self.dims)

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.dims))}]"


@dataclass(frozen=True, slots=True)
class TupleShape:
    elements: tuple[Shape | TupleShape, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.elements))})"


@dataclass(frozen=True, slots=True)
class Instruction:
    """`name` = `opcode`(`operands`), a value of `shape`.  Operands are names in the same computation.  `line` is where it was read."""

    name: str
    shape: Shape | TupleShape
    opcode: str
    operands: tuple[str, ...] = ()
    attributes: Mapping[str, Value] = field(default_factory=dict, hash=False)
    line: int = field(default=0, compare=False)

    @property
    def key(self) -> tuple[tuple[str, Value], ...]:
        """The attributes as a hashable value."""
        return tuple(sorted(self.attributes.items()))


@dataclass(frozen=True, slots=True)
class Computation:
    """Operands precede their users; `root` is the name of the instruction whose value is the result."""

    name: str
    instructions: tuple[Instruction, ...]
    root: str

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.instructions)

    def __getitem__(self, name: str) -> Instruction:
        for instruction in self.instructions:
            if instruction.name == name:
                return instruction
        raise KeyError(name)

    @property
    def by_name(self) -> dict[str, Instruction]:
        return {instruction.name: instruction for instruction in self.instructions}

    @property
    def result(self) -> Instruction:
        return self[self.root]

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the results: the parts of a tuple, or the root."""
        return self.result.operands if self.result.opcode == "tuple" else (self.root,)

    @property
    def parameters(self) -> tuple[Instruction, ...]:
        """In the order of their numbers."""
        found = [instruction for instruction in self.instructions if instruction.opcode == "parameter"]
        return tuple(sorted(found, key=lambda parameter: parameter.attributes["number"]))


@dataclass(frozen=True, slots=True)
class Alias:
    """Output number `output` takes over the memory of parameter number `parameter`, if it can or (`must`) in any case."""

    output: int
    parameter: int
    must: bool = False


@dataclass(frozen=True, slots=True)
class Module:
    """`computations` by name; `entry` names the one to run.  `filename` is for messages."""

    name: str
    computations: Mapping[str, Computation] = field(hash=False)
    entry: str
    filename: str = field(default="<text>", compare=False)
    aliases: tuple[Alias, ...] = ()

    @property
    def main(self) -> Computation:
        return self.computations[self.entry]
