"""One instruction twice: on the netlist, clock by clock against a memory that takes its time, and by its update functions."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from xdsl.dialects import func

from lift.discover.contract import Contract
from lift.functions import LiftedFunction
from lift.ir import evaluate, functions
from lift.netlist.model import Netlist
from lift.netlist.simulate import Simulator
from lift.unroll.extract import Lift, Mode
from lift.unroll.terms import Term, fold, walk

LIMIT = 10_000  # cycles


@dataclass(slots=True)
class State:
    """Registers and memories by name, and the bytes behind the memory port."""

    registers: dict[str, int]
    memories: dict[str, list[int]]
    host: dict[int, int] = field(default_factory=dict)

    def copy(self) -> State:
        return State(dict(self.registers), {n: list(m) for n, m in self.memories.items()}, dict(self.host))


class Bench:
    """A netlist with its command port and memory port driven; `draw` decides when the memory is ready and answers."""

    def __init__(self, netlist: Netlist, contract: Contract, draw: random.Random) -> None:
        self.contract, self.draw, self.simulator = contract, draw, Simulator(netlist)
        self.host: dict[int, int] = {}
        self.answers: list[int] = []
        for _ in range(3):
            self.simulator.step({str(contract.reset): contract.reset_active})

    def load(self, state: State) -> None:
        self.simulator.registers.update(state.registers)
        self.simulator.memories = {n: list(m) for n, m in state.memories.items()}
        self.host = dict(state.host)

    def run(self, payload: dict[str, int]) -> State:
        """The state after one command, when the next would be taken."""
        command = self.contract.command
        assert command is not None and command.ready is not None
        offered = {command.valid: 1} | {port: payload[word] for word, port in command.words.items()}
        while not self._cycle(offered)[command.ready]:
            pass
        for _ in range(LIMIT):
            if self._cycle({})[command.ready]:
                return State(dict(self.simulator.registers), {n: list(m) for n, m in self.simulator.memories.items()}, dict(self.host))
        raise AssertionError("not ready for the next command")

    def _cycle(self, inputs: dict[str, int]) -> dict[str, int]:
        port = self.contract.memory
        assert port is not None and port.write is not None and port.response_valid is not None and port.response_data is not None
        ready, answering = port.request_ready is None or self.draw.random() < 0.5, bool(self.answers) and self.draw.random() < 0.5
        answer = self.answers.pop(0) if answering else self.draw.getrandbits(8 * port.data_bytes)
        driven = {**inputs, port.response_valid: int(answering), port.response_data: answer}
        driven |= {port.request_ready: int(ready)} if port.request_ready else {}
        seen = self.simulator.step(driven)
        if ready and seen[port.request_valid]:
            self._request(seen)
        return seen

    def _request(self, seen: dict[str, int]) -> None:
        port = self.contract.memory
        assert port is not None
        places = [(seen[port.address] + k) % (1 << port.address_bits) for k in range(port.data_bytes)]
        if not seen[str(port.write)]:
            self.answers.append(sum(self.host.get(place, 0) << 8 * k for k, place in enumerate(places)))
            return
        for k, place in enumerate(places):
            if seen[str(port.write_mask)] >> k & 1:
                self.host[place] = seen[str(port.write_data)] >> 8 * k & 0xFF


def merged(lift: Lift, memories: dict[str, list[int]]) -> dict[str, list[int]]:
    """Banks of one memory as the one memory that update functions see."""
    result: dict[str, list[int]] = {}
    for name, place in sorted(lift.unit.machine.places.items(), key=lambda entry: entry[1].bank):
        result.setdefault(place.name, []).extend(memories[name])
    return result


def term_value(root: Term, payload: dict[str, int], state: State, arrays: dict[str, list[int]]) -> int:
    """A term over command words, registers, and arrays (loads of the host's memory are not for modes to look at)."""
    values: dict[Term, int] = {}
    for term in walk(root):
        match term.op:
            case "const":
                values[term] = int(term.attr or 0)
            case "sym":
                values[term] = payload[str(term.attr)] if term.attr in payload else state.registers[str(term.attr)]
            case "load":
                values[term] = arrays[str(term.attr)][values[term.args[0]]]
            case _:
                widths, inner = tuple(a.width for a in term.args), tuple(values[a] for a in term.args)
                values[term] = fold(term.op, term.width, inner, widths, term.attr if isinstance(term.attr, int) else None)
    return values[root]


def mode_of(lift: Lift, instruction: str, payload: dict[str, int], state: State) -> Mode | None:
    """The mode whose facts and domain hold."""
    arrays = register_arrays(lift, state) | merged(lift, state.memories)
    for mode in lift.modes[instruction]:
        facts = all(term_value(p, payload, state, arrays) == holds for p, holds in mode.facts)
        if facts and all(term_value(d, payload, state, arrays) for d in mode.domain):
            return mode
    return None


def free_registers(lift: Lift) -> list[str]:
    """Registers that may hold anything when an instruction begins."""
    unit = lift.unit
    return sorted(n for n in unit.machine.netlist.registers if n in unit.architectural or not unit.idle[n].is_const)


def state_registers(lift: Lift, state: State) -> dict[str, int]:
    """The registers that update functions speak of."""
    names = {*lift.registers, *(m for a in lift.arrays.values() for m in a.members)}
    return {n: state.registers[n] for n in free_registers(lift) if n in names}


def register_arrays(lift: Lift, state: State) -> dict[str, list[int]]:
    return {a.name: [state.registers[m] for m in a.members] for a in lift.arrays.values()}


def apply(lift: Lift, lifted: list[LiftedFunction], before: State, payload: dict[str, int]) -> State:
    """The state after the update functions of one mode, banks merged; what none of them names stays as it was."""
    port = lift.unit.contract.memory
    host = port.name if port else ""
    after = State(dict(before.registers), merged(lift, before.memories), dict(before.host))
    before, arrays = State(before.registers, merged(lift, before.memories), before.host), register_arrays(lift, before)
    for function in lifted:
        (code,) = functions(function.module)
        target, written = function.key[2], {n: list(words) for n, words in arrays.items()}
        arguments = [_argument(code, k, (before, arrays), (after, written), payload, host) for k in range(len(code.args))]
        results = evaluate(code, arguments)
        if results:
            after.registers[target] = results[0]
        elif target in arrays:
            after.registers.update(zip(lift.arrays[target].members, written[target], strict=True))
    return after


Arrays = dict[str, list[int]]


def _argument(
    code: func.FuncOp, position: int, before: tuple[State, Arrays], after: tuple[State, Arrays], payload: dict[str, int], host: str
) -> int | list[int] | dict[int, int]:
    attributes = code.arg_attrs.data[position].data  # type: ignore[union-attr]
    name = attributes["rtl.name"].data  # type: ignore[attr-defined]
    if name in payload:
        return payload[name]
    if name in before[0].registers:
        return before[0].registers[name]
    state, arrays = after if "rtl.destination" in attributes else before
    return state.host if name == host else arrays.get(name) or state.memories[name]
