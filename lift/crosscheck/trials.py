"""A definition with all below it: random states and inputs, one step by `lift.netlist.simulate` and one by Icarus Verilog, compared.

For what yosys does not read and what Z3 does not decide.  Only bits that Icarus knows are compared: where it has x, any value is right.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lift.crosscheck.icarus import Icarus, Known
from lift.crosscheck.verdicts import Counterexample, Row
from lift.netlist.model import Netlist
from lift.netlist.simulate import Simulator

LARGE = 1 << 20  # bits of memory above which memories change with every 16th trial only


@dataclass(slots=True)
class Trials:
    """`count` steps were compared; `wrong` has the first difference of each target."""

    count: int = 0
    wrong: dict[str, Counterexample] = field(default_factory=dict)


def run(netlist: Netlist, icarus: Icarus, seed: str, count: int) -> Trials:
    """`count` random steps; the same `seed` draws the same."""
    draw, result, simulator = random.Random(seed), Trials(), Simulator(netlist)
    for _ in range(count):
        _draw_state(simulator, netlist, draw)
        icarus.load(simulator.registers, simulator.memories)
        inputs = {n: _value(draw, w) for n, w in netlist.inputs.items() if n != netlist.clock}
        before = dict(simulator.registers)
        _compare(netlist, simulator, icarus, inputs, before, result)
        result.count += 1
    return result


def _draw_state(simulator: Simulator, netlist: Netlist, draw: random.Random) -> None:
    simulator.registers = {r.name: _value(draw, r.width) for r in netlist.registers.values()}
    simulator.memories = {m.name: [draw.getrandbits(m.width) for _ in range(m.depth)] for m in netlist.memories.values()}


def _value(draw: random.Random, width: int) -> int:
    """Any value, corner values often."""
    corners = [0, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1, 1]
    return draw.choice(corners) if draw.random() < 0.3 else draw.getrandbits(width)


def _compare(netlist: Netlist, simulator: Simulator, icarus: Icarus, inputs: Mapping[str, int], before: Mapping[str, int], result: Trials) -> None:
    words = {n: list(m) for n, m in simulator.memories.items()}
    theirs, ours = icarus.step(inputs), simulator.step(inputs)
    given = dict(inputs) | dict(before)
    for values, known in ((ours, theirs), (simulator.registers, icarus.registers())):
        for name in known.values:
            _note(netlist, name, values[name], known, given, result)
    if words:
        after = icarus.memories()
        for name, memory in simulator.memories.items():
            _note_memory(netlist, name, memory, after[name], words[name], given, result)


def _note(netlist: Netlist, name: str, ours: int, known: Known, given: Mapping[str, int], result: Trials) -> None:
    if name not in result.wrong and (ours ^ known.values[name]) & ~known.unknown[name]:
        width = netlist.outputs[name].width if name in netlist.outputs else netlist.registers[name].width
        result.wrong[name] = _shown(netlist, name, width, ours, known.values[name], given)


def _note_memory(
    netlist: Netlist, name: str, ours: Sequence[int], theirs: Sequence[int], before: Sequence[int], given: Mapping[str, int], result: Trials
) -> None:
    at = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b), None)
    if at is not None and name not in result.wrong:
        word = f"{name}[{at:#x}]"
        result.wrong[name] = _shown(netlist, word, netlist.memories[name].width, ours[at], theirs[at], {**given, word: before[at]})


def _shown(netlist: Netlist, name: str, width: int, ours: int, theirs: int, given: Mapping[str, int]) -> Counterexample:
    def row(n: str, value: int, bits: int) -> Row:
        return Row(n, value, bits, str(netlist.locations.get(n.split("[0x")[0], "")))

    rows = [row(n, v, _width(netlist, n)) for n, v in sorted(given.items())]
    return Counterexample(tuple(rows), row(name, ours, width), row(name, theirs, width), "Icarus Verilog")


def _width(netlist: Netlist, name: str) -> int:
    if name in netlist.inputs:
        return netlist.inputs[name]
    return netlist.registers[name].width if name in netlist.registers else netlist.memories[name.split("[0x")[0]].width
