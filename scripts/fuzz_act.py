"""Random kernels in the types and operators of an instruction set: each is compiled, and its program run against the HLO reference.

    make fuzz-act SEED=7 COUNT=200                          these 200 kernels
    make fuzz-act ISA=isas/reference/gemmini.taidl          for another instruction set
    python scripts/fuzz_act.py --mutate examples/kernels --count 50     the kernels of folders, and the first 50 random ones that have a
                                                            program, each with every attribute of every instruction changed in turn
    python scripts/fuzz_act.py ... --state FILE --time 300  a slice of five minutes, and the next one from there on; with a small --budget
                                                            first, and --again with the full one for those that were refused

Counts kernels that are equal, refused (by reason), wrong, and such that the compiler crashed on; --table FILE has them by operator and
attribute.  What goes wrong is reduced and written to build/fuzz_act.  Exit status 4 when a kernel was wrong or the compiler crashed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from math import inf
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from campaign import FAILURES, Campaign, load, report, table
from own_tests import from_tests

from act.backend.choose import BUDGET
from act.backend.compile import Backend, Choice, compile_module
from act.errors import UserError
from act.generator.analyse import analyse
from act.hlo import Module, flatten, parse_module, print_module
from act.program import isa_digest
from act.taidl import parse, print_text

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "fuzz_act"
SAVED = 30
"""Seconds after which what was found is kept, in a run with a state."""

Source = tuple[str, int, Callable[[], Iterator[Module]]]
"""A name, the seed of inputs, and the kernels."""


def backend_of(isa: Path) -> Backend:
    accelerator = parse(isa.read_text())
    return Backend(accelerator, analyse(accelerator), isa_digest(print_text(accelerator)))


@dataclass(slots=True)
class Run:
    """Judges kernels until it is time to end, and notes what becomes of them."""

    options: argparse.Namespace
    backend: Backend
    found: Campaign
    until: float

    @property
    def seed(self) -> int:
        return self.found.settings["seed"]

    def sources(self) -> Iterator[Source]:
        """The random kernels; with --mutate each kernel of the folders and each chosen random one, changed."""
        languages = from_tests("fuzz_language")
        known = languages.tried(self.backend, languages.language(self.backend.rules))
        make = partial(from_tests("fuzz_kernels").module, known, nodes=self.options.nodes)
        if not self.options.mutate:
            seeds = range(self.seed, self.seed + self.options.count)
            yield from ((f"kernel {seed}", seed, partial(_alone, make, seed)) for seed in seeds)
            return
        for file in sorted(file for folder in self.options.mutate for file in folder.rglob("*.hlo")):
            yield str(file), 0, partial(_changed, lambda file=file: flatten(parse_module(file.read_text(), str(file))))
        for seed in self._chosen(make):
            yield f"kernel {seed}", seed, partial(_changed, partial(make, seed))

    def _chosen(self, make: Callable[[int], Module]) -> Iterator[int]:
        """The seeds of the first random kernels that have a program: of one that has none hardly any change has one."""
        yield from self.found.seeds
        if self.options.again:
            return
        for seed in count(max(self.found.seeds, default=self.seed - 1) + 1):
            if len(self.found.seeds) >= self.options.count:
                return
            try:
                compile_module(self.backend, make(seed), budget=self.options.budget, choice=Choice(self.options.budget))
            except UserError:
                continue
            self.found.seeds.append(seed)
            yield seed

    def kernels(self) -> Iterator[tuple[str, int, int, Module]]:
        """Source, number, seed and kernel of those that were not judged yet, or (--again) were refused with a small budget."""
        part, parts = self.options.part
        for place, (name, seed, made) in enumerate(self.sources()):
            begin = 0 if self.options.again else self.found.done.get(name, 0)
            wanted = {number for source, number, _ in self.found.again if source == name}
            if self.options.again and not wanted:
                continue
            for number, module in islice(enumerate(made()), begin, None):
                if number in wanted if self.options.again else (number + place) % parts == part % parts:
                    yield name, number, seed, module

    def all(self) -> None:
        judge, kept, saved = from_tests("fuzz_judge"), set[str](), perf_counter()
        for source, number, seed, module in self.kernels():
            if perf_counter() > self.until:
                print("ended, for it is time", flush=True)
                return
            begin = process_time()
            outcome = judge.judge(self.backend, module, seed, self.options.seconds, self.options.budget)
            self.found.note(source, number, module.name, outcome.verdict.value, outcome.reason, outcome.seconds, self.options.budget >= BUDGET)
            self.found.seconds += process_time() - begin
            if outcome.verdict.value in FAILURES:
                print(f"{outcome.verdict.value.upper()} {source}, seed {seed}, {module.name}: {outcome.reason}", flush=True)
            if outcome.verdict.value in FAILURES and outcome.reason not in kept:
                kept.add(outcome.reason)
                print(f"  kept {self._keep(judge, module, outcome, f'{self.options.isa.stem}_{seed}_{number}')}", flush=True)
            if self.options.state and perf_counter() > saved + SAVED:
                self.found.save(self.options.state)
                saved = perf_counter()

    def _keep(self, judge: Any, module: Module, outcome: Any, name: str) -> Path:
        """Writes the failing kernel, as small as it gets until it is time to end."""
        least_seconds = int(2 + 2 * outcome.seconds)
        least = judge.shrunk(module, lambda each: judge.judge(self.backend, each, seconds=least_seconds).verdict == outcome.verdict, until=self.until)
        FOLDER.mkdir(parents=True, exist_ok=True)
        file = FOLDER / f"{outcome.verdict.value}_{name}.hlo"
        file.write_text(print_module(least))
        return file


def _alone(make: Callable[[int], Module], seed: int) -> Iterator[Module]:
    yield make(seed)


def _changed(make: Callable[[], Module]) -> Iterator[Module]:
    """The kernels that differ in one attribute."""
    source = make()
    for what, each in from_tests("mutation").mutants(source.main):
        yield from_tests("fuzz_kernels").as_module(each, f"{source.name}: {what}")


def _part(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    return int(part), int(parts)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isa", type=Path, default=ROOT / "isas" / "generated" / "gemmini.taidl")
    parser.add_argument("--seed", type=int, default=None, help="of the first kernel; the next has the next number")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=None, help="about how many instructions each kernel has; from 7 to 150 by default")
    parser.add_argument("--seconds", type=int, default=60, help="of the processor, for one kernel")
    parser.add_argument("--budget", type=int, default=BUDGET, help="of the compiler; with less, what is refused can be looked at --again")
    parser.add_argument("--time", type=float, default=inf, help="seconds after which no kernel is begun, and a failing one is not made smaller")
    parser.add_argument("--mutate", type=Path, action="append", default=[], metavar="FOLDER", help="kernels whose attributes are changed")
    parser.add_argument("--part", type=_part, default=(0, 1), metavar="K/N", help="every Nth kernel, from the Kth on: all N parts are the whole")
    parser.add_argument("--state", type=Path, default=None, help="what was found so far: the run goes on from there, and adds to it")
    parser.add_argument("--again", action="store_true", help="those kernels of --state that a small --budget was not enough for")
    parser.add_argument("--table", type=Path, default=None, help="where to write what became of the changes of each attribute of each operator")
    parser.add_argument("--json", type=Path, default=None, help="where to write the counts")
    return parser.parse_args()


def main() -> None:
    options, begin = arguments(), perf_counter()
    found, backend = load(options.state), backend_of(options.isa)
    seed = random.SystemRandom().randrange(1 << 30) if options.seed is None else options.seed
    found.settings = found.settings or {"seed": seed, "isa": str(options.isa), "count": options.count, "mutate": [str(each) for each in options.mutate]}
    known = from_tests("fuzz_language").language(backend.rules)
    shown = f"{', '.join(known.loaded + known.computed)}; {', '.join(sorted(known.operators))}"
    print(f"SEED={found.settings['seed']} COUNT={options.count} ISA={options.isa}: {shown}", flush=True)
    Run(options, backend, found, begin + options.time).all()
    print("\n".join(report(found)))
    if options.state:
        found.save(options.state)
    if options.table:
        options.table.write_text(table(found.changes))
    if options.json:
        middle = median(found.times) if found.times else None
        record = {**found.settings, "counts": found.counts, "reasons": found.reasons, "median_s": middle}
        options.json.write_text(json.dumps(record, indent=2) + "\n")
    sys.exit(4 if any(found.counts[name] for name in FAILURES) else 0)


if __name__ == "__main__":
    main()
