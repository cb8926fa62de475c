"""One module definition as both readers hand it over: variables, continuous assignments, processes and instances.

Expressions are `Node`s over four more operators, which flattening removes:

| op | arguments | meaning |
|---|---|---|
| var | name | the value of a variable of this module |
| word | array name, (index) | a word of an array of this module, counted from 0 |
| pin | `instance.port` | the value of an output port of an instance |
| call | name of the function, (arguments) | the value that a function of this module returns |

Names are local: `x`, or `row[3].x` inside generate blocks.  A constant's bit that is 1 in value and x mask was written as z.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lift.netlist.model import Location, Node

if TYPE_CHECKING:
    from lift.netlist.builder import Builder


VIOLATED = "violated@"  # prefix of the variables that become 1 where an assertion of a clocked process fails


@dataclass(frozen=True, slots=True)
class Variable:
    """A net or variable.  `depth` is the number of words of an array (0: not an array) and `base` the source index of its word 0.
    `local` variables live in a block and are not shown in the netlist."""

    name: str
    width: int
    location: Location
    depth: int = 0
    base: int = 0
    local: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """What is assigned: `width` bits of variable `name` (of its word `index`) from bit `low` - `bias` upwards; `low` None is the whole.
    Bits beyond either end are dropped."""

    name: str
    width: int
    index: Node | None = None
    low: Node | None = None
    bias: int = 0


@dataclass(frozen=True, slots=True)
class Assign:
    """`value` is as wide as the targets together, the first target takes the highest bits."""

    targets: tuple[Target, ...]
    value: Node
    location: Location
    blocking: bool = True


@dataclass(frozen=True, slots=True)
class If:
    condition: Node  # 1 bit
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class Case:
    """The first item with a matching pattern is executed.  `wildcards`: "" none, "z" z digits match anything, "x" x and z digits do.
    Patterns have the selector's width."""

    selector: Node
    items: tuple[tuple[tuple[Node, ...], tuple[Statement, ...]], ...]
    default: tuple[Statement, ...] | None
    location: Location
    wildcards: str = ""


@dataclass(frozen=True, slots=True)
class Loop:
    """`start`, then `body` and `step` as long as the 1-bit condition holds, which must be constant at each turn.  The loop ends as well
    when the 1-bit variable `stop`, if one is named, is the constant 1 after a turn."""

    start: tuple[Statement, ...]
    condition: Node
    step: tuple[Statement, ...]
    body: tuple[Statement, ...]
    location: Location
    stop: str = ""


Statement = Assign | If | Case | Loop


@dataclass(frozen=True, slots=True)
class Edge:
    signal: Node
    rising: bool


@dataclass(frozen=True, slots=True)
class Process:
    """An always block: combinational without edges, else clocked.  `levels` are the variables that a combinational one lists, None for
    all that it reads."""

    body: tuple[Statement, ...]
    edges: tuple[Edge, ...]
    location: Location
    levels: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """`body` computes variable `result` from variables `arguments`; all of them, and what else it may assign, are named
    `name.…`."""

    name: str
    arguments: tuple[str, ...]
    result: str
    width: int
    body: tuple[Statement, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class Instance:
    """`inputs` gives each connected input port its value; outputs are read as pins.  `module` is a key of the design's definitions,
    None for a black box, whose output ports are then listed in `outputs` with their widths."""

    name: str
    definition: str
    module: str | None
    inputs: dict[str, Node]
    location: Location
    outputs: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Module:
    """A definition with given parameters.  Port names are variable names."""

    name: str
    location: Location
    inputs: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, int] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    parameters: dict[str, int] = field(default_factory=dict)
    assigns: list[Assign] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    initials: list[Process] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    resolutions: dict[str, str] = field(default_factory=dict)  # nets with several drivers -> and, or: what joins them


@dataclass(frozen=True, slots=True)
class Design:
    """All definitions below `top`, by key; `builder` made their expressions."""

    modules: Mapping[str, Module]
    top: str
    builder: Builder
