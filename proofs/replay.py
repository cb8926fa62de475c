"""A counterexample about one clock cycle of a module -> its table of waves, and the same cycle on Icarus Verilog.

A claim says something of the next registers and of the outputs that a proof has.  If Icarus has the same ones, the RTL does what the counterexample
says: it is confirmed.  If it has others, the proof is about something else than the RTL, and the counterexample is not reproduced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import z3

from lift.crosscheck import Given, simulated
from lift.crosscheck.icarus import NotSimulated, is_installed
from lift.ir.subterms import free
from lift.netlist.model import Netlist
from proofs.solve import Refuted
from proofs.waves import Wave, table

ROOT = Path(__file__).parents[1]
BEFORE, AFTER, PROOF = "before", "after", "proof"
CONFIRMED, OTHERWISE, NOT_PLAYED = "confirmed on Icarus", "not reproduced on Icarus", "not replayed"


@dataclass(frozen=True, slots=True)
class Replay:
    """`verdict` is one of the three above, `why` the first difference or what is in the way."""

    verdict: str
    why: str
    table: str

    def __str__(self) -> str:
        return "\n".join([self.table, f"{self.verdict}{': ' if self.why else ''}{self.why}"])


class Subject(Protocol):
    """What a claim is about, and on which its counterexamples can be replayed."""

    def replay(self, refuted: Refuted) -> Replay: ...


@contextmanager
def about(subject: Subject) -> Iterator[None]:
    """What is refuted inside carries what it is about."""
    try:
        yield
    except Refuted as error:
        if error.subject is None:
            error.subject = subject
        raise


def explained(refuted: Refuted) -> Replay | None:
    """The replay of a counterexample, None if nobody said what it is about."""
    return None if refuted.subject is None else refuted.subject.replay(refuted)


def must_be_confirmed(refuted: Refuted) -> None:
    """Shows the counterexample.  AssertionError if Icarus, where there is one, does something else."""
    replay = explained(refuted)
    print(refuted, replay, sep="\n")
    assert replay is not None
    assert replay.verdict == (CONFIRMED if is_installed() else NOT_PLAYED)


@dataclass(frozen=True, slots=True)
class OneCycle:
    """A module with the next registers and the outputs that a proof has, as Z3 values over inputs and registers by name.  What is not in `values` is
    shown and not compared."""

    netlist: Netlist
    values: Mapping[str, z3.BitVecRef]

    def replay(self, refuted: Refuted) -> Replay:
        start, proof = refuted.values, {n: at(v, refuted.values) for n, v in self.values.items()}
        try:
            found, unknown = self._on_icarus(start)
        except NotSimulated as error:
            return Replay(NOT_PLAYED, str(error), self._table(start, {}, proof))
        wrong = [n for n, v in proof.items() if (v ^ found[n]) & ~unknown.get(n, 0)]
        why = f"{wrong[0]} is {found[wrong[0]]:#x} there" if wrong else ""
        return Replay(OTHERWISE if wrong else CONFIRMED, why, self._table(start, found, proof))

    def _on_icarus(self, start: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
        """Outputs and next registers, and their bits that Icarus does not know."""
        registers = {name: start.get(name, 0) for name in self.netlist.registers}
        memories = {name: [start.get(f"{name}[{k:#x}]", 0) for k in range(m.depth)] for name, m in self.netlist.memories.items()}
        with simulated(self.netlist, Given()) as machine:
            machine.load(registers, memories)
            outputs = machine.step({name: start.get(name, 0) for name in self.netlist.inputs})
            after = machine.registers()
        return outputs.values | after.values, outputs.unknown | after.unknown

    def _table(self, start: Mapping[str, int], found: Mapping[str, int], proof: Mapping[str, int]) -> str:
        """Inputs and registers that the counterexample names, and everything that the claim may be about."""
        net, named = self.netlist, [n.partition("[0x")[0] for n in start]
        inputs = [self._wave(n, net.inputs[n], (start.get(n, 0), None, None)) for n in net.inputs if n in named]
        registers = [self._wave(n, r.width, (start.get(n, 0), found.get(n), proof.get(n))) for n, r in net.registers.items() if n in named or n in self.values]
        outputs = [self._wave(n, o.width, (found.get(n), None, proof.get(n))) for n, o in net.outputs.items() if n in self.values]
        return table((BEFORE, AFTER, PROOF), [*inputs, *registers, *outputs])

    def _wave(self, name: str, width: int, values: tuple[int | None, ...]) -> Wave:
        return Wave(name, width, values, place(self.netlist, name))


def place(netlist: Netlist, name: str) -> str:
    """Where a name is declared, below the project where the source is."""
    return str(netlist.locations.get(name, "")).removeprefix(f"{ROOT}/")


def at(value: z3.BitVecRef, values: Mapping[str, int]) -> int:
    """`value` where its variables and the words of its arrays have these values, 0 if they are not named."""
    pairs = [(t, _leaf(t, values)) for t in free([value])]
    return z3.simplify(z3.substitute(value, *pairs)).as_long()


def _leaf(term: z3.ExprRef, values: Mapping[str, int]) -> z3.ExprRef:
    name = term.decl().name()
    if not z3.is_array(term):
        return z3.BitVecVal(values.get(name, 0), term.sort())
    found = z3.K(term.sort().domain(), z3.BitVecVal(0, term.sort().range()))
    for place, word in values.items():
        if place.startswith(f"{name}[0x"):
            found = z3.Store(found, z3.BitVecVal(int(place[len(name) + 1 : -1], 16), term.sort().domain()), z3.BitVecVal(word, term.sort().range()))
    return found


__all__ = ["CONFIRMED", "NOT_PLAYED", "OTHERWISE", "OneCycle", "Replay", "about", "at", "explained", "must_be_confirmed", "place"]
