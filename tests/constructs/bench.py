"""Cases to one Verilog module that holds them all, so that each tool compiles once; its input and output bits to cases and back.

The bench has a clock, one vector with the inputs of all cases and one with their outputs, the first case highest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lift.netlist.model import Netlist

Row = Mapping[str, int]  # input -> value
Digits = Mapping[str, str]  # output -> its digits (0, 1, x, z), the highest first
Trace = Sequence[Digits]  # one entry a clock cycle, sampled before the edge


@dataclass(frozen=True, slots=True)
class Case:
    """One module: its ports and clock (those of `netlist`) and the inputs of each cycle."""

    name: str
    netlist: Netlist
    rows: Sequence[Row]

    @property
    def inputs(self) -> dict[str, int]:
        """Widths of the inputs without the clock."""
        return {name: width for name, width in self.netlist.inputs.items() if name != self.netlist.clock}

    @property
    def outputs(self) -> dict[str, int]:
        """Widths of the outputs."""
        return {name: node.width for name, node in self.netlist.outputs.items()}


def widths(cases: Sequence[Case]) -> tuple[int, int]:
    """The numbers of input and output bits of the bench."""
    return sum(sum(c.inputs.values()) for c in cases), sum(sum(c.outputs.values()) for c in cases)


def text(cases: Sequence[Case]) -> str:
    """The module `bench(clock, in, out)`."""
    inputs, outputs = widths(cases)
    lines = [f"module bench(input clock, input [{inputs - 1}:0] in, output [{outputs - 1}:0] out);"]
    for case in cases:
        ports = [f".{case.netlist.clock}(clock)"] if case.netlist.clock else []
        for vector, names in (("in", case.inputs), ("out", case.outputs)):
            for name, width in names.items():
                top = inputs if vector == "in" else outputs
                ports.append(f".{name}({vector}[{top - 1}:{top - width}])")
                inputs, outputs = (top - width, outputs) if vector == "in" else (inputs, top - width)
        lines.append(f"  {case.name} dut_{case.name}({', '.join(ports)});")
    return "\n".join([*lines, "endmodule", ""])


def packed(cases: Sequence[Case]) -> list[str]:
    """The digits of the bench's input in each cycle."""
    return ["".join(_row(case, case.rows[cycle]) for case in cases) for cycle in range(len(cases[0].rows))]


def unpacked(cases: Sequence[Case], lines: Sequence[str]) -> dict[str, Trace]:
    """The digits of the bench's output in each cycle as the trace of each case."""
    traces: dict[str, list[Digits]] = {case.name: [] for case in cases}
    for line in lines:
        at = 0
        for case in cases:
            width = sum(case.outputs.values())
            traces[case.name].append(dict(_split(case, line[at : at + width])))
            at += width
    return dict(traces)


def _row(case: Case, row: Row) -> str:
    return "".join(f"{row[name]:0{width}b}" for name, width in case.inputs.items())


def _split(case: Case, digits: str) -> Iterator[tuple[str, str]]:
    at = 0
    for name, width in case.outputs.items():
        yield name, digits[at : at + width]
        at += width
