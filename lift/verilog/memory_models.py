"""Memories that a generator leaves as black boxes to Verilog text, by the names of their ports.

The convention is that of firtool: read ports `R0_addr, R0_en, R0_clk, R0_data`, write ports `W0_addr, W0_en, W0_clk, W0_data, W0_mask`, and
ports that do either, `RW0_addr, RW0_en, RW0_clk, RW0_wmode, RW0_wdata, RW0_rdata, RW0_wmask`.  Reads take one clock cycle.  What a read
gives that meets a write, or after a cycle without one, is undefined there; here it is the old word, and the last one that was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_PORT = re.compile(r"(R|W|RW)(\d+)_(addr|en|clk|data|mask|wmode|wdata|rdata|wmask)")
_OUTPUTS = {"R": "data", "RW": "rdata"}
_WRITTEN = {"W": ("data", "mask"), "RW": ("wdata", "wmask")}


def memory_model(name: str, ports: Mapping[str, int]) -> str | None:
    """The module `name` with `ports` (name -> width), None if they are not those of a memory."""
    found = [_PORT.fullmatch(port) for port in ports]
    if not ports or any(match is None for match in found):
        return None
    groups: dict[tuple[str, str], dict[str, int]] = {}
    for match in found:
        assert match is not None
        groups.setdefault((match[1], match[2]), {})[match[3]] = ports[match[0]]
    if any(not {"addr", "clk", *_data(kind)} <= set(group) for (kind, _), group in groups.items()):
        return None
    width, depth = (next(group[n] for (kind, _), group in groups.items() for n in wanted(kind)) for wanted in (_data, lambda _: ["addr"]))
    lines = [f"module {name}({', '.join(ports)});", f"  reg [{width - 1}:0] memory [0:{(1 << depth) - 1}];"]
    for (kind, number), group in groups.items():
        lines += _port(kind + number, kind, group, width)
    return "\n".join([*lines, "endmodule", ""])


def _data(kind: str) -> list[str]:
    return [*([_OUTPUTS[kind]] if kind in _OUTPUTS else []), *([_WRITTEN[kind][0]] if kind in _WRITTEN else [])]


def _port(prefix: str, kind: str, group: Mapping[str, int], width: int) -> Iterator[str]:
    for signal, bits in group.items():
        output = signal == _OUTPUTS.get(kind)
        yield f"  {'output reg' if output else 'input'} [{bits - 1}:0] {prefix}_{signal};"
    yield f"  always @(posedge {prefix}_clk)"
    yield f"    if ({prefix}_en)" if "en" in group else "    begin"
    read = f"{prefix}_{_OUTPUTS.get(kind, '')} <= memory[{prefix}_addr];"
    match kind:
        case "R":
            yield f"      {read}"
        case "W":
            yield from _write(prefix, kind, group, width)
        case _:
            yield f"      if ({prefix}_wmode) begin"
            yield from _write(prefix, kind, group, width)
            yield f"      end else {read}"
    if "en" not in group:
        yield "    end"


def _write(prefix: str, kind: str, group: Mapping[str, int], width: int) -> Iterator[str]:
    data, mask = _WRITTEN[kind]
    lanes = group.get(mask)
    if lanes is None:
        yield f"      memory[{prefix}_addr] <= {prefix}_{data};"
        return
    size = width // lanes
    yield "      begin"
    for lane in range(lanes):
        part = f"[{lane * size + size - 1}:{lane * size}]"
        yield f"        if ({prefix}_{mask}[{lane}]) memory[{prefix}_addr]{part} <= {prefix}_{data}{part};"
    yield "      end"
