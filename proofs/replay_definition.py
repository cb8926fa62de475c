"""A difference between two readings of one module -> its waves, and the module alone on Icarus Verilog: which of the two is right?"""

from __future__ import annotations

from collections.abc import Mapping

from lift.crosscheck import Given
from lift.crosscheck.definitions import definitions
from lift.crosscheck.icarus import Icarus, NotSimulated
from lift.crosscheck.stubs import alone_on_icarus
from lift.crosscheck.verdicts import Counterexample, Row, Verdict
from lift.netlist.model import Netlist
from lift.netlist.module import Design
from proofs.replay import CONFIRMED, NOT_PLAYED, OTHERWISE, ROOT, Replay
from proofs.waves import Wave, table


def replayed(design: Design, verdict: Verdict) -> Replay:
    """Confirmed: the module does not do what our reading says.  `verdict` is of a definition, and different."""
    shown, found = verdict.counterexample, next(d for d in definitions(design) if d.label == verdict.subject)
    assert shown is not None
    columns = ("before", "ours", shown.by, "Icarus")
    try:
        assert found.netlist is not None
        with alone_on_icarus(design, found, Given()) as machine:
            value, unknown = _executed(found.netlist, machine, shown)
    except NotSimulated as error:
        return Replay(NOT_PLAYED, str(error), table(columns, _waves(shown, None)))
    ours = (value ^ shown.ours.value) & ~unknown
    return Replay(CONFIRMED if ours else OTHERWISE, "" if ours else "Icarus has what our reading says", table(columns, _waves(shown, value)))


def _executed(netlist: Netlist, machine: Icarus, shown: Counterexample) -> tuple[int, int]:
    """The value of what differs, and its bits that are not known."""
    given = {row.name: row.value for row in shown.given}
    machine.load({n: given.get(n, 0) for n in netlist.registers}, _memories(netlist, given))
    outputs = machine.step({n: given.get(n, 0) for n in netlist.inputs})
    name, _, word = shown.ours.name.partition("[0x")
    if name in netlist.memories:
        return machine.memories()[name][int(word.rstrip("]"), 16)], 0
    registers = machine.registers()
    known = registers if shown.ours.name in registers.values else outputs
    return known.values[shown.ours.name], known.unknown[shown.ours.name]


def _memories(netlist: Netlist, given: Mapping[str, int]) -> dict[str, list[int]]:
    return {name: [given.get(f"{name}[{k:#x}]", 0) for k in range(memory.depth)] for name, memory in netlist.memories.items()}


def _waves(shown: Counterexample, value: int | None) -> list[Wave]:
    last = shown.ours
    own = next((row.value for row in shown.given if row.name == last.name), None)
    given = [Wave(row.name, row.width, (row.value,), _place(row)) for row in shown.given if row.name != last.name]
    return [*given, Wave(last.name, last.width, (own, last.value, shown.theirs.value, value), _place(last))]


def _place(row: Row) -> str:
    return row.location.removeprefix(f"{ROOT}/")


__all__ = ["replayed"]
