"""The modules in modules/ to cases: what each reader makes of them, their random inputs, and where a tool is known to be wrong."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from lift.netlist.model import Netlist
from lift.verilog import read
from tests.constructs.bench import Case

FOLDER = Path(__file__).parent / "modules"
FILES = sorted(FOLDER.glob("*.v"))
READERS = ("slang", "pyverilog")
CYCLES = 40
RESET_CYCLES = 2
# (tool, module) -> what it does instead of what the standard says.  The reference is Icarus, else Verilator.
KNOWN_FAULTS = {
    ("icarus", "literal_unsized"): "extends 'sh... by its sign in an unsigned expression (5.5.3)",
    ("icarus", "size_of_connection"): "a connection's expression is cut to its own size before it is extended (12.3.9)",
    ("yosys", "size_of_connection"): "as Icarus",
    ("icarus", "width_of_parameters"): "4'd9 + 4'd9 has 5 bits as the value of a parameter (5.4)",
    ("verilator", "sign_of_case"): "each label is compared by itself, not all in one size and sign (9.5)",
    ("verilator", "undefined_part"): "a part that begins below bit 0 loses the bits that are inside (5.2.1)",
    ("verilator", "undefined_constant_part"): "as in undefined_part",
    ("yosys", "literal_unsized"): "extends 'h8000_0000 by its sign",
    ("yosys", "select_left_concatenation"): "assigns the other parts of a concatenation with a dynamic part wrongly",
    ("yosys", "sign_of_parameters"): "`localparam signed` without a range is unsigned",
    ("yosys", "undefined_is_no_match"): "x in a label of case matches anything",
    ("yosys", "undefined_case_equality"): "x in === matches anything",
}


@cache
def modules() -> dict[str, Path]:
    """The file of each module."""
    return {name: file for file in FILES for name in re.findall(r"^module (\w+)", file.read_text(), re.MULTILINE)}


@cache
def netlist(reader: str, name: str) -> Netlist:
    """What `reader` makes of a module."""
    return read([modules()[name]], name, frontend=reader)


@cache
def cases() -> tuple[Case, ...]:
    """All modules, by name."""
    netlists = {name: netlist("slang", name) for name in sorted(modules())}
    return tuple(Case(name, n, rows(n, seed)) for seed, (name, n) in enumerate(netlists.items()))


def rows(netlist: Netlist, seed: int, cycles: int = CYCLES) -> Sequence[dict[str, int]]:
    """Random inputs in which corner values are frequent; reset is active in the first cycles and rarely later."""
    draw = random.Random(seed)
    inputs = {name: width for name, width in netlist.inputs.items() if name != netlist.clock}
    return [{name: _value(draw, netlist, name, width, cycle) for name, width in inputs.items()} for cycle in range(cycles)]


def _value(draw: random.Random, netlist: Netlist, name: str, width: int, cycle: int) -> int:
    if name == netlist.reset:
        return (cycle < RESET_CYCLES or draw.random() < 0.03) ^ name.endswith("_n")
    corners = [0, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1, 1]
    return draw.choice(corners) if draw.random() < 0.3 else draw.getrandbits(width)
