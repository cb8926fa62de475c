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


def ports(netlist: Netlist, boxed: bool) -> tuple[dict[str, int], dict[str, int]]:
    """Inputs but the clock, and outputs, with their widths; `boxed`: those of instances too, which are stubs."""
    inputs = {n: w for n, w in netlist.inputs.items() if n != netlist.clock and (boxed or "." not in n)}
    return inputs, {n: node.width for n, node in netlist.outputs.items() if boxed or "." not in n}


def bench(netlist: Netlist, parameters: Mapping[str, int | str], rising: bool, folder: Path, boxed: bool = False) -> str:
    """Commands are single letters: I inputs (answered by the outputs), T tick, L load registers, D show them, M load memories, W write them."""
    every = [{**each} for each in ports(netlist, boxed)]
    inputs, outputs = ({n: w for n, w in each.items() if "." not in n} for each in every)
    connected = ", ".join(f".{n}({n})" for n in [*inputs, *outputs, *([netlist.clock] if netlist.clock else [])])
    values = f"#({', '.join(f'.{n}({v})' for n, v in parameters.items())}) " if parameters else ""
    widths = [sum(every[0].values()), *(sum(netlist.registers[n].width for n in c) for c in chunks(list(netlist.registers)))]
    declared = [*(f"reg [{w - 1}:0] {n};" for n, w in inputs.items()), *(f"wire [{w - 1}:0] {n};" for n, w in outputs.items())]
    lines = ["`timescale 1ns/1ns", "module bench;", *declared, *([f"reg {netlist.clock};"] if netlist.clock else [])]
    lines += [f"{netlist.top} {values}dut({connected});", f"reg [{max(1, *widths) - 1}:0] line; integer command, got;"]
    lines += ["initial begin", *([f"{netlist.clock} = {int(not rising)};"] if netlist.clock else []), f"command = $fgetc({STDIN});"]
    lines += ['while (command != "Q" && command != -1) begin', "case (command)", *_exchange(*(list(map(_place, each.items())) for each in every))]
    lines += [_tick(netlist.clock, rising), *_registers(list(netlist.registers)), *_memories(list(netlist.memories), folder), "endcase"]
    return "\n".join([*lines, f"command = $fgetc({STDIN});", "end", "$finish;", "end", "endmodule", ""])


def _place(port: tuple[str, int]) -> str:
    """A port as the bench names it: that of an instance in the stub."""
    name, width = port
    return f"dut.{name}[{width - 1}:0]" if "." in name else name


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
