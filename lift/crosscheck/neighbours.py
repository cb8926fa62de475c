"""What a unit says on its channels, and what is answered, cycle by cycle with concrete values.

The same as the recorders and surroundings of `lift.discover` give symbolically, worked out anew: transaction n of an output channel is word n
of a memory per payload port; an answer with data comes in the next cycle; one without data comes when nothing moves any more.
"""

from __future__ import annotations

from collections.abc import Mapping

from lift.crosscheck.sample import Before
from lift.discover.channels import Answer, Channel
from lift.discover.contract import Contract
from lift.discover.recorders import count_name, last_name, owed_name, record_name

Ports = Mapping[str, int]


class NotPlayed(Exception):
    """The execution cannot go on, for the reason in the message."""


def recorders(contract: Contract) -> set[str]:
    """The registers that record what is said: they are not in the RTL, and reset does not reach them here."""
    counts = {count_name(c) for c in contract.channels if c.output and c.valid is not None}
    return counts | {owed_name(a) for a in contract.answers} | {last_name(a, f) for a in contract.answers for f in a.echoes}


class Neighbours:
    """Feed it each cycle's inputs and outputs; `registers` and `words` are what the recorders hold."""

    def __init__(self, contract: Contract, before: Before) -> None:
        self._contract, self._before = contract, before
        self._said = [c for c in contract.channels if c.output and c.valid is not None]
        self.registers = {n: before.registers[n] for n in sorted(recorders(contract)) if n in before.registers}
        self.words: dict[str, dict[int, int]] = {}

    def taken(self) -> None:
        """A command is taken in the coming cycle: transactions are counted from 0."""
        self.registers |= {count_name(c): 0 for c in self._said}

    def answers(self, outputs: Ports) -> dict[str, int]:
        """After a cycle: what it said is recorded; the inputs of the next cycle that answer it."""
        answered: dict[str, int] = {}
        for answer in self._contract.answers:
            if answer.request.valid and outputs[answer.request.valid]:
                self.registers |= {last_name(answer, f): outputs[port] for f, port in answer.echoes.items()}
                if answer.late:
                    self.registers[owed_name(answer)] = 1
                else:
                    answered |= self._data(answer, outputs)
        for channel in self._said:
            if outputs[str(channel.valid)]:
                self._record(channel, outputs)
        return answered

    def owed(self) -> bool:
        return any(self.registers.get(owed_name(a)) for a in self._contract.answers if a.late)

    def late(self) -> dict[str, int]:
        """The inputs of a cycle in which all that is owed is answered.  Raises NotPlayed for an answer of which nobody knows what completes it."""
        inputs: dict[str, int] = {}
        for answer in self._contract.answers:
            if answer.late and self.registers.get(owed_name(answer)):
                if free := answer.channel.payload.keys() - answer.echoes.keys():
                    raise NotPlayed(f"what an answer on {answer.channel.name} must hold in {', '.join(sorted(free))} to complete the request is not known")
                self.registers[owed_name(answer)] = 0
                inputs |= {str(answer.channel.valid): 1, **{p: self.registers[last_name(answer, f)] for f, p in answer.channel.payload.items()}}
        return inputs

    def _data(self, answer: Answer, outputs: Ports) -> dict[str, int]:
        request, channel = answer.request, answer.channel
        where = outputs[request.address] if request.address else self.registers.get(count_name(request), 0)
        inputs = {channel.valid: 1} if channel.valid else {}
        for name, port in channel.payload.items():
            echoed = answer.echoes.get(name)
            inputs[port] = outputs[echoed] if echoed else self._before.outside_word(port, where)
        return inputs

    def _record(self, channel: Channel, outputs: Ports) -> None:
        at = self.registers.get(count_name(channel), 0)
        self.registers[count_name(channel)] = at + 1
        for port in channel.payload.values() or [str(channel.valid)]:
            self.words.setdefault(record_name(self._contract, port), {})[at] = outputs[port] if channel.payload else 1
