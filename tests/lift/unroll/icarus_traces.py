"""Random states and inputs of a module without memories to what Icarus Verilog makes of them, as traces."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from lift.netlist.model import Netlist
from tests.lift.unroll.traces import Trace, Values, draw, random_inputs


def recorded(netlist: Netlist, sources: Sequence[Path], folder: Path, rng: random.Random, runs: int, cycles: int) -> list[Trace]:
    """Registers are set by name, so that every run begins in a random state."""
    assert not netlist.memories
    states = [{r.name: draw(rng, r.width) for r in netlist.registers.values()} for _ in range(runs)]
    rows = [[random_inputs(netlist, rng) for _ in range(cycles)] for _ in range(runs)]
    bench, binary = folder / "bench.sv", folder / "bench.vvp"
    _write(folder / "states.bits", (_digits(state, _registers(netlist)) for state in states))
    _write(folder / "rows.bits", (_digits(row, _inputs(netlist)) for run in rows for row in run))
    bench.write_text(_bench(netlist, folder, runs, cycles))
    subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", str(binary), str(bench), *map(str, sources)], check=True, timeout=120)
    done = subprocess.run(["vvp", "-n", str(binary)], check=True, timeout=120, capture_output=True, text=True)
    # The design has something to say too: its assertions hold in no random state.
    words = iter([word for line in done.stdout.splitlines() if line.startswith("@") for word in line.split()[1:]])
    return [_trace(netlist, run, words) for run in rows]


def _registers(netlist: Netlist) -> dict[str, int]:
    return {r.name: r.width for r in netlist.registers.values()}


def _inputs(netlist: Netlist) -> dict[str, int]:
    return {n: w for n, w in netlist.inputs.items() if n != netlist.clock}


def _outputs(netlist: Netlist) -> dict[str, int]:
    return {n: node.width for n, node in netlist.outputs.items()}


def _write(file: Path, lines: Iterator[str]) -> None:
    file.write_text("\n".join(lines) + "\n")


def _digits(values: Values, widths: dict[str, int]) -> str:
    return "".join(f"{values[name]:0{width}b}" for name, width in widths.items())


def _bench(netlist: Netlist, folder: Path, runs: int, cycles: int) -> str:
    inputs, outputs, registers = _inputs(netlist), _outputs(netlist), _registers(netlist)
    state = f"{{{', '.join(f'dut.{n}' for n in registers)}}}"
    clock = netlist.clock or "clock"
    return "\n".join(
        [
            "module bench; integer run, cycle;",
            f"reg [{sum(registers.values()) - 1}:0] states [0:{runs - 1}]; reg [{sum(inputs.values()) - 1}:0] rows [0:{runs * cycles - 1}];",
            *(f"reg [{w - 1}:0] {n};" for n, w in {**inputs, clock: 1}.items()),
            *(f"wire [{w - 1}:0] {n};" for n, w in outputs.items()),
            f"{netlist.top} dut({', '.join(f'.{n}({n})' for n in [*netlist.inputs, *outputs])});",
            f'initial begin $readmemb("{folder / "states.bits"}", states); $readmemb("{folder / "rows.bits"}", rows); {clock} = 0; #2;',
            f"for (run = 0; run < {runs}; run = run + 1) begin {state} = states[run];",
            f"for (cycle = 0; cycle < {cycles}; cycle = cycle + 1) begin {{{', '.join(inputs)}}} = rows[run * {cycles} + cycle]; #2;",
            f'$display("@ %b %b", {state}, {{{", ".join(outputs)}}}); {clock} = 1; #2 {clock} = 0; #2; end',
            f'$display("@ %b", {state}); end $finish; end endmodule',
        ]
    )


def _trace(netlist: Netlist, inputs: Sequence[Values], words: Iterator[str]) -> Trace:
    trace = Trace([], [], [], [])
    for row in inputs:
        trace.inputs.append(row)
        trace.registers.append(_values(next(words), _registers(netlist)))
        trace.outputs.append(_values(next(words), _outputs(netlist)))
        trace.memories.append({})
    trace.registers.append(_values(next(words), _registers(netlist)))
    return trace


def _values(digits: str, widths: dict[str, int]) -> dict[str, int]:
    found, position = {}, 0
    for name, width in widths.items():
        found[name] = int(digits[position : position + width], 2)
        position += width
    return found
