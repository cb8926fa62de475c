"""Names of fields: what the design calls the registers that latch them."""

from __future__ import annotations

from lift.assemble.leaves import Part, field_part
from lift.unroll.extract import Lift
from lift.unroll.terms import Term


def field_names(lift: Lift, instruction: str) -> dict[Part, str]:
    """Slices of the command's words -> the last component of a register that ends with that slice; the instruction's own units first."""
    command, netlist = lift.unit.contract.command, lift.unit.machine.netlist
    assert command is not None
    words = {w: netlist.inputs[p] for w, p in command.words.items()}
    execution = lift.unit.executions[instruction]
    found: dict[Part, list[str]] = {}
    for path in execution.paths:
        for name, term in path.final.registers.items():
            part = field_part(term, words)
            if part is not None:
                found.setdefault(part, []).append(name)
    for part, label in _wires(lift, words).items():
        found.setdefault(part, []).append(label)
    return {part: _last(min(candidates, key=lambda n: (_is_word(n, words), n.count("."), len(n)))) for part, candidates in found.items()}


def _is_word(name: str, words: dict[str, int]) -> bool:
    return name.rsplit(".", 1)[-1] in words


def _last(name: str) -> str:
    last = name.rsplit(".", 1)[-1]
    head, _, tail = last.rpartition("_")
    return head if tail.isdigit() and head else last


def _wires(lift: Lift, words: dict[str, int]) -> dict[Part, str]:
    """Wires that are slices of the payload."""
    from lift.discover.commands import payload_slices

    command = lift.unit.contract.command
    assert command is not None
    slices = payload_slices(lift.unit.machine.netlist, command)
    return {(s.word, s.low, s.width): name for name, s in slices.items() if s.width < words[s.word]}


def describe_atoms(lift: Lift) -> dict[Term, str]:
    """Names of one-bit conditions."""
    return dict(lift.names)
