"""Names of ports as their author spells them -> as the rest of discovery knows them: `P_valid`, `P_ready` and payload `P_*`.

| spelled | taken as |
|---|---|
| `cmd_valid_i`, `cmd_ready_o`; `i_cmd_valid`, `o_cmd_ready` | `cmd_valid`, `cmd_ready` |
| `valid_in`, `ready_out`, `data_in`; `i_valid`, `o_ready`, `i_data` | `in_valid`, `in_ready`, `in_data` |
| `cmd_vld`, `cmd_rdy` | `cmd_valid`, `cmd_ready` |
| `mem_req`, `mem_gnt` (or `mem_ack`, where the data has a valid of its own) beside `mem_addr` | `mem_valid`, `mem_ready` |
| `cmd` beside `cmd_valid` | `cmd_cmd` |
| `cmd.valid`, of the interface `cmd` | `cmd_valid` |
| `CMD_VALID`; `m_axi_ARVALID` | `cmd_valid`; `m_axi_arvalid` |
| `cmdvalid`, `tvalid`, `arvalid`, … | as `lift.discover.runtogether` says |

A name that would stand for two ports is left as it is.  What was found is given its own names again (`restored`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from lift.discover.channels import ADDRESS
from lift.discover.runtogether import apart
from lift.netlist.model import Netlist

WRITE = ".write_"  # between the name of a bus of registers and what the ports of its adapter are
SHORT = {"vld": "valid", "rdy": "ready", "adr": "addr", "dat": "data"}
GRANTS = ("gnt", "grant", "ack")
SIDED = re.compile(r"(?P<before>[io]|in|out)_(?P<x>.+)|(?P<y>.+)_(?P<after>[io]|in|out)")


def spelling(inputs: Iterable[str], outputs: Iterable[str]) -> dict[str, str]:
    """The usual name of each port, by its own."""
    sides = dict.fromkeys(inputs, "in") | dict.fromkeys(outputs, "out")
    plain = _apart({n: n if WRITE in n else _lower(n.replace(".", "_")) for n in sides})
    bare = {n: _without_side(name, sides[n]) for n, name in plain.items()}
    both = {"valid", "vld"} & set(bare.values())
    names = _apart({n: _sided(b, sides[n]) if both and b != n else b for n, b in bare.items()})
    names = _apart(apart(names, sides))
    names = _apart({n: _long(name) for n, name in names.items()})
    names = _apart({n: _granted(n, names, sides) for n in names})
    heads = {name.removesuffix("_valid"): sides[n] for n, name in names.items() if name.endswith("_valid")}
    return _apart({n: f"{name}_{name}" if heads.get(name) == sides[n] else name for n, name in names.items()})


def respelled(netlist: Netlist) -> tuple[Netlist, dict[str, str]]:
    """`netlist` with the usual names in its port list (not in its expressions), and for each of them the port's own name."""
    usual = spelling(netlist.inputs, netlist.outputs)
    own = {name: port for port, name in usual.items()}
    view = replace(
        netlist,
        inputs={usual[n]: w for n, w in netlist.inputs.items()},
        outputs={usual[n]: o for n, o in netlist.outputs.items()},
        clock=usual.get(netlist.clock or "", netlist.clock),
        reset=usual.get(netlist.reset or "", netlist.reset),
    )  # fmt: skip
    return view, own


def restored(found: Any, own: Mapping[str, str]) -> Any:
    """What was found (ports, channels, tuples and tables of them) with other names for the ports: every text that is one, but for `name`s and keys."""
    match found:
        case str():
            return own.get(found, found)
        case tuple():
            return tuple(restored(each, own) for each in found)
        case dict():
            return {key: restored(value, own) for key, value in found.items()}
        case bool() | int() | None:
            return found
    return replace(found, **{f.name: restored(getattr(found, f.name), own) for f in fields(found) if f.name != "name"})


def _lower(name: str) -> str:
    """A name in capitals, or that ends in a word in capitals, without them."""
    stem, cut, last = name.rpartition("_")
    if name.isupper():
        return name.lower()
    return stem + cut + last.lower() if last.isupper() and len(last) > 1 else name


def _without_side(name: str, side: str) -> str:
    """The name without a mark of the port's own direction."""
    match = SIDED.fullmatch(name)
    if match is None:
        return name
    mark = match["before"] or match["after"]
    return (match["x"] or match["y"]) if side.startswith(mark) or mark == side else name


def _sided(bare: str, side: str) -> str:
    """The direction that the data takes in front: what refuses data goes against it."""
    against = {"in": "out", "out": "in"}
    return f"{against[side] if bare in ('ready', 'rdy') else side}_{bare}"


def _long(name: str) -> str:
    stem, cut, last = name.rpartition("_")
    return stem + cut + SHORT.get(last, last)


def _granted(port: str, names: dict[str, str], sides: dict[str, str]) -> str:
    """A request and its grant beside an address, as a handshake; an acknowledgement is a grant where the data comes later."""
    name, known = names[port], set(names.values())
    stem, _, last = name.rpartition("_")
    if not stem or last not in ("req", *GRANTS) or {f"{stem}_valid", f"{stem}_ready"} & known:
        return name
    asked = next((p for p, n in names.items() if n == f"{stem}_req"), None)
    granted = next((g for g in GRANTS if f"{stem}_{g}" in known and (g != "ack" or _answered(names, sides))), None)
    if asked is None or granted is None:
        return name
    addressed = any(n.startswith(stem + "_") and ADDRESS.search(n.removeprefix(stem)) and sides[p] == sides[asked] for p, n in names.items())
    return name if not addressed or last not in ("req", granted) else f"{stem}_valid" if last == "req" else f"{stem}_ready"


def _answered(names: dict[str, str], sides: dict[str, str]) -> bool:
    """Does data come in by itself, which is not refused?"""
    known = {n: sides[p] for p, n in names.items()}
    heads = [n.removesuffix("valid") for n, side in known.items() if side == "in" and n.endswith("_valid")]
    return any(f"{h}data" in known and f"{h}ready" not in known for h in heads)


def _apart(names: dict[str, str]) -> dict[str, str]:
    """The names, but for those that more than one port would have: these keep their own."""
    taken: dict[str, int] = {}
    for name in names.values():
        taken[name] = taken.get(name, 0) + 1
    return {port: name if taken[name] == 1 and (name == port or name not in names) else port for port, name in names.items()}
