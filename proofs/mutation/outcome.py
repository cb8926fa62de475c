"""One mutant of a design -> what became of it: the cheapest check that notices it, or a proof that there is nothing to notice.

In this order, each only when those before it say nothing:
the reader refuses it; the cycle of every module is proved to be the same; a proof about the changed module fails; the lift refuses it, or it is lifted to
another instruction set, or one with something opaque in it; streams of instructions leave something else on the changed RTL than the specification says; the
whole design is proved to do the same from reset on; streams leave the same but take other numbers of cycles.  The rest survives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from lift.errors import UserError
from lift.netlist.model import Netlist
from lift.options import Options
from lift.pipeline import NotWellFormed, lift
from lift.progress import Progress
from lift.prove.session import UnsoundPass
from lift.unroll.machine import with_deep_recursion
from proofs.mutation.apart import Failed, apart
from proofs.mutation.definitions import all_equal
from proofs.mutation.designs import Design
from proofs.mutation.kinds import BAD, OUTCOMES, What
from proofs.mutation.sequential import Compared
from proofs.mutation.sites import Mutant

LIFT_SECONDS, PROOF_SECONDS = 150, 250


@dataclass(frozen=True, slots=True)
class Outcome:
    """`why` is the first line of evidence, `seconds` by check."""

    id: str
    kind: str
    what: What
    why: str
    seconds: dict[str, float]


@dataclass(slots=True)
class Original:
    """What mutants of a design are compared with."""

    design: Design
    netlist: Netlist
    text: str
    cycles: tuple[int, ...]
    compared: Compared
    cache: Path


class Check:
    """The checks of one mutant, whose copy of the sources is `folder` (…/rtl/NAME)."""

    def __init__(self, original: Original, mutant: Mutant, folder: Path) -> None:
        self.original, self.mutant, self.folder = original, mutant, folder
        self.seconds: dict[str, float] = {}
        self.netlist: Netlist | None = None
        self.notes: list[str] = []
        self.other_cycles = 0

    def run(self) -> Outcome:
        for check in (self.read, self.definitions, self.statements, self.lifted, self.streams, self.sequential):
            start = perf_counter()
            found = check()
            self.seconds[check.__name__] = round(perf_counter() - start, 2)
            if found is not None:
                return Outcome(self.mutant.id, self.mutant.kind, *found, self.seconds)
        what: What = "timing only" if self.other_cycles else "survived"
        return Outcome(self.mutant.id, self.mutant.kind, what, "; ".join(self.notes), self.seconds)

    def read(self) -> tuple[What, str] | None:
        try:
            self.netlist = self.original.design.read(self.folder)
        except UserError as error:
            return "rejected by the reader", str(error).splitlines()[0]
        return None

    def definitions(self) -> tuple[What, str] | None:
        assert self.netlist is not None
        return ("equal by Z3, module by module", "") if all_equal(self.original.netlist, self.netlist) else None

    def lifted(self) -> tuple[What, str] | None:
        """A lift that does not end in time says nothing; streams decide."""
        output = self.folder.parents[1] / "lifted.taidl"
        found = apart(lambda: _lifted(self.original, self.folder, output), LIFT_SECONDS)
        if isinstance(found, Failed):
            self.notes.append(f"lift: {found.why}")
            return None if found.late else ("crashed", found.why)
        what, text = found
        return taidl_verdict(self.original.text, text) if what is None else (what, text)

    def streams(self) -> tuple[What, str] | None:
        differences, cycles = self.original.design.streams(self.original.text, self.folder)
        if differences:
            return "streams differ", f"{len(differences)} differences, first {differences[0]}"
        self.other_cycles = sum(a != b for a, b in zip(self.original.cycles, cycles, strict=True))
        self.notes.append(f"same results, {self.other_cycles} of {len(cycles)} streams take other numbers of cycles")
        return None

    def statements(self) -> tuple[What, str] | None:
        found = apart(lambda: self.original.design.statements(self.mutant.file, self.folder), PROOF_SECONDS)
        if isinstance(found, Failed):
            self.notes.append(f"statements: {found.why}")
            return None
        return found

    def sequential(self) -> tuple[What, str] | None:
        netlist = self.netlist
        assert netlist is not None
        found = apart(lambda: self.original.design.related(self.original.netlist, netlist) or self.original.compared.proof(netlist), PROOF_SECONDS)
        if isinstance(found, Failed):
            self.notes.append(f"proof: {found.why}")
            return None
        return ("equal by Z3, from reset on", found) if found else None


def _lifted(original: Original, folder: Path, output: Path) -> tuple[What | None, str]:
    """The text of the instruction set, or why there is none."""
    try:
        return None, lifted_text(original.design, folder, output, original.cache)
    except UserError as error:
        return "refused by the lift", str(error).splitlines()[0]
    except (NotWellFormed, UnsoundPass) as error:
        return "refused by the lift's own check", f"{type(error).__name__}: {str(error)[:300]}"


def lifted_text(design: Design, folder: Path, output: Path, cache: Path | None) -> str:
    """The instruction set of the sources in `folder`.  Raises UserError, NotWellFormed or UnsoundPass."""
    options = Options((folder,), design.top, output, design.name, parameters=dict(design.parameters), cache=cache)
    with_deep_recursion(lambda: lift(options, Progress()))
    return output.read_text()


def taidl_verdict(right: str, wrong: str) -> tuple[What, str] | None:
    """Comments, places and costs aside: costs are cycles, which are no part of what an instruction does."""
    before, after = list(_semantics(right)), list(_semantics(wrong))
    if before == after:
        return None
    opaque = [sum(line.strip() == "opaque" for line in lines) for lines in (before, after)]
    if opaque[1] > opaque[0]:
        return "opaque instruction", f"{opaque[1]} opaque instructions instead of {opaque[0]}"
    changed = [line.strip() for line in after if line not in before] or [f"without {line.strip()}" for line in before if line not in after]
    return "different TAIDL", (changed or ["in another order"])[0]


def _semantics(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip() and not line.strip().startswith(("#", "cost ", "source ")))


__all__ = ["BAD", "OUTCOMES", "Check", "Original", "Outcome", "lifted_text", "taidl_verdict"]
