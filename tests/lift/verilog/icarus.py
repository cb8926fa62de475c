"""Netlists, their sources and input vectors to the outputs that Icarus Verilog computes."""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from lift.netlist.model import Netlist
from lift.netlist.simulate import Simulator

Vector = Mapping[str, int]
RESET_CYCLES = 2


def require() -> None:
    """Skip the test where Icarus Verilog is missing."""
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog")


def vectors(netlist: Netlist, seed: int, cycles: int = 60) -> list[dict[str, int]]:
    """Random inputs in which corner values are frequent; reset is active in the first cycles and rarely later."""
    draw = random.Random(seed)
    inputs = {name: width for name, width in netlist.inputs.items() if name != netlist.clock}
    return [{name: _value(draw, netlist, name, width, cycle) for name, width in inputs.items()} for cycle in range(cycles)]


def _value(draw: random.Random, netlist: Netlist, name: str, width: int, cycle: int) -> int:
    if name == netlist.reset:
        active = cycle < RESET_CYCLES or draw.random() < 0.03
        return int(active) ^ name.endswith("_n")
    if name.endswith("addr"):
        return draw.randrange(min(4, 1 << width))  # few words, so that what is read has been written
    corners = [0, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1, 1]
    return draw.choice(corners) if draw.random() < 0.3 else draw.getrandbits(width)


def simulate(
    sources: Sequence[Path],
    runs: Mapping[str, tuple[Netlist, Sequence[Vector]]],
    folder: Path,
    parameters: Mapping[str, int] | None = None,
    standard: str = "2005-sv",
) -> dict[str, list[dict[str, str]]]:
    """For each named run the binary digits (0, 1, x, z) of every output in every cycle, before the clock edge; `parameters` are those of
    the tops."""
    bench, binary = folder / "bench.v", folder / "bench.vvp"
    texts = [_bench(name, netlist, rows, folder, parameters or {}) for name, (netlist, rows) in runs.items()]
    bench.write_text("\n".join(texts))
    tops = [option for name in runs for option in ("-s", f"bench_{name}")]
    subprocess.run(["iverilog", f"-g{standard}", "-DSYNTHESIS", *tops, "-o", str(binary), str(bench), *map(str, sources)], check=True, timeout=120)
    done = subprocess.run(["vvp", "-n", str(binary)], check=True, timeout=120, capture_output=True, text=True)
    return _parse(done.stdout, runs)


def _bench(name: str, netlist: Netlist, rows: Sequence[Vector], folder: Path, parameters: Mapping[str, int]) -> str:
    """A module that applies `rows`, one a clock cycle, and prints the outputs."""
    inputs = [(n, w) for n, w in netlist.inputs.items() if n != netlist.clock]
    width = sum(w for _, w in inputs)
    data = folder / f"{name}.bits"
    data.write_text("\n".join("".join(f"{row[n]:0{w}b}" for n, w in inputs) for row in rows) + "\n")
    outputs = {n: node.width for n, node in netlist.outputs.items()}
    ports = [f".{n}({n})" for n in [*netlist.inputs, *outputs]]
    values = f"#({', '.join(f'.{n}({v})' for n, v in parameters.items())}) " if parameters else ""
    return "\n".join(
        [
            f"module bench_{name};",
            f"reg [{width - 1}:0] rows [0:{len(rows) - 1}]; integer cycle;",
            *(f"reg [{w - 1}:0] {n};" for n, w in netlist.inputs.items()),
            *(f"wire [{w - 1}:0] {n};" for n, w in outputs.items()),
            f"{netlist.top} {values}dut({', '.join(ports)});",
            f'initial begin $readmemb("{data}", rows);',
            *([f"{netlist.clock} = 0;"] if netlist.clock else []),
            f"for (cycle = 0; cycle < {len(rows)}; cycle = cycle + 1) begin",
            f"{{{', '.join(n for n, _ in inputs)}}} = rows[cycle]; #2;",
            f'$display("{name} {" ".join("%b" for _ in outputs)}", {", ".join(outputs)});',
            *([f"{netlist.clock} = 1; #2 {netlist.clock} = 0; #2;"] if netlist.clock else []),
            "end end endmodule",
        ]
    )


def _parse(text: str, runs: Mapping[str, tuple[Netlist, Sequence[Vector]]]) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {name: [] for name in runs}
    for line in text.splitlines():
        name, *digits = line.split()
        found[name].append(dict(zip(runs[name][0].outputs, digits, strict=True)))
    return found


def differences(netlist: Netlist, rows: Sequence[Vector], expected: Sequence[Mapping[str, str]]) -> tuple[list[str], int]:
    """Where the netlist disagrees with Icarus outside reset on a bit that is 0 or 1, and how many bits were compared.

    During reset an asynchronous one acts at once in Icarus and at the clock edge in the netlist.
    """
    simulator, wrong, compared = Simulator(netlist), [], 0
    for cycle, (row, outputs) in enumerate(zip(rows, expected, strict=True)):
        got = simulator.step(row)
        if netlist.reset and row[netlist.reset] != netlist.reset.endswith("_n"):
            continue
        for name, digits in outputs.items():
            mine = f"{got[name]:0{len(digits)}b}"
            compared += sum(d in "01" for d in digits)
            if any(d in "01" and d != m for d, m in zip(digits, mine, strict=True)):
                wrong.append(f"cycle {cycle}: {name} is {mine}, Icarus has {digits} for {dict(row)}")
    return wrong, compared
