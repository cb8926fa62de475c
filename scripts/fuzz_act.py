"""Random kernels in the types and operators of an instruction set: each is compiled, and its program run against the HLO reference.

    make fuzz-act SEED=7 COUNT=200                          these 200 kernels
    make fuzz-act ISA=isas/reference/gemmini.taidl          for another instruction set
    python scripts/fuzz_act.py --mutate examples/kernels --count 50     the kernels of folders, and 50 random ones, each with every
                                                            attribute of every instruction changed in turn; with --table FILE
                                                            a table by operator and attribute, with --part 2/10 in parts

Counts kernels that are equal, refused (by reason), wrong, and such that the compiler crashed on.  What goes wrong is reduced and written to
build/fuzz_act.  Exit status 4 when a kernel was wrong or the compiler crashed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import types
from collections import Counter
from collections.abc import Iterator
from math import inf
from pathlib import Path
from statistics import median
from time import perf_counter

from own_tests import from_tests

from act.backend.compile import Backend
from act.generator.analyse import analyse
from act.hlo import Module, flatten, parse_module, print_module
from act.program import isa_digest
from act.taidl import parse, print_text

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "fuzz_act"
FAILURES = ("wrong", "crashed")


def backend_of(isa: Path) -> Backend:
    accelerator = parse(isa.read_text())
    return Backend(accelerator, analyse(accelerator), isa_digest(print_text(accelerator)))


def keep(judge: types.ModuleType, backend: Backend, module: object, outcome: object, name: str, until: float) -> Path:
    """Writes the failing kernel, as small as it gets before `until`."""
    verdict, least_seconds = outcome.verdict, int(2 + 2 * outcome.seconds)  # type: ignore[attr-defined]
    least = judge.shrunk(module, lambda each: judge.judge(backend, each, seconds=least_seconds).verdict == verdict, until=until)
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / f"{verdict.value}_{name}.hlo"
    file.write_text(print_module(least))
    return file


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isa", type=Path, default=ROOT / "isas" / "generated" / "gemmini.taidl")
    parser.add_argument("--seed", type=int, default=None, help="of the first kernel; the next has the next number")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=None, help="about how many instructions each kernel has; from 7 to 150 by default")
    parser.add_argument("--seconds", type=int, default=60, help="of the processor, for one kernel")
    parser.add_argument("--time", type=float, default=None, help="seconds after which no kernel is begun, and a failing one is not made smaller")
    parser.add_argument("--mutate", type=Path, action="append", default=[], metavar="FOLDER", help="kernels whose attributes are changed")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="of the changed kernels only the I-th of N parts")
    parser.add_argument("--table", type=Path, default=None, help="where to write what became of the changes of each attribute of each operator")
    parser.add_argument("--sample", type=int, default=None, help="of the changed kernels only so many, by --seed")
    parser.add_argument("--json", type=Path, default=None, help="where to write the counts")
    options = parser.parse_args()
    judge = from_tests("fuzz_judge")
    seed = random.SystemRandom().randrange(1 << 30) if options.seed is None else options.seed
    backend = backend_of(options.isa)
    known = from_tests("fuzz_language").language(backend.rules)
    print(f"SEED={seed} COUNT={options.count} ISA={options.isa}: {', '.join(known.loaded + known.computed)}; {', '.join(sorted(known.operators))}", flush=True)
    changes: dict[str, Counter[str]] = {}
    counts, reasons, times, begin = Counter(), Counter(), [], perf_counter()
    until = begin + (inf if options.time is None else options.time)
    for number, module in kernels_of(options, known, seed):
        if perf_counter() > until:
            print(f"ended after {options.time:.0f} s: {sum(counts.values())} kernels", flush=True)
            break
        outcome = judge.judge(backend, module, number, options.seconds)
        counts[outcome.verdict.value] += 1
        changes.setdefault(what_changed(module.name), Counter())[outcome.verdict.value] += 1
        if outcome.verdict.value == "equal":
            times.append(outcome.seconds)
        elif outcome.verdict.value in ("refused", "out of time"):
            reasons[outcome.reason] += 1
        if outcome.verdict.value in FAILURES:
            print(f"{outcome.verdict.value.upper()} seed {number}, {module.name}: {outcome.reason}", flush=True)
            print(f"  kept {keep(judge, backend, module, outcome, f'{options.isa.stem}_{number}_{sum(counts.values())}', until)}", flush=True)
    report(counts, reasons, times, perf_counter() - begin)
    if options.table:
        options.table.write_text(table(changes))
    if options.json:
        record = {"isa": str(options.isa), "seed": seed, "counts": counts, "reasons": reasons, "median_s": median(times) if times else None}
        options.json.write_text(json.dumps(record, indent=2) + "\n")
    sys.exit(4 if any(counts[name] for name in FAILURES) else 0)


def kernels_of(options: argparse.Namespace, known: object, seed: int) -> Iterator[tuple[int, Module]]:
    """Random kernels by their seeds; with --mutate all changed kernels, or a sample of them."""
    kernels = from_tests("fuzz_kernels")
    made = ((number, kernels.module(known, number, options.nodes)) for number in range(seed, seed + options.count))
    if not options.mutate:
        yield from made
        return
    mutation = from_tests("mutation")
    files = sorted(file for folder in options.mutate for file in folder.rglob("*.hlo"))
    sources = [(0, flatten(parse_module(file.read_text(), str(file)))) for file in files] + list(made)
    found = [(number, f"{source.name}: {what}", each) for number, source in sources for what, each in mutation.mutants(source.main)]
    if options.sample is not None:
        found = random.Random(seed).sample(found, min(options.sample, len(found)))
    part, parts = map(int, options.part.split("/"))
    found = found[part - 1 :: parts]
    print(f"{len(found)} changed kernels of {len(sources)}", flush=True)
    yield from ((number, kernels.as_module(each, what)) for number, what, each in found)


def what_changed(name: str) -> str:
    """`swlib: dot 'd': lhs_contracting_dims=(0,)` is `dot, lhs_contracting_dims`."""
    _, _, change = name.partition(": ")
    operator, _, value = change.partition(": ")
    kinds = "operands exchanged" if "exchanged" in value else "type" if "becomes" in value else "operator"
    attributes = ", ".join(each.split("=")[0] for each in re.findall(r"\w+=", value))
    return f"{operator.split()[0] if operator else ''}, {attributes or kinds}"


def table(changes: dict[str, Counter[str]]) -> str:
    """Markdown: one row for each attribute of each operator."""
    heads = ("equal", "refused", "out of time", "wrong", "crashed")
    rows = [f"| {what} | " + " | ".join(str(found[head]) for head in heads) + " |" for what, found in sorted(changes.items())]
    total = Counter({head: sum(found[head] for found in changes.values()) for head in heads})
    rows.append("| all | " + " | ".join(str(total[head]) for head in heads) + " |")
    return "\n".join(["| what was changed | " + " | ".join(heads) + " |", "|---|" + "---|" * len(heads), *rows]) + "\n"


def report(counts: Counter[str], reasons: Counter[str], times: list[float], seconds: float) -> None:
    print(", ".join(f"{count} {name}" for name, count in counts.most_common()), f"in {seconds:.0f} s")
    if times:
        print(f"compile time of the equal ones: median {1000 * median(times):.0f} ms, maximum {1000 * max(times):.0f} ms")
    for reason, count in reasons.most_common():
        print(f"  {count}: {reason}")


if __name__ == "__main__":
    main()
