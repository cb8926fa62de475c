"""The word-level design: data only.

A `Netlist` is one elaborated, flattened design with a single clock.  Every expression is a `Node` of a directed acyclic graph; its
width is part of it, its signedness is gone (operations are signed or unsigned, values are not; IEEE 1364-2005 clause 5).

Node operators and their arguments (w is the node's width; operands have width w unless said otherwise):

| op | arguments | meaning |
|---|---|---|
| const | value, x mask | a literal; set bits of the x mask are undefined |
| input | name | a top-level input port |
| reg | name | the present value of a register |
| memread | memory name, (address) | an asynchronous read of a memory word; address of any width, out of range is undefined |
| undef | name | an undefined value (an unassigned path), one symbol per name |
| add sub mul and or xor | (a, b) | modulo 2**w |
| udiv urem sdiv srem | (a, b) | division; by zero is undefined |
| not neg | (a) | |
| shl lshr ashr | (a, amount) | amount of any width, unsigned; an amount >= w shifts everything out |
| eq ult slt ule sle | (a, b) | 1 bit; operands of one common width |
| redor redand redxor | (a) | 1 bit; operand of any width |
| mux | (condition, then, else) | condition has 1 bit |
| concat | (high, ..., low) | widths add up |
| extract | low bit, (a) | bits [low + w - 1 : low] |
| zext sext | (a) | operand is narrower |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lift.netlist.module import Design

OPERATORS = frozenset(
    "const input reg memread undef add sub mul udiv urem sdiv srem and or xor not neg shl lshr ashr "
    "eq ult slt ule sle redor redand redxor mux concat extract zext sext".split()
)


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the source text; column 0 means that the parser gives none."""

    file: str
    line: int
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


@dataclass(eq=False, slots=True)
class Node:
    """One expression.  `attr` is the value of a constant (int), the name of an input, register, memory or undefined value (str), or the
    low bit of an extract (int).  `label` is the name of the parameter or enumerator that a constant was written as, if any."""

    op: str
    width: int
    args: tuple[Node, ...] = ()
    attr: int | str | None = None
    xmask: int = 0
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Register:
    """A clocked variable: `next` is its value after the clock edge, including reset and enable; `initial` the constant that an initial
    block gives it, if any."""

    name: str
    width: int
    next: Node
    location: Location
    initial: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryWrite:
    """One write port: when `enable` (1 bit) is 1 at the clock edge, bits of `data` under `mask` replace those of word `address`.
    `mask` has the width of the word, None writes all of it.  Ports of one memory take effect in the order of the list."""

    enable: Node
    address: Node
    data: Node
    mask: Node | None


@dataclass(frozen=True, slots=True)
class Memory:
    """An array of `depth` words of `width` bits, indexed from 0.  `initial` are the words that initial blocks set, None where they do
    not; empty if they set none."""

    name: str
    depth: int
    width: int
    writes: tuple[MemoryWrite, ...]
    location: Location
    initial: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Assertion:
    """`holds` (1 bit) is 1 at every clock edge in a run in which the design is used as its author meant it to be."""

    holds: Node
    location: Location


@dataclass(frozen=True, slots=True)
class Netlist:
    """A flattened design.  Names are hierarchical below the top (`load.row_counter`, `mesh.row[3].col[5].tile.pe.c1`); `wires` names the
    value of every other variable and of every output port; `clock` and `reset` are input names (reset may be absent)."""

    top: str
    inputs: dict[str, int]
    outputs: dict[str, Node]
    registers: dict[str, Register]
    memories: dict[str, Memory]
    wires: dict[str, Node]
    locations: dict[str, Location]
    modules: dict[str, str]  # instance path ("" is the top) -> module definition name
    clock: str | None
    reset: str | None
    constants: dict[str, int] = field(default_factory=dict)  # hierarchical name of every parameter and localparam -> value
    assertions: tuple[Assertion, ...] = ()
    design: Design | None = field(default=None, repr=False, compare=False)  # what it was flattened from
    simulated: Design | None = field(default=None, repr=False, compare=False)  # as it is read for simulation, if it was
