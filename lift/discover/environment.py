"""The world around a unit during one instruction: the command is offered once, the memory answers by contract.

The schedule is the simplest that the contract allows: requests are accepted at once and answered in the next cycle.
"""

from __future__ import annotations

from lift.discover.contract import Contract
from lift.netlist.model import Netlist
from lift.unroll import terms
from lift.unroll.explore import NotLifted
from lift.unroll.machine import Cycle
from lift.unroll.memory import Write, read
from lift.unroll.terms import FALSE, TRUE, Term

SCHEDULE = "requests to memory are accepted at once and answered in the next cycle"


class Surroundings:
    """The inputs of every cycle of one instruction; `payload` gives each command word its value (symbols but for the opcode bits)."""

    def __init__(self, netlist: Netlist, contract: Contract, payload: dict[str, Term] | None) -> None:
        self.netlist, self.contract, self.payload = netlist, contract, payload
        self._at_rest = self._rest()

    def _rest(self) -> dict[str, Term]:
        """Nothing is offered or answered; payloads without a valid are unknown."""
        inputs = {name: terms.sym(f"unused:{name}", width) for name, width in self.netlist.inputs.items()}
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
        return inputs

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

    def check_idle(self, cycle: Cycle) -> None:
        """At rest the next command must be accepted; raises NotLifted when the unit waits for something else."""
        command = self.contract.command
        if command is not None and command.ready is not None and cycle.output(command.ready) is not TRUE:
            waiting = "it waits for an input that the contract does not give"
            raise NotLifted(f"it comes to rest without being ready for the next command ({command.ready} is not 1): {waiting}")

    def predicates(self, cycle: Cycle) -> list[Term]:
        """Conditions that must be decided before the next cycle: whether a request is made, and of which kind."""
        port = self.contract.memory
        if port is None:
            return []
        valid = cycle.output(port.request_valid)
        if valid is FALSE or port.write is None:
            return [valid]
        return [valid, cycle.output(port.write)]

    def following(self, cycle: Cycle) -> tuple[dict[str, Term], list[Write]]:
        """The next cycle's inputs, and this cycle's writes to the host's memory, one a byte."""
        port, inputs = self.contract.memory, dict(self._at_rest)
        if port is None or cycle.output(port.request_valid) is FALSE:
            return inputs, []
        address = cycle.output(port.address)
        if port.write is not None and cycle.output(port.write) is TRUE:
            return inputs, self._written(cycle, address)
        if port.response_valid and port.response_data:
            inputs[port.response_valid] = TRUE
            inputs[port.response_data] = self._bytes(cycle, address)
        return inputs, []

    def _bytes(self, cycle: Cycle, address: Term) -> Term:
        port = self.contract.memory
        assert port is not None
        parts = [read(cycle.state.log, port.name, 8, _plus(address, k), cycle.assumptions.append) for k in range(port.data_bytes)]
        return terms.concat(*reversed(parts))

    def _written(self, cycle: Cycle, address: Term) -> list[Write]:
        port = self.contract.memory
        assert port is not None and port.write_data is not None
        data = cycle.output(port.write_data)
        mask = cycle.output(port.write_mask) if port.write_mask else None
        result = []
        for k in range(port.data_bytes):
            enabled = TRUE if mask is None else terms.extract(mask, k, 1)
            if enabled is not FALSE:
                result.append(Write(port.name, _plus(address, k), terms.extract(data, 8 * k, 8), None, enabled))
        return result


def _plus(address: Term, offset: int) -> Term:
    return terms.apply("add", address.width, (address, terms.const(offset, address.width)))
