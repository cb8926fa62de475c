"""Changes the RTL in the tree, what is made of it, or the rewrite rules in one place at a time, and says what notices it.

    make mutate                                         300 mutants of each design
    python scripts/mutate.py --sample 8                 8 of them, other ones every day
    python scripts/mutate.py --seed 7 --count 100       these 100
    python scripts/mutate.py --set results --count 100  of functions after a pass and of the text of the instruction set; --set rules, --set all
    python scripts/mutate.py --set units --sample 8     of modules that are stated by themselves: cheap
    python scripts/mutate.py --resume                   go on with the seed and the outcomes that were written
    python scripts/mutate.py --only PE.v                those whose name has this in it
    python scripts/mutate.py --replay NAME              one, by the name that was printed

Prints a table of kinds of changes and outcomes; writes build/mutate/NAME.json, NAME being the design or the set.  Exit status 4 when a mutant survives or
something crashes.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Protocol, TypeVar

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from lift.files import write_text  # noqa: E402
from proofs.mutation import sets  # noqa: E402
from proofs.mutation.designs import DESIGNS, Design  # noqa: E402
from proofs.mutation.kinds import BAD, OUTCOMES  # noqa: E402
from proofs.mutation.outcome import Outcome  # noqa: E402
from proofs.mutation.run import chosen, original, outcomes  # noqa: E402
from proofs.mutation.sites import Mutant  # noqa: E402

FOLDER = ROOT / "build" / "mutate"
SETS: tuple[sets.Name, ...] = ("rtl", "units", "results", "rules")


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parser().parse_args(argv)
    chosen_sets = SETS if arguments.set == "all" else (arguments.set,)
    found = [each for name in chosen_sets for each in mutate_set(name, arguments)]
    bad = [each for each in found if each.what in BAD]
    print(f"{len(found)} mutants, {len(bad)} survived or crashed")
    return 4 if bad else 0


def parser() -> argparse.ArgumentParser:
    today = date.today().toordinal()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=[*SETS, "all"], default="rtl", help="what is changed (default: rtl)")
    parser.add_argument("--design", choices=DESIGNS, action="append", help="which design (default: all)")
    parser.add_argument("--seed", type=int, default=today, help="what is drawn (default: of the day)")
    parser.add_argument("--count", type=int, default=300, help="how many mutants of each design and set (default: 300)")
    parser.add_argument("--sample", type=int, dest="count", help="the same, for a few")
    parser.add_argument("--only", default="", help="only mutants of RTL with this in their name")
    parser.add_argument("--replay", action="append", default=[], metavar="NAME", help="one mutant, by its name; again for more")
    parser.add_argument("--resume", action="store_true", help="keep the outcomes that an interrupted run wrote, and its seed; judge the rest")
    parser.add_argument("--jobs", type=int, default=1, help="how many at a time (default: 1)")
    parser.add_argument("--output", type=Path, default=FOLDER, help="where the outcomes are written (default: build/mutate)")
    return parser


def mutate_set(name: sets.Name, arguments: argparse.Namespace) -> list[Outcome]:
    if name == "rtl":
        return [each for design in arguments.design or DESIGNS for each in mutate(DESIGNS[design], arguments)]
    run = Run.begun(name, arguments)
    tasks = sets.named(name, arguments.replay) if arguments.replay else sets.tasks(name, run.seed, arguments.count)
    return run.judged(sets.outcomes(run.left(tasks), arguments.jobs), tasks)


def mutate(design: Design, arguments: argparse.Namespace) -> list[Outcome]:
    run = Run.begun(design.name, arguments)
    mutants = wanted(design, run.seed, arguments)
    left = run.left(mutants)
    with tempfile.TemporaryDirectory() as work:
        return run.judged(outcomes(original(design, Path(work)), left, arguments.jobs) if left else iter(()), mutants)


class Named(Protocol):
    @property
    def id(self) -> str: ...


Each = TypeVar("Each", bound=Named)


@dataclass(slots=True)
class Run:
    """Outcomes of a design or a set as they come; `known` are of an earlier run with this seed."""

    name: str
    seed: int
    file: Path
    known: dict[str, Outcome]

    @classmethod
    def begun(cls, name: str, arguments: argparse.Namespace) -> Run:
        """What is on record is kept where that is asked for; a run of a few by name is not on record."""
        file = arguments.output / f"{name}{'-replayed' if arguments.replay else ''}.json"
        if not (arguments.resume and file.exists()):
            return cls(name, arguments.seed, file, {})
        document = json.loads(file.read_text())
        return cls(name, document["seed"], file, {each["id"]: Outcome(**each) for each in document["outcomes"]})

    def left(self, every: Sequence[Each]) -> list[Each]:
        return [each for each in every if each.id not in self.known]

    def judged(self, coming: Iterator[Outcome], every: Sequence[Named]) -> list[Outcome]:
        """All outcomes; new ones are printed, and written as they come, with a table at the end."""
        found = [self.known[each.id] for each in every if each.id in self.known]
        print(f"{self.name}: {len(every)} mutants, seed {self.seed}{f', {len(found)} of them on record' if found else ''}", flush=True)
        for number, each in enumerate(coming, len(found) + 1):
            print(f"{number:4} {each.id}: {each.what}{': ' + each.why[:150] if each.why else ''} ({sum(each.seconds.values()):.1f} s)", flush=True)
            found.append(each)
            self._write(found)
        print(table(found))
        return found

    def _write(self, found: Sequence[Outcome]) -> None:
        """Whole or not at all."""
        document = {"design": self.name, "seed": self.seed, "outcomes": [asdict(each) for each in found]}
        write_text(self.file, json.dumps(document, indent=1) + "\n")


def wanted(design: Design, seed: int, arguments: argparse.Namespace) -> list[Mutant]:
    every = design.mutants()
    if arguments.replay:
        if missing := set(arguments.replay) - {each.id for each in every}:
            sys.exit(f"{design.name} has no mutant {', '.join(sorted(missing))}")
        return [each for each in every if each.id in arguments.replay]
    return chosen([each for each in every if arguments.only in each.id], seed, arguments.count)


def table(found: Sequence[Outcome]) -> str:
    """Kinds of changes by outcomes."""
    count = Counter((each.what, each.kind) for each in found)
    kinds = sorted({each.kind for each in found})
    lines = [f"{'':32}" + "".join(f"{kind:>11}" for kind in [*kinds, "all"])]
    for what in (each for each in OUTCOMES if each in {one.what for one in found}):
        numbers = [count[what, kind] for kind in kinds]
        lines.append(f"{what:32}" + "".join(f"{number:>11}" for number in [*numbers, sum(numbers)]))
    return "\n".join(lines)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)  # libraries would complain about what was inherited by processes
