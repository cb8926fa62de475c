"""A module -> one clock cycle of it as yosys reads it: an independent front end, elaboration and translation to SMT-LIB.

`write_smt2` gives an uninterpreted sort of states, functions from a state to every signal, and a transition relation; text is appended that ties
the signals to free variables with the RTL's names.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import z3

from proofs.meaning import variable


def is_installed() -> bool:
    return shutil.which("yosys") is not None


@dataclass(frozen=True, slots=True)
class Reading:
    """`axioms` relate the variables with RTL names (before) to `values`: outputs before the clock edge, registers after it."""

    axioms: tuple[z3.BoolRef, ...]
    values: dict[str, z3.BitVecRef]


def read(folder: Path, top: str, scratch: Path, free: Mapping[str, int], registers: tuple[str, ...], outputs: Mapping[str, int], **parameters: int) -> Reading:
    """One cycle of module `top`; `free` (inputs and registers) and `outputs` give widths by name."""
    widths = dict(free) | dict(outputs)
    text = _write(folder, top, scratch / f"{top}.smt2", parameters)
    lines = [f"(declare-fun before () |{top}_s|)", f"(declare-fun after () |{top}_s|)", f"(assert (|{top}_t| before after))"]
    lines += [_equate(top, name, "before", name, bits) for name, bits in free.items()]
    lines += [_equate(top, name, "before", f"yosys {name}", bits) for name, bits in outputs.items()]
    lines += [_equate(top, name, "after", f"yosys {name}", free[name]) for name in registers]
    axioms = z3.parse_smt2_string("\n".join([text, *lines]))
    return Reading(tuple(axioms), {name: variable(f"yosys {name}", widths[name]) for name in (*registers, *outputs)})


def _write(folder: Path, top: str, file: Path, parameters: Mapping[str, int]) -> str:
    sizes = "".join(f"chparam -set {name} {value} {top}; " for name, value in parameters.items())
    script = f"read_verilog {folder}/{top}.v; {sizes}hierarchy -check -libdir {folder} -top {top}; proc; flatten; opt -nodffe -nosdff; write_smt2 -wires {file}"
    done = subprocess.run(["yosys", "-q", "-p", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return "\n".join(line for line in file.read_text().splitlines() if not line.startswith(";"))


def _equate(top: str, signal: str, state: str, name: str, bits: int) -> str:
    """The signal in a state equals a free variable; yosys has signals of one bit as Booleans."""
    value = f"(= |{name}| #b1)" if bits == 1 else f"|{name}|"
    return f"(declare-fun |{name}| () (_ BitVec {bits}))\n(assert (= (|{top}_n {signal}| {state}) {value}))"
