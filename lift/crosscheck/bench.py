"""A netlist's ports and state to the Verilog test bench that `icarus` drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lift.netlist.model import Netlist

CHUNK = 32  # registers in one line
STDIN = "32'h8000_0000"
MARK = "@"  # before every answer: messages of the design's own are none


def chunks(names: Sequence[str]) -> list[tuple[str, ...]]:
    """The registers of each line in which state is exchanged."""
    return [tuple(names[k : k + CHUNK]) for k in range(0, len(names), CHUNK)]


def memory_file(folder: Path, number: int) -> Path:
    return folder / f"memory{number}.hex"


def bench(netlist: Netlist, parameters: Mapping[str, int | str], rising: bool, folder: Path) -> str:
    """Commands are single letters: I inputs (answered by the outputs), T tick, L load registers, D show them, M load memories, W write them."""
    inputs = {n: w for n, w in netlist.inputs.items() if n != netlist.clock and "." not in n}
    outputs = {n: node.width for n, node in netlist.outputs.items() if "." not in n}
    ports = ", ".join(f".{n}({n})" for n in [*inputs, *outputs, *([netlist.clock] if netlist.clock else [])])
    values = f"#({', '.join(f'.{n}({v})' for n, v in parameters.items())}) " if parameters else ""
    widths = [sum(inputs.values()), *(sum(netlist.registers[n].width for n in c) for c in chunks(list(netlist.registers)))]
    declared = [*(f"reg [{w - 1}:0] {n};" for n, w in inputs.items()), *(f"wire [{w - 1}:0] {n};" for n, w in outputs.items())]
    lines = ["`timescale 1ns/1ns", "module bench;", *declared, *([f"reg {netlist.clock};"] if netlist.clock else [])]
    lines += [f"{netlist.top} {values}dut({ports});", f"reg [{max(1, *widths) - 1}:0] line; integer command, got;"]
    lines += ["initial begin", *([f"{netlist.clock} = {int(not rising)};"] if netlist.clock else []), f"command = $fgetc({STDIN});"]
    lines += ['while (command != "Q" && command != -1) begin', "case (command)", *_exchange(list(inputs), list(outputs))]
    lines += [_tick(netlist.clock, rising), *_registers(list(netlist.registers)), *_memories(list(netlist.memories), folder), "endcase"]
    return "\n".join([*lines, f"command = $fgetc({STDIN});", "end", "$finish;", "end", "endmodule", ""])


def _take(names: Sequence[str]) -> str:
    """Read a line into the concatenation of `names`."""
    return f'got = $fscanf({STDIN}, "%h", line); {{{", ".join(names)}}} = line;'


def _show(names: Sequence[str]) -> str:
    return f'$display("{MARK}%b", {{{", ".join(names)}}});' if names else f'$display("{MARK}");'


def _exchange(inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
    taken = _take(inputs) if inputs else f'got = $fscanf({STDIN}, "%h", line);'
    return [f'"I": begin {taken} #1; {_show(outputs)} $fflush(32\'d1); end']


def _tick(clock: str | None, rising: bool) -> str:
    return f'"T": begin #1 {clock} = {int(rising)}; #1 {clock} = {int(not rising)}; #1; end' if clock else '"T": #1;'


def _registers(names: Sequence[str]) -> list[str]:
    groups = [[f"dut.{n}" for n in group] for group in chunks(names)]
    load, show = " ".join(map(_take, groups)), " ".join(map(_show, groups))
    return [f'"L": begin {load} #1; end', f'"D": begin {show} $fflush(32\'d1); end']


def _memories(names: Sequence[str], folder: Path) -> list[str]:
    files = [(memory_file(folder, k), f"dut.{name}") for k, name in enumerate(names)]
    load = " ".join(f'$readmemh("{file}", {name});' for file, name in files)
    write = " ".join(f'$writememh("{file}", {name});' for file, name in files)
    return [f'"M": begin {load} #1; end', f'"W": begin {write} $display("{MARK}"); $fflush(32\'d1); end']
