"""Channels: the handshakes of a module's port list, and which of them answers which.

A channel is a port `P_valid` with the payload ports `P_*` of the same direction, and a port `P_ready` of the other direction if the receiver
may refuse; or `P_en` (`P_we`) with an address; or a one-bit input without payload that is named like an event (`ack`, `done`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lift.netlist.model import Netlist
from lift.unroll.structure import leaves

EVENT = re.compile(r"(?:^|_)(?:ack|done|post|grant|gnt|resp|rvalid|bvalid|finish|finished|complete|completed)$")
ENABLE = re.compile(r"^(.*_)(?:en|we|wen|wr_en)$")
LAST = re.compile(r"(?:^|_)last$")
STROBE = re.compile(r"(?:^|_)(?:strb|mask|be)$")
DATA = re.compile(r"data|word")
ADDRESS = re.compile(r"addr|idx|index")
KINDS = frozenset("req request cmd command addr idx index data resp response rsp ack answer".split())  # what a name says of a channel's part in an exchange
ANSWERS = frozenset("data resp response rsp ack answer".split())


@dataclass(frozen=True, slots=True)
class Channel:
    """`name` is the common part of its ports' names; `payload` maps the rest of each payload port's name, without `bits_`, to the port.
    `valid` None: the payload is there whenever it is looked at."""

    name: str
    output: bool
    valid: str | None
    ready: str | None
    payload: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str | None:
        """The payload port that says where."""
        named = (p for f, p in self.payload.items() if ADDRESS.search(f))
        whole = self.payload.get("bits") if ADDRESS.search(self.name) else None
        return next(named, whole)

    @property
    def carries_data(self) -> bool:
        return bool(DATA.search(self.name)) or any(DATA.search(f) for f in self.payload)

    def is_data(self, payload_field: str) -> bool:
        return bool(DATA.search(payload_field) or DATA.search(self.name))


@dataclass(frozen=True, slots=True)
class Answer:
    """`channel` answers the requests of output channel `request`: in the next cycle with data or, when it carries none, once for all requests,
    when the unit can do nothing more without it (`late`).  `echoes` maps payload fields to the request's ports that they repeat."""

    request: Channel
    channel: Channel
    late: bool
    echoes: dict[str, str]


@dataclass(frozen=True, slots=True)
class Burst:
    """`request` asks at port `address` for beats at port `length` + 1, without one for one beat; `data` carries the words in or, for writes, out; `done`
    says that they are written."""

    request: Channel
    address: str
    length: str | None
    data: Channel
    done: Channel | None = None

    @property
    def writes(self) -> bool:
        return self.data.output

    @property
    def word(self) -> str:
        """The port that carries the words of `data`."""
        others = [f for f in self.data.payload if f in self.request.payload or LAST.search(f) or STROBE.search(f)]
        words = {f: p for f, p in self.data.payload.items() if self.data.is_data(f) and f not in others}
        return next((p for f, p in words.items() if DATA.search(f)), None) or next(iter(words.values()))

    @property
    def strobe(self) -> str | None:
        return next((p for f, p in self.data.payload.items() if STROBE.search(f)), None)


def channels(netlist: Netlist, but: frozenset[str] = frozenset()) -> tuple[Channel, ...]:
    """The channels of the top module's ports, in the order of the ports; ports in `but` belong to none."""
    inputs = {n: w for n, w in netlist.inputs.items() if n not in but}
    widths = {**inputs, **{n: o.width for n, o in netlist.outputs.items() if n not in but}}
    heads = _heads(widths)
    owner = {n: _owner(n, heads) for n in widths}
    found = []
    for prefix, valid in heads.items():
        output = valid in netlist.outputs
        ready = prefix + "ready" if (prefix + "ready" in netlist.inputs) == output and prefix + "ready" in widths else None
        same = [n for n in widths if (n in netlist.outputs) == output and owner[n] == prefix and n not in (valid, prefix + "ready")]
        found.append(Channel(prefix.rstrip("_") or "valid", output, valid, ready, {_short(n, prefix): n for n in same}))
    taken = {p for c in found for p in (c.valid, c.ready, *c.payload.values())}
    rest = [n for n in inputs if n not in taken]
    bare = dict.fromkeys(n[: n.index("_bits_") + 1] for n in rest if "_bits_" in n)
    found += [Channel(b.rstrip("_"), False, None, None, {_short(n, b): n for n in rest if n.startswith(b)}) for b in bare]
    alone = [n for n in widths if n not in taken and widths[n] == 1 and EVENT.search(n) and not _is_level(netlist, n)]
    found += [Channel(n, n in netlist.outputs, n, None) for n in alone]
    return tuple(found)


def _is_level(netlist: Netlist, port: str) -> bool:
    """Is it an output that shows a register which keeps its value?  Then it says how things are, not that something happens."""
    shown = netlist.outputs.get(port)
    if shown is None or shown.op != "reg":
        return False
    return any(leaf.op == "reg" and leaf.attr == shown.attr for leaf in leaves(netlist.registers[str(shown.attr)].next))


def _short(port: str, prefix: str) -> str:
    return port[len(prefix) :].removeprefix("bits_")


def _heads(widths: dict[str, int]) -> dict[str, str]:
    """The prefix of each channel and the one-bit port that says that something is there."""
    single = [n for n, w in widths.items() if w == 1]
    heads = {n[: -len("valid")]: n for n in single if re.search(r"(?:^|_)valid$", n)}
    for name in single:
        match = ENABLE.match(name)
        if match and match[1] not in heads and any(n.startswith(match[1]) and ADDRESS.search(n) for n in widths):
            heads[match[1]] = name
    return heads


def _owner(name: str, prefixes: dict[str, str]) -> str:
    """The longest prefix of a channel that `name` begins with."""
    return max((p for p in prefixes if name.startswith(p)), key=len, default="")


def answers(found: tuple[Channel, ...]) -> tuple[Answer, ...]:
    """Which input channels answer which output channels: those whose names agree but for the words that tell a request from an answer."""
    requests = {subject(c.name): c for c in reversed(found) if c.output and not _kinds(c.name) & ANSWERS}
    result = []
    for channel in found:
        request = requests.get(subject(channel.name))
        if channel.output or request is None or not _kinds(channel.name) & ANSWERS:
            continue
        echoes = {f: request.payload[f] for f in channel.payload if f in request.payload and not channel.is_data(f)}
        result.append(Answer(request, channel, not channel.carries_data, echoes))
    return tuple(result)


def _kinds(name: str) -> frozenset[str]:
    return KINDS & set(name.split("_"))


def subject(name: str) -> tuple[str, ...]:
    """What a channel is about: its name without the words that tell a request from an answer."""
    return tuple(w for w in name.split("_") if w not in KINDS)
