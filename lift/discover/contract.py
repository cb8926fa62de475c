"""The contract of a unit: its command port, its memory port, its other channels, clock and reset; found in the port list, or stated in a
descriptor.

A *command port* is an input handshake (`P_valid` in, `P_ready` out) with payload inputs `P_*`, or a pulse (`start`) beside inputs that are held
as long as the command takes.  A *memory port* is an output handshake (`Q_valid` out, `Q_ready` in) with an address, and an input `R_valid`
with `R_data` for the answers; every byte of a beat is memory byte address + its position.  All other handshakes are channels
(`lift.discover.channels`).  Roles of payload ports are found by their names and widths.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lift.discover import descriptor as stated_by
from lift.discover.bursts import burst_ports, bursts, port_of
from lift.discover.buses import behind_buses, of_bus
from lift.discover.channels import Burst, Channel, answers, channels, subject
from lift.discover.commands import comparisons
from lift.discover.ports import MEMORY_PORTS, CommandPort, Contract, MemoryPort
from lift.discover.spelling import WRITE, respelled, restored
from lift.netlist.model import Netlist
from lift.netlist.resetting import reset_level
from lift.unroll.grids import register_arrays
from lift.unroll.structure import real_support, support

__all__ = ["CommandPort", "Contract", "MemoryPort", "discover", "from_the_bus"]

PULSE = re.compile(r"(?:^|_)(?:start|go|launch|begin|kick|trigger)$")
DONE = re.compile(r"(?:^|_)(?:done|finish|finished|complete|completed)$")  # where a command that was started by a pulse ends
WRITES, BYTES = ("write", "we", "wen", "is_write", "wr", "wr_en", "write_en"), ("be", "wbe", "byteen", "byte_en")
WRITTEN = re.compile(r"(?:.*_)?(?<!addr_)[rw]?data(?:_bits)?")


def discover(netlist: Netlist, descriptor: Path | None = None) -> Contract:
    """The contract of the top module; items of the descriptor (TOML) come before what is found.  Raises UserError on a bad descriptor."""
    stated = stated_by.read(descriptor) if descriptor else {}
    view, own = respelled(netlist)
    usual = {port: name for name, port in own.items()}
    taken = _taken(netlist)
    reasons: dict[str, str] = {}
    command = restored(stated_by.command(stated, netlist), usual) or _find_command(view, own, reasons)
    found = _find_bursts(view, command)
    memory = stated_by.of_bursts(stated, port_of(found, view)) if found else None
    found = found if memory else ()
    reasons |= {"memory": _moved(found)} if found else {}
    memory = memory or restored(stated_by.memory(stated, netlist), usual) or _find_memory(view, command, reasons)
    memory = replace(memory, name=f"{memory.name}_port") if memory is not None and memory.name in taken else memory
    reset, level = reset_of(stated, netlist)
    others = stated_by.channels(stated, netlist)
    if others is None:
        bus = frozenset(usual[n] for n in netlist.outputs if command is not None and of_bus(command.valid, n))
        others = channels(view, _ports(command, memory) | burst_ports(found) | bus | {usual.get(p or "", "") for p in (netlist.clock, reset)})
    if command is not None and command.held:
        others = tuple(c for c in others if not (c.output and not c.payload and DONE.search(c.valid or "")))
    others = restored(others, own)
    answered = stated_by.answers(stated, others)
    command = restored(command, own)
    return Contract(
        netlist.clock, reset, level, replace(command, words=_apart(command.words, taken)) if command is not None else None, restored(memory, own),
        {about: _spelled(why, own) for about, why in reasons.items()}, others, answers(others) if answered is None else answered, restored(found, own),
        held=_held(netlist, others),
    )  # fmt: skip


def _held(netlist: Netlist, others: tuple[Channel, ...]) -> frozenset[str]:
    """The registers that are payload of output channels, and that something else depends on than what is said there, or they themselves."""
    said = {p for c in others if c.output for p in c.payload.values()} & netlist.registers.keys()
    stored = [n for m in netlist.memories.values() for w in m.writes for n in (w.enable, w.address, w.data)]
    following = {n: r.next for n, r in netlist.registers.items()}
    elsewhere = {p: [*stored, *(v for values in (following, netlist.outputs) for n, v in values.items() if n != p)] for p in said}
    return frozenset(p for p in said if p in real_support(p, following[p]) or p in support(*elsewhere[p]))


def _spelled(why: str, own: Mapping[str, str]) -> str:
    """A reason with the ports' own names."""
    return re.sub(r"[\w.]+", lambda word: own.get(word[0], word[0]), why)


def reset_of(stated: dict[str, object], netlist: Netlist) -> tuple[str | None, int]:
    """The reset and the level at which it resets: as stated, else as found."""
    reset = stated.get("reset", netlist.reset)
    level = reset_level(netlist, str(reset)) if reset else 1
    return str(reset) if reset else None, int(str(stated.get("reset_active", level)))


def from_the_bus(netlist: Netlist, descriptor: Path | None = None) -> Netlist:
    """The design as it takes commands: behind an adapter where they are writes on a bus, unless the descriptor names ports of the design itself."""
    stated = stated_by.read(descriptor) if descriptor else {}
    return netlist if stated_by.states_command(stated) else behind_buses(netlist, *reset_of(stated, netlist))


def _ports(command: CommandPort | None, memory: MemoryPort | None) -> frozenset[str]:
    """The ports of the command port and the memory port."""
    ports = {command.valid, command.ready, *command.words.values()} if command else set()
    ports |= {getattr(memory, key) for key in MEMORY_PORTS} if memory else set()
    return frozenset(p for p in ports if p)


def _find_bursts(netlist: Netlist, command: CommandPort | None) -> tuple[Burst, ...]:
    """The channels that move several beats a request."""
    return bursts(channels(netlist, _ports(command, None)), netlist)


def _moved(found: tuple[Burst, ...]) -> str:
    """Why they are believed to move beats."""
    asked = ", ".join(f"{b.request.valid} with {b.data.valid}" for b in found)
    lengths = "and a length" if any(b.length for b in found) else "alone"
    return f"requests with an address {lengths}, and the channels of their data: {asked}"


def _handshakes(valids: dict[str, int] | dict[str, object], readies: dict[str, int] | dict[str, object]) -> list[tuple[str, str]]:
    """(prefix, separator) of every `prefix_valid` whose `prefix_ready` has the other direction."""
    found = []
    for name in valids:
        if name.endswith("valid") and name[: -len("valid")] + "ready" in readies:
            found.append((name[: -len("valid")], name))
    return found


def _find_command(netlist: Netlist, own: Mapping[str, str], reasons: dict[str, str]) -> CommandPort | None:
    """The handshake most of whose payload is compared with constants, else the first; else a pulse."""
    ports = []
    heads = [prefix for prefix, _ in _handshakes(netlist.inputs, dict(netlist.outputs))]
    for prefix, valid in _handshakes(netlist.inputs, dict(netlist.outputs)):
        inner = [p for p in heads if p.startswith(prefix) and p != prefix]
        apart = (valid, netlist.clock, netlist.reset)
        words = {n[len(prefix) :]: n for n in netlist.inputs if n.startswith(prefix) and n not in apart and not any(map(n.startswith, inner))}
        if words:
            ports.append(CommandPort(valid, prefix + "ready", _shortened(words)))
    if not ports:
        return _find_pulse(netlist, reasons) or _find_writes(netlist, own, reasons)
    best = max(ports, key=lambda p: len(comparisons(netlist, restored(p, own)))) if len(ports) > 1 else ports[0]
    reasons["command"] = f"inputs with the handshake {best.valid}, {best.ready}"
    if WRITE in best.valid:
        reasons["command"] = f"writes to registers on the bus {best.valid.partition(WRITE)[0]}, one at a time; these ports stand for it"
    return best


def _taken(netlist: Netlist) -> frozenset[str]:
    """The names of state, of arrays of registers as well, and of inputs."""
    state = (*netlist.registers, *netlist.memories, *register_arrays(netlist))
    return frozenset(n for name in state for n in (name, name.partition("[")[0])) | netlist.inputs.keys()


def _apart(words: dict[str, str], taken: frozenset[str]) -> dict[str, str]:
    """The words of commands under names that nothing else has: a register `op` may hold what `op` was in an earlier command."""
    result: dict[str, str] = {}
    for name, port in words.items():
        spelled = (name, f"cmd_{name}", re.sub(r"\W", "_", port), f"{name}_word")
        free = (n for n in spelled if (n not in taken or n == port) and n not in result and (n == name or n not in words))
        result[next(free, f"{name}_of_command")] = port
    return result


def _shortened(words: dict[str, str]) -> dict[str, str]:
    """Names of words without the prefixes that bundles add, where they stay distinct."""
    for prefix in ("bits_", "inst_", "cmd_", "inst_"):
        shorter = [n.removeprefix(prefix) for n in words]
        taken = {s: shorter.count(s) for s in shorter}
        words = {s if taken[s] == 1 else n: port for s, (n, port) in zip(shorter, words.items(), strict=True)}
    return words


def _find_pulse(netlist: Netlist, reasons: dict[str, str]) -> CommandPort | None:
    """A one-bit input that starts, beside inputs that belong to no channel."""
    start = next((n for n, w in netlist.inputs.items() if w == 1 and PULSE.search(n)), None)
    if start is None:
        return None
    others = channels(netlist, frozenset({start, netlist.clock or "", netlist.reset or ""}))
    taken = {p for c in others for p in (c.valid, c.ready, *c.payload.values())} | {start, netlist.clock, netlist.reset}
    prefix = start[: PULSE.search(start).start() + 1] if "_" in start else ""  # type: ignore[union-attr]
    words = {n.removeprefix(prefix): n for n in netlist.inputs if n not in taken}
    reasons["command"] = f"input {start}; the inputs that belong to no channel are held as long as it takes"
    return CommandPort(start, None, words, held=True) if words else None


def _find_writes(netlist: Netlist, own: Mapping[str, str], reasons: dict[str, str]) -> CommandPort | None:
    """An input channel that says where and what, of which something is compared with constants: writes to registers."""
    ports = []
    for channel in channels(netlist, frozenset({netlist.clock or "", netlist.reset or ""})):
        if not channel.output and channel.valid and channel.ready is None and channel.address and channel.carries_data:
            ports.append(CommandPort(channel.valid, None, dict(channel.payload)))
    compared = [(len(comparisons(netlist, restored(p, own))), p) for p in ports]
    count, best = max(compared, key=lambda each: each[0], default=(0, None))
    if best is None or not count:
        return None
    reasons["command"] = f"writes to registers: {', '.join(best.words.values())} while {best.valid} is 1"
    return best


def _find_memory(netlist: Netlist, command: CommandPort | None, reasons: dict[str, str]) -> MemoryPort | None:
    for prefix, valid in _handshakes(dict(netlist.outputs), netlist.inputs):
        payload = {n[len(prefix) :].removeprefix("bits_"): n for n in netlist.outputs if n.startswith(prefix) and n != valid}
        address = next((n for short, n in payload.items() if "addr" in short), None)
        if address is None:
            continue
        stem = prefix.removesuffix("req_").removesuffix("_")
        answer = next((n for n in netlist.inputs if n.endswith("valid") and n.startswith(stem) and (command is None or n != command.valid)), None)
        answer = answer or _only_answer(netlist, command)
        answer_prefix = answer[: -len("valid")] if answer else ""
        data_in = next((n for n in netlist.inputs if answer and n.startswith(answer_prefix) and n != answer and "data" in n), None)
        data_out = next((n for short, n in payload.items() if WRITTEN.fullmatch(short)), None)
        mask = next((n for short, n in payload.items() if "mask" in short or "strb" in short or short in BYTES), None)
        write = next((n for short, n in payload.items() if short in WRITES), None)
        width = netlist.inputs[data_in] if data_in else netlist.outputs[data_out].width if data_out else 0
        if not width:
            continue
        if write is None and _numbered(prefix, netlist):
            continue
        answered = f"; {data_in} answers, with {answer}" if data_in else ""
        reasons["memory"] = f"an address with the handshake {valid}, {prefix}ready{answered}"
        bits = netlist.outputs[address].width
        return MemoryPort(stem.strip("_") or "mem", valid, prefix + "ready", address, write, data_out, mask, answer, data_in, bits, width // 8)
    return None


def _only_answer(netlist: Netlist, command: CommandPort | None) -> str | None:
    """The only input channel with data that is never refused and repeats the name of no output channel, where the names do not tell."""
    found = channels(netlist, _ports(command, None))
    asked = {subject(c.name) for c in found if c.output}
    given = [c.valid for c in found if not c.output and c.valid and c.ready is None and c.carries_data and subject(c.name) not in asked]
    return given[0] if len(given) == 1 else None


def _numbered(prefix: str, netlist: Netlist) -> bool:
    """Is this one of several ports that differ in a number (the banks of a memory of the accelerator)?"""
    pattern = re.compile(re.sub(r"\d+", r"\\d+", re.escape(prefix)) + "valid")
    return sum(pattern.fullmatch(n) is not None for n in netlist.outputs) > 1
