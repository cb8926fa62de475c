"""The world around a unit during one instruction: the command is offered once, the memory and other neighbours answer by contract.

The schedule is the simplest that the contract allows: requests are accepted at once and answered in the next cycle; answers without data are
given when the unit can do nothing more without them, one for all requests, with contents that are free.
"""

from __future__ import annotations

from lift.discover.channels import Answer
from lift.discover.contract import Contract
from lift.discover.recorders import count_name, last_name, owed_name, position
from lift.discover.underway import Asked, check
from lift.netlist.model import Netlist
from lift.unroll import terms
from lift.unroll.machine import Cycle, State
from lift.unroll.memory import Write, read
from lift.unroll.paths import NotLifted
from lift.unroll.terms import FALSE, TRUE, Term

SCHEDULE = "requests to memory are accepted at once and answered in the next cycle"
UNUSED = "unused:"  # prefix of the symbols of inputs to which nothing gives a value
MANY = 4
STATE_IT = "a descriptor may state them as words of the command, the memory or a channel"
ANSWER = "answer:"  # prefix of the symbols that stand for the contents of late answers


class Surroundings:
    """The inputs of every cycle of one instruction; `payload` gives each command word its value (symbols but for the opcode bits), `resting` is
    what the control is when no command is under way."""

    def __init__(self, netlist: Netlist, contract: Contract, payload: dict[str, Term] | None, resting: dict[str, Term] | None = None) -> None:
        self.netlist, self.contract, self.payload, self.resting = netlist, contract, payload, resting or {}
        self._at_rest = self._rest()

    def _rest(self) -> dict[str, Term]:
        """Nothing is offered or answered; payloads without a valid are unknown."""
        inputs = {name: terms.sym(f"{UNUSED}{name}", width) for name, width in self.netlist.inputs.items()}
        contract = self.contract
        if contract.clock:
            inputs[contract.clock] = terms.const(0, 1)
        if contract.reset:
            inputs[contract.reset] = terms.const(1 - contract.reset_active, 1)
        if contract.command:
            inputs[contract.command.valid] = FALSE
        if contract.memory:
            if contract.memory.request_ready:
                inputs[contract.memory.request_ready] = TRUE
            if contract.memory.response_valid:
                inputs[contract.memory.response_valid] = FALSE
        for channel in contract.channels:
            if channel.output and channel.ready:
                inputs[channel.ready] = TRUE
            elif not channel.output and channel.valid:
                inputs[channel.valid] = FALSE
        return {**inputs, **{n: terms.const(0, self.netlist.inputs[n]) for n in contract.quiet}, **self._held()}

    def _held(self) -> dict[str, Term]:
        """The words of a command that stay as long as it takes."""
        command = self.contract.command
        if command is None or not command.held or self.payload is None:
            return {}
        return {port: self.payload[word] for word, port in command.words.items()}

    def in_reset(self) -> dict[str, Term]:
        assert self.contract.reset is not None
        return {**self._at_rest, self.contract.reset: terms.const(self.contract.reset_active, 1)}

    def idle(self) -> dict[str, Term]:
        return dict(self._at_rest)

    def first(self) -> dict[str, Term]:
        """The cycle in which the command is taken; without a command port, a cycle in which every input is free."""
        if self.contract.command is None or self.payload is None:
            return dict(self._at_rest)
        ports = {port: self.payload[word] for word, port in self.contract.command.words.items()}
        return {**self._at_rest, self.contract.command.valid: TRUE, **ports}

    def wake(self, cycle: Cycle) -> dict[str, Term] | None:
        """The inputs of the next cycle when nothing moves any more but answers are owed, or the unit waits for more answers that say nothing
        but that they are there; None when nothing is to be answered."""
        waits = any(cycle.state.registers[n] is not value for n, value in self.resting.items())
        owed = [a for a in self.contract.answers if a.late and self._owes(cycle, a, waits)]
        if not owed:
            return None
        inputs = dict(self._at_rest)
        for answer in owed:
            inputs |= self._late(cycle, answer)
        return inputs

    def _owes(self, cycle: Cycle, answer: Answer, waits: bool) -> bool:
        registers = cycle.state.registers
        if registers.get(owed_name(answer)) is TRUE:
            return True
        asked = registers.get(count_name(answer.request))
        return waits and set(answer.channel.payload) <= set(answer.echoes) and isinstance(asked, Term) and asked.attr != 0

    def _late(self, cycle: Cycle, answer: Answer) -> dict[str, Term]:
        channel = answer.channel
        assert channel.valid is not None
        inputs = {channel.valid: TRUE}
        for name, port in channel.payload.items():
            echo = name in answer.echoes
            inputs[port] = cycle.state.value(last_name(answer, name)) if echo else terms.sym(f"{ANSWER}{port}", self.netlist.inputs[port])
        return inputs

    def check_idle(self, cycle: Cycle) -> None:
        """At rest the next command must be accepted; raises NotLifted when the unit waits for something else."""
        command = self.contract.command
        if command is not None and command.ready is not None and cycle.output(command.ready) is not TRUE:
            waiting = f"it waits for an input that the contract does not give{self._unclaimed()}"
            raise NotLifted(f"it comes to rest without being ready for the next command ({command.ready} is not 1): {waiting}")

    def _unclaimed(self) -> str:
        """The inputs that belong to no port that was found, and what to do about them."""
        names = [n for n, t in self._at_rest.items() if t.op == "sym" and str(t.attr).startswith(UNUSED) and n not in self._owned()]
        return f" ({', '.join(names[:MANY])}{', …' if len(names) > MANY else ''}: {STATE_IT})" if names else ""

    def _owned(self) -> set[str]:
        """The inputs that are payload of what was found."""
        contract = self.contract
        words = contract.command.words.values() if contract.command else ()
        answer = (contract.memory.response_data,) if contract.memory and contract.memory.response_data else ()
        return {*words, *answer, *(p for c in contract.channels if c.valid for p in c.payload.values())}

    def predicates(self, cycle: Cycle) -> list[Term]:
        """Conditions that must be decided before the next cycle: whether a request is made, and of which kind."""
        asked = [cycle.output(a.request.valid) for a in self.contract.answers if not a.late and a.request.valid]
        port = self.contract.memory
        if port is None:
            return asked
        valid = cycle.output(port.request_valid)
        if valid is FALSE or port.write is None:
            return [*asked, valid]
        return [*asked, valid, cycle.output(port.write)]

    def following(self, cycle: Cycle) -> tuple[dict[str, Term], list[Write]]:
        """The next cycle's inputs, and this cycle's writes to the host's memory, one a byte."""
        if self.contract.waiting:
            check(cycle, self.contract, self)
        return self._following(cycle)

    def is_answered(self, inputs: dict[str, Term]) -> bool:
        """Is anything said to the unit, but that a command is offered?"""
        command = self.contract.command
        offered = {command.valid, *command.words.values()} if command is not None else set()
        return any(t is not self._at_rest[n] for n, t in inputs.items() if n not in offered)

    def is_over(self, state: State) -> bool:
        """Is the control what it is when no command is under way?"""
        return bool(self.resting) and all(state.registers[n] is value for n, value in self.resting.items())

    def said(self, cycle: Cycle) -> tuple[tuple[Write, ...], Asked]:
        """What a unit writes in a cycle, and what it is answered in the next one."""
        inputs, writes = self._following(cycle)
        made = cycle.after().log[len(cycle.state.log) :]
        return (*made, *writes), tuple((n, t) for n, t in inputs.items() if t is not self._at_rest[n])

    def _following(self, cycle: Cycle) -> tuple[dict[str, Term], list[Write]]:
        port, inputs = self.contract.memory, {**self._at_rest, **self._answers(cycle)}
        if port is None or cycle.output(port.request_valid) is FALSE:
            return inputs, []
        address = cycle.output(port.address)
        if port.write is not None and cycle.output(port.write) is TRUE:
            return inputs, self._written(cycle, address)
        if port.response_valid and port.response_data:
            inputs[port.response_valid] = TRUE
            inputs[port.response_data] = self._bytes(cycle, address)
        return inputs, []

    def _answers(self, cycle: Cycle) -> dict[str, Term]:
        """What comes back in the next cycle for the requests of this one: word `address` of a memory for each port, or the n-th word for
        the n-th request where it says no address."""
        inputs: dict[str, Term] = {}
        for answer in self.contract.answers:
            request, channel = answer.request, answer.channel
            if answer.late or request.valid is None or cycle.output(request.valid) is FALSE:
                continue
            where = cycle.output(request.address) if request.address else cycle.value(position(self.netlist, self.contract, request))
            inputs |= {channel.valid: TRUE} if channel.valid else {}
            for name, port in channel.payload.items():
                echoed = answer.echoes.get(name)
                inputs[port] = cycle.output(echoed) if echoed else terms.load(port, self.netlist.inputs[port], where)
        return inputs

    def _bytes(self, cycle: Cycle, address: Term) -> Term:
        port = self.contract.memory
        assert port is not None
        parts = [read(cycle.state.log, port.name, 8, _plus(address, k), cycle.assumptions.append) for k in range(port.data_bytes)]
        return terms.concat(*reversed(parts))

    def _written(self, cycle: Cycle, address: Term) -> list[Write]:
        port = self.contract.memory
        assert port is not None and port.write_data is not None
        said = cycle.output(port.write_data)
        data = terms.apply("zext", max(said.width, 8 * port.data_bytes), (said,))  # bits that the port lacks are 0
        mask = cycle.output(port.write_mask) if port.write_mask else None
        result = []
        for k in range(port.data_bytes):
            enabled = TRUE if mask is None else terms.extract(mask, k, 1)
            if enabled is not FALSE:
                result.append(Write(port.name, _plus(address, k), terms.extract(data, 8 * k, 8), None, enabled))
        return result


def _plus(address: Term, offset: int) -> Term:
    return terms.apply("add", address.width, (address, terms.const(offset, address.width)))
