"""Backends and kernels -> figures: compile times in process, the speed of the oracle, cycles on the RTL, movement of data."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from act.backend.choose import Choice
from act.backend.compile import Backend, Statistics, compile_module
from act.backend.cost import CycleCosts
from act.backend.verify import inputs
from act.errors import UserError
from act.generator.analyse import analyse
from act.hlo import Module, parse_module
from act.memory import memory_image
from act.oracle import Machine
from act.program import Program, isa_digest
from act.runner import program_image
from act.taidl import parse, print_text
from act.taidl.model import Accelerator

Figures = dict[str, float]


def backend_of(isa: Path) -> Backend:
    accelerator = parse(isa.read_text())
    return Backend(accelerator, analyse(accelerator), isa_digest(print_text(accelerator)))


@dataclass(frozen=True, slots=True)
class Compiled:
    """A kernel with its program, the seconds of the processor that took, and the counts of the compiler."""

    module: Module
    program: Program
    seconds: float
    nodes: int


def compiled(backend: Backend, modules: Sequence[Module], search: bool = False) -> Iterator[Compiled | None]:
    """In this process; None for a kernel that is refused."""
    for module in modules:
        statistics, begin = Statistics(), process_time()
        try:
            program = compile_module(backend, module, statistics, choice=Choice(search=search)).program
        except UserError:
            yield None
            continue
        yield Compiled(module, program, process_time() - begin, int(statistics.values.get("nodes", 0)))


def compile_times(backend: Backend, modules: Sequence[Module], search: bool = False) -> Figures:
    """Median and maximum over kernels; the first compilation of a process, which imports, is not counted."""
    list(compiled(backend, modules[:1], search))
    found = list(compiled(backend, modules, search))
    done = [each for each in found if each is not None]
    times = sorted(each.seconds for each in done) or [0.0]
    instructions = [len(each.program.commands) for each in done] or [0]
    return {
        "kernels": len(found), "refused": len(found) - len(done), "median_s": median(times), "max_s": times[-1],
        "nodes": median([each.nodes for each in done] or [0]), "most_nodes": max([each.nodes for each in done] or [0]), "instructions": median(instructions),
    }  # fmt: skip


def oracle_speed(backend: Backend, kernels: Sequence[Compiled]) -> Figures:
    """Commands a second, the machine's memories made once for each program."""
    commands, seconds = 0, 0.0
    for each in kernels:
        values = dict(inputs(each.module, 0))["random 0"]
        machine, begin = Machine(backend.accelerator), perf_counter()
        machine.run(each.program, values)
        seconds += perf_counter() - begin
        commands += len(each.program.commands)
    return {"programs": len(kernels), "commands": commands, "seconds_s": seconds, "commands_per_second": round(commands / seconds) if seconds else 0}


def cost(accelerator: Accelerator, compiled_kernel: object) -> float:
    """What the default model says of the chosen program."""
    return CycleCosts(accelerator).cost(compiled_kernel.operations)  # type: ignore[attr-defined]


def cycles(backend: Backend, runner: Path, modules: Sequence[Module]) -> dict[str, Figures]:
    """For each kernel that compiles the cost of its program and the cycles that it takes on the runner."""
    rows, names, lines = {}, [], []
    with tempfile.TemporaryDirectory() as folder:
        for number, module in enumerate(modules):
            try:
                made = compile_module(backend, module)
            except UserError:
                continue
            place = Path(folder) / str(number)
            place.mkdir()
            (place / "P.img").write_text(program_image(backend.accelerator, made.program.commands))
            (memory,) = memory_image(made.program, dict(inputs(module, 0))["random 0"]).values()
            memory.tofile(place / "IN.bin")
            lines.append(f"{place / 'P.img'} {place / 'IN.bin'} {place / 'OUT.bin'} ")
            names.append(module.name)
            rows[module.name] = {"commands": len(made.program.commands), "cost": cost(backend.accelerator, made)}
        listing = Path(folder) / "list"
        listing.write_text("\n".join(lines) + "\n")
        done = subprocess.run([str(runner), "--batch", str(listing)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    for name, line in zip(names, done.stdout.splitlines(), strict=True):
        rows[name]["cycles"] = json.loads(line)["cycles"]
    return rows


def ranks(values: Sequence[float]) -> list[float]:
    """1 for the least; equal values share the mean of their ranks."""
    return [sum(other < value for other in values) + (1 + sum(other == value for other in values)) / 2 for value in values]


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """The correlation of the ranks; 0 where one of them does not vary."""
    a, b = ranks(one), ranks(other)
    means = sum(a) / len(a), sum(b) / len(b)
    products = sum((x - means[0]) * (y - means[1]) for x, y in zip(a, b, strict=True))
    squares = [sum((x - mean) ** 2 for x in values) for values, mean in ((a, means[0]), (b, means[1]))]
    return products / (squares[0] * squares[1]) ** 0.5 if min(squares) else 0.0


COMPOSITES = ("A+B+C", "A+B+C+D", "A*B+C+D", "A*B+A*C", "A*B*C", "A*B*C+A", "A*B*C+D", "A*B*C*A", "A*B*C*D")
"""Compositions of two and three products and sums, of 16x16 matrices (paper, Fig. 21)."""


def composite(expression: str, saturating: bool) -> tuple[str, int]:
    """The kernel of an expression, and how many tiles are moved when each operator is a call of its own that loads and stores.

    Wrapping: all values are bytes.  Saturating: each result is limited before it is a byte again."""
    lines = [f"{name} = s8[16,16] parameter({number})" for number, name in enumerate(sorted(set(re.findall("[A-Z]", expression))))]
    terms, moved = [], 0
    if saturating:
        lines += ["low = s32[] constant(-128)", "high = s32[] constant(127)"]

    def emit(opcode: str, left: str, right: str, attributes: str = "") -> str:
        name = f"v{len(lines)}"
        if not saturating:
            lines.append(f"{name} = s8[16,16] {opcode}({left}, {right}){attributes}")
            return name
        if opcode == "add":
            lines.extend(f"{name}{side} = s32[16,16] convert({operand})" for side, operand in (("l", left), ("r", right)))
            left, right = f"{name}l", f"{name}r"
        lines.extend([f"{name}w = s32[16,16] {opcode}({left}, {right}){attributes}", f"{name}c = s32[16,16] clamp(low, {name}w, high)"])
        lines.append(f"{name} = s8[16,16] convert({name}c)")
        return name

    for product in expression.split("+"):
        value, *factors = product.split("*")
        for factor in factors:
            value, moved = emit("dot", value, factor, ", lhs_contracting_dims={1}, rhs_contracting_dims={0}"), moved + 3
        terms.append(value)
    total = terms[0]
    for each in terms[1:]:
        total, moved = emit("add", total, each), moved + 3
    lines[-1] = f"ROOT {lines[-1]}"
    return "ENTRY main {\n" + "\n".join(f"  {line}" for line in lines) + "\n}\n", moved


def movement(backend: Backend) -> dict[str, Figures]:
    """For each composite, wrapping or saturating, whichever needs less: the commands that move data to and from host memory, beside what
    separate calls would move."""
    rows: dict[str, Figures] = {}
    for expression in COMPOSITES:
        for saturating in (False, True):
            text, separate = composite(expression, saturating)
            try:
                program = compile_module(backend, parse_module(text, expression)).program
            except UserError:
                continue
            loads, stores = moves(backend.accelerator, program)
            row: Figures = {"saturating": int(saturating), "commands": len(program.commands), "loads": loads, "stores": stores}
            row |= {"moved": loads + stores, "moved by separate calls": separate}
            rows[expression] = min(rows.get(expression, row), row, key=lambda each: each["moved"])
    return rows


def moves(accelerator: Accelerator, program: Program) -> tuple[int, int]:
    """Commands that read host memory, and that write it."""
    host = {name for name, buffer in accelerator.buffers.items() if buffer.hbm}
    known = dict(accelerator.instructions) | {name: each.operation for name, each in accelerator.composites.items()}
    operations = [known[command.instruction] for command in program.commands if command.instruction in known]
    loads = sum(any(read.slice.buffer in host for read in each.reads) for each in operations)
    return loads, sum(any(write.slice.buffer in host for write in each.writes) for each in operations)
