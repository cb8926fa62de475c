"""Names in which the name of a channel and those of its signals run together -> the two apart.

| spelled | taken as |
|---|---|
| `ivld`, `irdy`, `icode`; `cmdvalid`, `cmdready`, `cmdop` | `i_vld`, `i_rdy`, `i_code`; `cmd_valid`, `cmd_ready`, `cmd_op` |
| `areq`, `aack` and `aadr`, `awr` | `a_req`, `a_ack` and `a_adr`, `a_wr` |
| `s_axis_tvalid`, `s_axis_tready`, `s_axis_tdata` | `s_axis_valid`, `s_axis_ready`, `s_axis_data` |
| `mem_rvalid`, `mem_rdata`, that no ready goes with | `mem_resp_valid`, `mem_resp_data` |
| `m_axi_arvalid`, `m_axi_rdata`, `m_axi_awaddr`, … of a master (or `m_axi_ar_valid`, …) | `m_axi_rd_req_valid`, `m_axi_rd_resp_data`, `m_axi_wr_req_addr`, … |
| `a_ce0`, `a_address0`, `a_we0`, `a_d0`, of a memory | `a_req_valid`, `a_req_addr`, `a_req_write`, `a_req_data` |
| `a_q0`, what it answers in the next cycle | `a_resp_bits_data` |

A channel is taken for one where something says that it is there (`valid`, `vld`, `req`), and beside it something of the same beginning is refused
(`ready`, `rdy`, `gnt`, `ack`, of the other direction) or carried (`data`, `addr`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

OFFERED = re.compile(r"(?P<stem>(?:.*_)?)(?P<channel>[a-z0-9]+)(?P<signal>valid|vld|req)")
REFUSED = {"valid": ("ready",), "vld": ("rdy",), "req": ("gnt", "grant", "ack")}
CARRIED = ("data", "dat", "addr", "adr")
WHOLE = frozenset("valid vld ready rdy req gnt grant ack data addr write busy done start".split())  # words with which no channel's name has run together
APART = re.compile(r"a?(?:clk|clock|rst|reset)(?:_?[nbl])?")
OF_ONE_LETTER = frozenset("valid ready data last resp strb id user vld rdy dat err be".split())  # what goes with r, w and b, which begin other words too
# The five channels of AXI (AMBA AXI protocol specification, A1.3).
AXI = {"ar": "rd_req", "r": "rd_resp", "aw": "wr_req", "w": "wr_data", "b": "wr_resp"}
SIGNAL = re.compile(r"(?P<stem>(?:.*_)?)(?P<channel>ar|aw|r|w|b)_(?P<signal>.+)")


# The ports of a memory as high-level synthesis calls them, by what they are taken as and their side.
MEMORY = {
    "ce": ("req_valid", "out"), "address": ("req_addr", "out"), "we": ("req_write", "out"), "d": ("req_data", "out"), "q": ("resp_bits_data", "in"),
}  # fmt: skip
OF_MEMORY = re.compile(r"(?P<stem>.+)_(?P<signal>ce|address|we|d|q)(?P<port>\d)")


def apart(names: Mapping[str, str], sides: Mapping[str, str]) -> dict[str, str]:
    """The names of ports (by the ports' own), where they are run together with an underscore; `sides`: "in" or "out" of each port."""
    known = {name: sides[port] for port, name in names.items()}
    found = dict(_channels(known))
    cut = {port: _of_memory(name, known) or _cut(name, known[name], found) for port, name in names.items()}
    return _of_masters(cut, sides)


def _channels(known: Mapping[str, str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """What the names of each channel's ports begin with; the side of its payload, and what they begin with instead."""
    for name, side in known.items():
        match = OFFERED.fullmatch(name)
        if match is None:
            continue
        stem, channel = match["stem"], match["channel"]
        refused = any(known.get(stem + channel + r, side) != side for r in REFUSED[match["signal"]])
        carried = any(known.get(stem + channel + c) == side for c in CARRIED)
        if refused or (carried and match["signal"] != "req"):
            yield stem + channel, (side, stem + _called(channel, bool(stem), refused))


def _called(channel: str, of_bundle: bool, refused: bool) -> str:
    """What the names of a channel's ports begin with, after those of its bundle: `t` is that of streams, `r` what comes back."""
    if channel == "t" and of_bundle:
        return ""
    return "resp_" if channel == "r" and not refused else f"{channel}_"


def _cut(name: str, side: str, found: Mapping[str, tuple[str, str]]) -> str:
    """The name with the longest beginning of a channel cut off: payload goes with it, what refuses it against it."""
    if name.rpartition("_")[2] in WHOLE or APART.fullmatch(name):
        return name
    for begin in sorted((b for b in found if name.startswith(b)), key=len, reverse=True):
        rest = name.removeprefix(begin)
        refuses = any(rest in r for r in REFUSED.values())
        named = rest in OF_ONE_LETTER if re.fullmatch(r"(?:.*_)?[rwb]", begin) else bool(rest) and "_" not in rest
        if named and (side == found[begin][0]) != refuses:
            return found[begin][1] + rest
    return name


def _of_memory(name: str, known: Mapping[str, str]) -> str | None:
    """What a port of a memory is taken as; None where it is none."""
    match = OF_MEMORY.fullmatch(name)
    if match is None or any(known.get(f"{match['stem']}_{s}{match['port']}") != "out" for s in ("ce", "address")):
        return None
    called, side = MEMORY[match["signal"]]
    stem = match["stem"] if match["port"] == "0" else f"{match['stem']}_{match['port']}"
    return f"{stem}_{called}" if known[name] == side else None


def _of_masters(names: dict[str, str], sides: Mapping[str, str]) -> dict[str, str]:
    """The channels of AXI masters, called by what they are for."""
    outputs = {name for port, name in names.items() if sides[port] == "out"}
    stems = {m["stem"] for name in outputs if (m := SIGNAL.fullmatch(name)) and m["channel"] in ("ar", "aw") and m["signal"] == "valid"}

    def called(name: str) -> str:
        match = SIGNAL.fullmatch(name)
        return f"{match['stem']}{AXI[match['channel']]}_{match['signal']}" if match and match["stem"] in stems else name

    return {port: called(name) for port, name in names.items()}
