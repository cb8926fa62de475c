"""Random streams of instructions, on the RTL and on the oracle: memory, local memories and what waits in them must be left the same.

    make stream N=20000                             at least so many instructions of each design
    python scripts/stream.py vta -N 10000 --seed 7  of one design, the same again
    python scripts/stream.py gemmini --longest 8    in streams of up to 8 drawn instructions

A stream begins with random contents, is issued back to back, configures the machine anew in between, and meets memory of random latency.  Prints what was
executed, writes it to build/stream.json, and exits with status 4 when something differed: `--seed` and the number printed with the difference replay it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import date
from itertools import islice
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

from own_tests import from_tests
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "build" / "stream.json"
BATCH = 50
PER_SEED = 1 << 32  # streams of one seed; those of another never are the same
DIFFERENT = 4


@dataclass(frozen=True, slots=True)
class Subject:
    """A design: `draw` makes the stream of a number with so many drawn instructions, `issued` says what was executed in it, `compare` what the RTL leaves
    otherwise after some streams, the first of which meets memory of this latency seed."""

    draw: Callable[[int, int], Any]
    issued: Callable[[Any], Sequence[str]]
    compare: Callable[[Sequence[Any], int], list[str]]


def gemmini() -> Subject:
    """At DIM = 16, as the instruction set in isas/generated."""
    streams, machines, tested = from_tests("end_to_end.streams"), from_tests("end_to_end.machines"), from_tests("end_to_end.test_streams")
    target = machines.hardware(machines.GENERATED.read_text())
    names = tested.every_operation(target)

    def draw(number: int, length: int) -> Any:
        name = names[number % len(names)]
        return streams.Stream(target, number, name, length, tested.needs_parts(target, name) or number % 3 == 0)

    return Subject(draw, lambda s: [n for n, _ in s.commands], lambda some, latency: streams.compare(target, some, latency)[1])


def vta() -> Subject:
    """With blocks of 4, lifted here."""
    sys.path.insert(0, str(ROOT / "tests" / "rtl"))
    hardware = from_tests("end_to_end.vta_hardware")
    target = hardware.Hardware(hardware.lifted(ROOT / "build" / "stream"))
    names = list(target.instructions)
    return Subject(
        lambda number, length: target.stream(number, names[number % len(names)], length),
        lambda s: [n for n, _ in s.operations],
        lambda some, latency: hardware.rtl_differences(target, some, latency),
    )


SUBJECTS: dict[str, Callable[[], Subject]] = {"gemmini": gemmini, "vta": vta}


@dataclass(slots=True)
class Found:
    """What was executed so far, and what differed."""

    executed: Counter[str] = field(default_factory=Counter)
    streams: int = 0
    longest: int = 0
    differences: list[str] = field(default_factory=list)
    seconds: float = 0.0


def run(subject: Subject, seed: int, wanted: int, longest: int, say: Callable[[str], None] = lambda _: None) -> Found:
    """Streams until `wanted` instructions were executed, or something differs."""
    found, start = Found(), perf_counter()
    remaining = streams(subject, seed, longest)
    while found.executed.total() < wanted and not found.differences:
        batch, issued = [], 0
        while len(batch) < BATCH and found.executed.total() + issued < wanted:
            batch += islice(remaining, 1)
            issued += len(subject.issued(batch[-1]))
        found.differences += subject.compare(batch, found.streams + 1)
        found.streams += len(batch)
        for each in batch:
            found.executed.update(subject.issued(each))
            found.longest = max(found.longest, len(subject.issued(each)))
        say(f"{found.executed.total()} of {wanted}")
    found.seconds = perf_counter() - start
    return found


def streams(subject: Subject, seed: int, longest: int) -> Iterator[Any]:
    lengths, number = Random(seed), seed * PER_SEED
    while True:
        yield subject.draw(number, lengths.randint(0, longest))
        number += 1


def main() -> int:
    arguments = parsed()
    console = Console(width=None if sys.stdout.isatty() else 160)
    results: dict[str, Found] = {}
    for name in arguments.designs or SUBJECTS:
        console.print(f"{name}: seed {arguments.seed}")
        with console.status(name) as status:
            results[name] = run(SUBJECTS[name](), arguments.seed, arguments.instructions, arguments.longest, status.update)
    report(results, arguments.seed, console)
    return DIFFERENT if any(found.differences for found in results.values()) else 0


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("designs", metavar="DESIGN", nargs="*", choices=[*SUBJECTS, []], help=f"of {', '.join(SUBJECTS)} (default: all)")
    parser.add_argument("-N", "--instructions", metavar="N", type=int, default=2_000, help="of each design, at least (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=date.today().toordinal(), help="what is drawn (default: of the day)")
    parser.add_argument("--longest", metavar="N", type=int, default=50, help="drawn instructions of a stream (default: %(default)s)")
    return parser.parse_args()


def report(results: dict[str, Found], seed: int, console: Console) -> None:
    table = Table(title=f"random streams, seed {seed}")
    for column in ("", "instructions", "kinds", "streams", "longest", "different", "seconds"):
        table.add_column(column, justify="right" if column else "left")
    for name, found in results.items():
        row = (found.executed.total(), len(found.executed), found.streams, found.longest, len(found.differences))
        table.add_row(name, *map(str, row), f"{found.seconds:.1f}")
    console.print(table)
    for found in results.values():
        for line in found.differences[:5]:
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    OUTPUT.parent.mkdir(exist_ok=True)
    record = {name: {each.name: getattr(found, each.name) for each in fields(found)} for name, found in results.items()}
    OUTPUT.write_text(json.dumps({"seed": seed, **record}, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
