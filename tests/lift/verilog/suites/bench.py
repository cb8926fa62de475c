"""A netlist and its sources to what a Verilog simulator makes of them, value by value.

The test bench sets every register and small memory to a random value, applies random inputs, and prints each observed name in each
cycle before the clock edge, and the registers after it.  From the simulator's state before the edge the netlist must come to its state
after it: asynchronous resets, which the netlist takes at the edge, then make no difference.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lift.netlist.model import Netlist
from lift.netlist.simulate import Simulator

TIMEOUT = 60
CYCLES = 40
WORDS = 256  # larger memories keep their contents unknown
_MARK = "row__"
_PLAIN = re.compile(r"[A-Za-z_][\w$]*(?:\[\d+\](?!$))*(?:\.[A-Za-z_][\w$]*(?:\[\d+\](?!$))*)*(?:\[\d+(?::\d+)?\])?")
_EDGE = re.compile(r"\b(posedge|negedge)\s*\(?\s*(\w+)")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is applied and observed.  `resets` maps asynchronous resets to the value at which they act."""

    netlist: Netlist
    rows: list[dict[str, int]]
    observed: dict[str, int]  # name -> width
    registers: dict[str, int]  # name -> first value
    memories: dict[str, list[int]]
    resets: dict[str, int]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`wrong` are differences as text, `compared` the number of bits that were known to both sides."""

    wrong: list[str]
    compared: int


def plan(netlist: Netlist, text: str, seed: int = 1, inner: bool = True) -> Plan:
    """Random inputs and first state; `inner` observes all names and not only the outputs."""
    draw = random.Random(seed)
    resets = {n: int(edge == "posedge") for edge, n in _EDGE.findall(text) if n in netlist.inputs and n != netlist.clock}
    if netlist.reset and netlist.reset not in resets:
        resets[netlist.reset] = int(not netlist.reset.rstrip("i_").endswith("n"))
    inputs = {n: w for n, w in netlist.inputs.items() if n != netlist.clock}
    rows = [{n: _draw(draw, n, w, resets) for n, w in inputs.items()} for _ in range(CYCLES if inputs or netlist.clock else 1)]
    observed = {n: node.width for n, node in netlist.outputs.items()}
    if not inner:
        return Plan(netlist, rows, observed, {}, {}, resets)
    observed |= {n: node.width for n, node in netlist.wires.items() if _PLAIN.fullmatch(n) and n != netlist.clock}
    registers = {n: draw.getrandbits(r.width) for n, r in netlist.registers.items() if _PLAIN.fullmatch(n)}
    small = {n: m for n, m in netlist.memories.items() if m.depth <= WORDS and not _based(netlist, n)}
    memories = {n: [draw.getrandbits(m.width) for _ in range(m.depth)] for n, m in small.items()}
    return Plan(netlist, rows, observed, registers, memories, resets)


def _based(netlist: Netlist, memory: str) -> bool:
    """Whether the words of an array of this name may be counted from elsewhere than 0 in the source."""
    modules = netlist.design.modules.values() if netlist.design else ()
    variables = [v for m in modules if (v := m.variables.get(memory.rpartition(".")[2])) is not None]
    return not variables or any(v.base for v in variables)


def _draw(draw: random.Random, name: str, width: int, resets: dict[str, int]) -> int:
    if name in resets:
        return resets[name] ^ (draw.random() > 0.08)
    corners = [0, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1, 1]
    return draw.choice(corners) if draw.random() < 0.25 else draw.getrandbits(width)


def run_old_icarus(p: Plan, sources: list[Path], folder: Path) -> list[list[str]]:
    """The same with the keywords of Verilog-2005."""
    return run_icarus(p, sources, folder, "2005")


def run_icarus(p: Plan, sources: list[Path], folder: Path, standard: str = "2012") -> list[list[str]]:
    """The binary digits of the observed names, a list a cycle.  Raises `subprocess.SubprocessError` when Icarus refuses the sources."""
    bench, binary = folder / "bench.v", folder / "bench.vvp"
    old = any("begin_keywords" in source.read_text(errors="replace") for source in sources)
    text = _bench(p, folder)
    text = f"`undef __ICARUS__\n{text}"  # which yosys and Verilator do not define either
    bench.write_text(f'`begin_keywords "1364-2005"\n{text}\n`end_keywords\n' if old else text)
    command = ["iverilog", f"-g{standard}", "-DSYNTHESIS", "-s", "suite_bench", "-o", str(binary), str(bench), *map(str, sources)]
    binary.unlink(missing_ok=True)
    done = subprocess.run(command, check=True, timeout=TIMEOUT, capture_output=True)
    if not binary.exists():  # Icarus may end well all the same
        raise subprocess.CalledProcessError(0, command, done.stdout, done.stderr)
    return _printed(["vvp", "-n", str(binary)], folder)


def run_verilator(p: Plan, sources: list[Path], folder: Path) -> list[list[str]]:
    """The same by Verilator, in which what is undefined is 0."""
    bench = folder / "bench.sv"
    bench.write_text(_bench(p, folder))
    options = ["--binary", "--timing", "-O0", "-CFLAGS", "-O0", "-Wno-fatal", "-Wno-lint", "--x-assign", "0", "--x-initial", "0"]
    command = [
        "verilator",
        *options,
        "-DSYNTHESIS",
        "--top-module",
        "suite_bench",
        "--Mdir",
        str(folder / "obj"),
        "-o",
        "simulation",
        str(bench),
        *map(str, sources),
    ]
    subprocess.run(command, check=True, timeout=4 * TIMEOUT, capture_output=True)
    return _printed([str(folder / "obj" / "simulation")], folder)


def run_yosys(p: Plan, sources: list[Path], folder: Path) -> list[list[str]]:
    """The same by Icarus on what yosys makes of the sources."""
    out = folder / "yosys.v"
    steps = f"read_verilog -sv -DSYNTHESIS {' '.join(map(str, sources))}; hierarchy -top {p.netlist.top}; proc; write_verilog -noattr {out}"
    subprocess.run(["yosys", "-q", "-p", steps], check=True, timeout=TIMEOUT, capture_output=True)
    return run_icarus(p, [out], folder)


def _printed(command: list[str], folder: Path) -> list[list[str]]:
    done = subprocess.run(command, check=True, timeout=TIMEOUT, capture_output=True, text=True, cwd=folder)
    return [line.split()[1:] for line in done.stdout.splitlines() if line.startswith(_MARK)]


def _bench(p: Plan, folder: Path) -> str:
    inputs = [(n, w) for n, w in p.netlist.inputs.items() if n != p.netlist.clock]
    data = folder / "rows.bits"
    data.write_text("\n".join("".join(f"{row[n]:0{w}b}" for n, w in inputs) for row in p.rows) + "\n")
    return "\n".join(
        [
            "`timescale 1ns/1ns",
            "module suite_bench;",
            *([f"reg [{sum(w for _, w in inputs) - 1}:0] rows__ [0:{len(p.rows) - 1}];"] if inputs else []),
            *(f"reg [{w - 1}:0] {n};" for n, w in p.netlist.inputs.items()),
            *(f"wire [{node.width - 1}:0] {n};" for n, node in p.netlist.outputs.items()),
            f"{p.netlist.top} dut__({', '.join(f'.{n}({n})' for n in [*p.netlist.inputs, *p.netlist.outputs])});",
            "integer cycle__;",
            "initial begin",
            *_body(p, inputs, data),
            "$finish; end endmodule",
        ]
    )


def _body(p: Plan, inputs: list[tuple[str, int]], data: Path) -> Iterator[str]:
    if inputs:
        yield f'$readmemb("{data}", rows__);'
    if p.netlist.clock:
        yield f"{p.netlist.clock} = 0;"
    if inputs:
        yield f"{{{', '.join(n for n, _ in inputs)}}} = rows__[0];"
    yield "#4;"
    yield from (f"dut__.{n} = {p.netlist.registers[n].width}'d{v};" for n, v in p.registers.items())
    for n, words in p.memories.items():
        memory = p.netlist.memories[n]
        yield from (f"dut__.{n}[{k}] = {memory.width}'d{v};" for k, v in enumerate(words))
    names = [n if n in p.netlist.outputs else f"dut__.{n}" for n in p.observed]
    states = [f"dut__.{n}" for n in p.registers]
    yield f"for (cycle__ = 0; cycle__ < {len(p.rows)}; cycle__ = cycle__ + 1) begin"
    if inputs:
        yield f"{{{', '.join(n for n, _ in inputs)}}} = rows__[cycle__];"
    yield f'#4; $display("{_MARK}{" %b" * len(names + states)}"{"".join(f", {n}" for n in names + states)});'
    if p.netlist.clock:
        yield f"{p.netlist.clock} = 1; #4 {p.netlist.clock} = 0; #4;"
        yield f'$display("{_MARK}{" %b" * len(states)}"{"".join(f", {n}" for n in states)});'
    yield "end"


def compare(p: Plan, printed: list[list[str]]) -> Comparison:
    """Where the netlist disagrees with a bit that the simulator gives as 0 or 1."""
    found = _Comparer(p)
    step = 2 if p.netlist.clock else 1
    if len(printed) != step * len(p.rows):
        return Comparison([], 0)  # the design stopped the simulation
    for cycle, row in enumerate(p.rows):
        before = printed[step * cycle]
        found.before_edge(cycle, row, before[: len(p.observed)], before[len(p.observed) :])
        found.simulator.step(row)
        if step == 2:
            found.check(cycle, row, dict(zip(p.registers, printed[2 * cycle + 1], strict=True)), found.simulator.registers)
    return Comparison(found.wrong, found.compared)


class _Comparer:
    def __init__(self, p: Plan) -> None:
        self.plan, self.simulator = p, Simulator(p.netlist)
        self.simulator.registers |= p.registers
        self.simulator.memories |= {n: list(words) for n, words in p.memories.items()}
        self.wrong: list[str] = []
        self.compared = 0

    def before_edge(self, cycle: int, row: dict[str, int], values: list[str], states: list[str]) -> None:
        """Take over the state, then compare what depends on it.  Outputs of a design whose registers are hidden are compared outside
        of reset only."""
        p, simulator = self.plan, self.simulator
        simulator.registers |= {n: int(d, 2) for n, d in zip(p.registers, states, strict=True) if set(d) <= {"0", "1"}}
        if not p.registers and p.netlist.registers and any(row[n] == value for n, value in p.resets.items()):
            return
        outputs = simulator.outputs(row)
        mine = {n: outputs[n] if n in outputs else simulator.value(p.netlist.wires[n], row) for n in p.observed}
        self.check(cycle, row, dict(zip(p.observed, values, strict=True)), mine)

    def check(self, cycle: int, row: dict[str, int], seen: dict[str, str], mine: Mapping[str, int]) -> None:
        """Count the bits that both know."""
        for name, text in seen.items():
            got = f"{mine[name]:0{len(text)}b}"
            self.compared += sum(d in "01" for d in text)
            if any(d in "01" and d != g for d, g in zip(text, got, strict=True)):
                self.wrong.append(f"cycle {cycle}: {name} is {got}, the simulator has {text} for {row}")
