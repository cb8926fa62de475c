"""Cases to SMT by yosys (`write_smt2`), and the question whether any run of that differs from a trace.

The answer covers every value of what yosys leaves open: registers before reset, unread inputs.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import z3

from tests.constructs.bench import Case, Trace
from tests.constructs.netlists import in_reset
from tests.constructs.simulators import ToolError

TIMEOUT = 300
_MODULE = re.compile(r"^; yosys-smt2-module (\S+)$", re.MULTILINE)
_PORT = re.compile(r"^; yosys-smt2-(?:input|output) (\S+) (\d+)$", re.MULTILINE)


def models(cases: Sequence[Case], sources: Sequence[Path], folder: Path) -> dict[str, str]:
    """The SMT-LIB text of each case."""
    script = [f"read_verilog {' '.join(map(str, sources))}"]
    script += ["hierarchy -check", "proc", "opt_expr -keepdc", "flatten", "memory_collect", "async2sync", "dffunmap", "clean"]
    script += [f"write_smt2 {folder / 'cases.smt2'}"]
    (folder / "cases.ys").write_text("\n".join(script) + "\n")
    done = subprocess.run(["yosys", "-q", "-s", str(folder / "cases.ys")], capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        raise ToolError(f"yosys failed:\n{done.stdout}{done.stderr}")
    return _split((folder / "cases.smt2").read_text())


def _split(text: str) -> dict[str, str]:
    starts = list(_MODULE.finditer(text))
    ends = [m.start() for m in starts[1:]] + [len(text)]
    return {m.group(1): text[m.start() : end] for m, end in zip(starts, ends, strict=True)}


def difference(case: Case, model: str, expected: Trace) -> str | None:
    """A run of `model` with the inputs of `case` that differs from `expected` in a bit that is 0 or 1 there, as text."""
    solver = z3.Solver()
    solver.set("timeout", 20_000)
    name, ports = case.name, dict(_PORT.findall(model))
    lines = [f"(declare-const s{k} |{name}_s|)" for k in range(len(case.rows))]
    lines += [f"(assert (|{name}_h| s{k}))(assert (|{name}_u| s{k}))" for k in range(len(case.rows))]
    lines += [f"(assert (|{name}_i| s0))"]
    lines += [f"(assert (|{name}_t| s{k} s{k + 1}))" for k in range(len(case.rows) - 1)]
    lines += [f"(assert (= {_value(name, port, k)} {_literal(row[port], int(ports[port]))}))" for k, row in enumerate(case.rows) for port in row]
    wrong = list(_wrong(case, expected))
    try:
        solver.from_string(model + "\n".join(lines) + f"\n(assert (or false {' '.join(wrong)}))")
    except z3.Z3Exception as error:
        raise ToolError(f"{name}: yosys writes SMT-LIB without types that fit: {error}") from None
    answer = solver.check()
    if answer == z3.unknown:
        raise ToolError(f"{name}: no answer: {solver.reason_unknown()}")
    return None if answer == z3.unsat else _first(solver.model(), case, model, wrong, lines)


def _wrong(case: Case, expected: Trace) -> Iterator[str]:
    for k, digits in enumerate(expected):
        if in_reset(case, k):
            continue
        for output, text in digits.items():
            value, width = _value(case.name, output, k), len(text)
            known = int("".join("1" if d in "01" else "0" for d in text), 2)
            if not known:
                continue
            bits = int("".join("1" if d == "1" else "0" for d in text), 2)
            if width == 1:
                yield f"(not (= {value} {_literal(bits, 1)}))"
            else:
                yield f"(not (= (bvand {value} {_literal(known, width)}) {_literal(bits, width)}))"


def _first(found: z3.ModelRef, case: Case, model: str, wrong: list[str], lines: list[str]) -> str:
    """The first of `wrong` that holds in `found`."""
    declared = [line for line in lines if line.startswith("(declare")]
    for text in wrong:
        parsed = z3.parse_smt2_string(model + "\n".join(declared) + f"(assert {text})")
        if z3.is_true(found.eval(parsed[-1], model_completion=True)):
            return text
    return f"{case.name}: some bit"


def _value(module: str, port: str, cycle: int) -> str:
    return f"(|{module}_n {port}| s{cycle})"


def _literal(value: int, width: int) -> str:
    return str(bool(value)).lower() if width == 1 else f"#b{value:0{width}b}"
