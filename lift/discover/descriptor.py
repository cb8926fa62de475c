"""Descriptors: what their author states of a unit (TOML), item by item before what discovery finds; and what discovery finds, as TOML.

| table | says |
|---|---|
| `clock`, `reset`, `reset_active` | names of inputs; the level of the reset at which it resets |
| `[command]` | `valid`, `ready`, `words = { name = "input" }`, `held = true` when the words stay as long as the command takes |
| `[instructions]` | `word`, `low`, `width`: the slice that says which; `names = { name = value }`; `others = true`: all other values are one more |
| `[[subcode]]` | another slice that splits instructions which look at it, in the same form |
| `[memory]` | `name` and the ports `request_valid`, `address`, ...: of the design, or those that stand for the bursts that discovery finds, as it prints them |
| `[[channel]]` | `name`, `valid`, `ready`, `payload = { field = "port" }`; when there are any, they are all channels |
| `[[answer]]` | `request` and `channel` by name, `late`, `echoes = { field = "port" }`; when there are any, they are all answers |
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lift.discover.buses import WRITE
from lift.discover.channels import Answer, Channel
from lift.discover.commands import Decoder, PayloadSlice
from lift.discover.ports import MEMORY_PORTS, CommandPort, Contract, MemoryPort
from lift.errors import UserError
from lift.netlist.model import Netlist

INPUTS = ("request_ready", "response_valid", "response_data")
FORM = "see --print-descriptor for the form"


def read(path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text())
    except OSError as error:
        raise UserError(str(path), f"cannot read the descriptor: {error.strerror}", "give the path of a TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(str(path), f"the descriptor is not TOML: {error}", "see --print-descriptor for the form") from error


def states_command(stated: dict[str, object]) -> bool:
    """Does the descriptor name the ports of the design itself at which commands arrive?"""
    table = stated.get("command")
    return isinstance(table, dict) and WRITE not in str(table.get("valid"))


def command(stated: dict[str, object], netlist: Netlist) -> CommandPort | None:
    table = stated.get("command")
    if not isinstance(table, dict):
        return None
    words = {str(k): str(v) for k, v in dict(table.get("words", {})).items()}
    for port in [table.get("valid"), *words.values()]:
        if port not in netlist.inputs:
            raise UserError(None, f"the descriptor names input '{port}', which {netlist.top} does not have", "inputs: " + ", ".join(netlist.inputs))
    return CommandPort(str(table["valid"]), table.get("ready"), words, bool(table.get("held", False)))


def memory(stated: dict[str, object], netlist: Netlist) -> MemoryPort | None:
    table = stated.get("memory")
    if not isinstance(table, dict):
        return None
    ports = {key: table.get(key) for key in MEMORY_PORTS}
    for key, port in ports.items():
        if port is not None and port not in netlist.inputs and port not in netlist.outputs:
            raise UserError(None, f"the descriptor's memory.{key} is '{port}', which {netlist.top} does not have", "name a port of the top module")
    if ports["request_valid"] is None or ports["address"] is None:
        raise UserError(None, "the descriptor's [memory] needs request_valid and address", "see --print-descriptor for the form")
    data = ports["response_data"] or ports["write_data"]
    width = netlist.inputs.get(str(data)) or (netlist.outputs[str(data)].width if data else 8)
    return MemoryPort(str(table.get("name", "mem")), address_bits=netlist.outputs[str(ports["address"])].width, data_bytes=width // 8, **ports)  # type: ignore[arg-type]


def of_bursts(stated: dict[str, object], found: MemoryPort) -> MemoryPort | None:
    """The port of single beats that stands for the bursts that were found, under the name that is stated; None where other ports are stated."""
    table = stated.get("memory")
    if not isinstance(table, dict):
        return found
    same = all(table.get(key) == getattr(found, key) for key in MEMORY_PORTS)
    return replace(found, name=str(table.get("name", found.name))) if same else None


def channels(stated: dict[str, object], netlist: Netlist) -> tuple[Channel, ...] | None:
    """The channels that are stated, None when none is.  Raises UserError for ports that are not there."""
    tables = _tables(stated, "channel")
    return tuple(_channel(t, netlist) for t in tables) if tables is not None else None


def _channel(table: dict[str, Any], netlist: Netlist) -> Channel:
    name, valid, ready = str(_item(table, "channel", "name")), table.get("valid"), table.get("ready")
    payload = {str(k): str(v) for k, v in dict(table.get("payload", {})).items()}
    for port in filter(None, (valid, ready, *payload.values())):
        if port not in netlist.inputs and port not in netlist.outputs:
            raise UserError(None, f"the descriptor's channel '{name}' names '{port}', which {netlist.top} does not have", "name a port of the module")
    first = valid or next(iter(payload.values()), None)
    if first is None:
        raise UserError(None, f"the descriptor's channel '{name}' has no ports", FORM)
    return Channel(name, first in netlist.outputs, valid, ready, payload)


def answers(stated: dict[str, object], known: tuple[Channel, ...]) -> tuple[Answer, ...] | None:
    """The answers that are stated between `known` channels, None when none is."""
    tables = _tables(stated, "answer")
    if tables is None:
        return None
    named = {c.name: c for c in known}
    result = []
    for table in tables:
        pair = [named.get(str(_item(table, "answer", key))) for key in ("request", "channel")]
        if pair[0] is None or pair[1] is None:
            raise UserError(None, f"the descriptor's answer names a channel that is not there: {table}", f"channels: {', '.join(named)}")
        result.append(Answer(pair[0], pair[1], bool(table.get("late", False)), dict(table.get("echoes", {}))))
    return tuple(result)


def instructions(path: Path | None, port: CommandPort, netlist: Netlist) -> Decoder | None:
    """The decoder that the descriptor at `path` states, None when it states none."""
    stated = read(path) if path else {}
    table = stated.get("instructions")
    if not isinstance(table, dict):
        return None
    commanded = stated.get("command")
    given = dict(commanded.get("words", {})) if isinstance(commanded, dict) else {}
    part, names = _slice(table, "instructions", port, netlist, given)
    subcodes = dict(_slice(t, "subcode", port, netlist, given) for t in _tables(stated, "subcode") or [])
    return Decoder(part, names, subcodes, bool(table.get("others", False)))


def _slice(table: dict[str, Any], name: str, port: CommandPort, netlist: Netlist, given: dict[str, str]) -> tuple[PayloadSlice, dict[int, str]]:
    """A slice of a command word and the names of its values; `given` are the words as the descriptor calls them, which may be called like their ports
    in the design."""
    word, low, width = (_item(table, name, key) for key in ("word", "low", "width"))
    word = word if word in port.words else next((w for w, p in port.words.items() if p in (word, given.get(word))), word)
    bits = netlist.inputs[port.words[word]] if word in port.words else 0
    if not (isinstance(low, int) and isinstance(width, int) and low >= 0 and width > 0 and low + width <= bits):
        raise UserError(None, f"the descriptor's [{name}] is no slice of a command word: {word}[{low} +: {width}]", f"words: {', '.join(port.words)}")
    return PayloadSlice(word, low, width), {int(v): str(k) for k, v in dict(_item(table, name, "names")).items()}


def _tables(stated: dict[str, object], key: str) -> list[dict[str, Any]] | None:
    found = stated.get(key)
    if found is None:
        return None
    if not isinstance(found, list) or not all(isinstance(t, dict) for t in found):
        raise UserError(None, f"the descriptor's '{key}' is not an array of tables", f"write [[{key}]]")
    return found


def _item(table: dict[str, Any], name: str, key: str) -> Any:
    if key not in table:
        raise UserError(None, f"the descriptor's [{name}] has no '{key}'", FORM)
    return table[key]


def print_descriptor(contract: Contract, decoder: Decoder | None, netlist: Netlist) -> str:
    """The contract and the instructions as TOML, with the reasons as comments, and what was not found as comments to fill in."""
    lines = ["# descriptor found by tensorlift; edit and pass with --descriptor"]
    if contract.clock:
        lines.append(f"clock = {_text(contract.clock)}")
    if contract.reset:
        lines += [f"reset = {_text(contract.reset)}", f"reset_active = {contract.reset_active}"]
    lines += [*_command_lines(contract), *_instruction_lines(decoder), *_memory_lines(contract)]
    for channel in contract.channels:
        lines += ["", "[[channel]]", *_reason(channel), f"name = {_text(channel.name)}"]
        lines += [f"{key} = {_text(port)}" for key, port in (("valid", channel.valid), ("ready", channel.ready)) if port]
        lines += [f"payload = {_inline(channel.payload)}"] if channel.payload else []
    for answer in contract.answers:
        why = "carries no data: one answer completes all requests" if answer.late else "carries data: each request is answered in the next cycle"
        lines += ["", "[[answer]]", f"# {answer.channel.name} {why}; fields of one name are repeated"]
        lines += [f"request = {_text(answer.request.name)}", f"channel = {_text(answer.channel.name)}", f"late = {str(answer.late).lower()}"]
        lines += [f"echoes = {_inline(answer.echoes)}"] if answer.echoes else []
    return "\n".join([*lines, *_missing_lines(contract, decoder, netlist)]) + "\n"


def _missing_lines(contract: Contract, decoder: Decoder | None, netlist: Netlist) -> Iterator[str]:
    """Of a command port, instructions or a memory port that was not found, the form; and the ports that belong to nothing."""
    inputs, outputs = ([p for p in ports if p not in _known_ports(contract)] for ports in (netlist.inputs, netlist.outputs))
    words = _inline({p: p for p in inputs if netlist.inputs[p] > 1})
    if contract.command is None:
        yield from ("", "# no command port was found; stated, it looks like this (without ready, a pulse; held = true: the words stay until it is done)")
        yield from ("# [command]", '# valid = "INPUT"', '# ready = "OUTPUT"', f"# words = {words}")
    elif decoder is None:
        word, port = next(iter(contract.command.words.items()))
        yield from ("", "# nothing of the command is compared with constants; the bits that say which instruction it is, stated, look like this")
        yield from ("# [instructions]", f"# word = {_text(word)}", "# low = 0", f"# width = {min(netlist.inputs.get(port, 1), 3)}")
        yield '# names = { "first" = 0, "second" = 1 }'
    if contract.memory is None and any(netlist.outputs[p].width > 1 for p in outputs):
        yield from ("", "# no memory port was found; if there is one, it looks like this; what it has not is left out", "# [memory]", '# name = "mem"')
        yield from (f'# {key} = "{"INPUT" if key in INPUTS else "OUTPUT"}"' for key in MEMORY_PORTS)
    for side, ports in (("inputs", inputs), ("outputs", outputs)):
        if ports:
            yield from ("", f"# {side} that belong to nothing above: {', '.join(ports)}")


def _known_ports(contract: Contract) -> set[str | None]:
    command, memory = contract.command, contract.memory
    known = {contract.clock, contract.reset}
    known |= {command.valid, command.ready, *command.words.values()} if command else set()
    known |= {getattr(memory, key) for key in MEMORY_PORTS} if memory else set()
    bursts = [c for b in contract.bursts for c in (b.request, b.data, b.done) if c is not None]
    return known | {p for c in (*contract.channels, *bursts) for p in (c.valid, c.ready, *c.payload.values())}


def _command_lines(contract: Contract) -> Iterator[str]:
    port = contract.command
    if port is not None:
        yield from ("", "[command]", f"# {contract.reasons.get('command', 'stated')}", f"valid = {_text(port.valid)}")
        yield from [f"ready = {_text(port.ready)}"] if port.ready else []
        yield from ["held = true"] if port.held else []
        yield f"words = {_inline(port.words)}"


def _instruction_lines(decoder: Decoder | None) -> Iterator[str]:
    if decoder is not None and decoder.opcode is not None:
        nameless = all(name == f"op_{value}" for value, name in decoder.names.items())
        why = "no parameter or enumerator names these values" if nameless else "the constants that this slice is compared with, as the source names them"
        yield from ("", "[instructions]", f"# {why}")
        yield from _slice_lines(decoder.opcode, decoder.names)
        yield from ["# all other values are one more instruction, if they do anything", "others = true"] if decoder.others else []
        for part, names in decoder.subcodes.items():
            yield from ("", "[[subcode]]", *_slice_lines(part, names))


def _slice_lines(part: PayloadSlice, names: dict[int, str]) -> Iterator[str]:
    yield from (f"word = {_text(part.word)}", f"low = {part.low}", f"width = {part.width}")
    yield f"names = {_inline({name: value for value, name in sorted(names.items())})}"


def _memory_lines(contract: Contract) -> Iterator[str]:
    if contract.memory is not None:
        yield from ("", "[memory]", f"# {contract.reasons.get('memory', 'stated')}")
        for key in ("name", *MEMORY_PORTS):
            value = getattr(contract.memory, key)
            yield from [f"{key} = {_text(value)}"] if value else []


def _reason(channel: Channel) -> list[str]:
    if channel.valid is None:
        return ["# inputs with a common name that no valid goes with"]
    return [f"# {channel.valid}{f' with {channel.ready}' if channel.ready else ''} and what begins with {channel.name}"]


def _text(value: str) -> str:
    return json.dumps(value)


def _inline(table: dict[str, Any]) -> str:
    return "{ " + ", ".join(f"{_text(k)} = {json.dumps(v)}" for k, v in table.items()) + " }"
