"""How large the transaction functions of a module are, and how long they take: a table, and JSON.

scripts/bench_pull.py DIR --top TOP [--target NAME ...] [--arrays] [--modes] [--lift] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

from lift.functions import TimedProver
from lift.ir.operations import functions, walk
from lift.passes import PASSES
from lift.passes.b3_detect_mac import MAC
from lift.passes.c7_lift_to_linalg import LINALG_OP
from lift.passes.reuse import Lifter
from lift.unroll import terms
from lift.unroll.function import UpdateFunction
from lift.unroll.machine import with_deep_recursion
from lift.unroll.past import quiet_reset
from lift.unroll.paths import statement_terms
from lift.unroll.pull import DEPTH, INSTRUCTION, Puller, modes
from lift.unroll.series import gathered
from lift.verilog import read

HEADINGS = ("target", "operations", "cycles back", "inputs", "state", "memories", "assumptions", "seconds")
LIFTED = ("lifted", "MACs", "tensor", "proved", "not proved", "shared", "seconds")


@dataclass(frozen=True, slots=True)
class Row:
    """What one function reads and assumes; `lifted` is what the passes made of it."""

    target: str
    operations: int
    cycles: int
    inputs: int
    state: list[str]
    memories: list[str]
    assumptions: int
    seconds: float
    lifted: dict[str, int | float] | None = None

    def cells(self) -> list[str]:
        numbers = [self.target, self.operations, self.cycles, self.inputs, len(self.state), len(self.memories), self.assumptions, f"{self.seconds:.3f}"]
        return [str(n) for n in [*numbers, *(self.lifted or {}).values()]]


def row(function: UpdateFunction, seconds: float, lifter: Lifter | None) -> Row:
    roots = [t for s in function.body for t in statement_terms(s)] + ([] if function.result is None else [function.result])
    operations = sum(t.op not in ("const", "sym", "load") for t in terms.walk(*roots))
    stored = None if function.result is not None else function.target
    named = {role: [a.name for a in function.arguments if a.role == role and a.name != stored] for role in ("input", "state", "array", "memory")}
    state = named["state"] + named["array"]
    made = None if lifter is None else lifted(function, lifter)
    name = f"{function.target} {function.instruction.removeprefix(INSTRUCTION).lstrip('_')}".rstrip()
    return Row(name, operations, function.cycles, len(named["input"]), state, named["memory"], len(function.assumptions), seconds, made)


def lifted(function: UpdateFunction, lifter: Lifter) -> dict[str, int | float]:
    start = perf_counter()
    found = lifter.lift(function)
    operations = [op for each in functions(found.module) for op in walk(each.body.block)]
    unproved = sum(r.unknown + r.refuted for r in found.reports)
    marks = [sum(mark in op.attributes for op in operations) for mark in (MAC, LINALG_OP)]
    numbers = [len(operations), *marks, sum(r.proved for r in found.reports), unproved, int(found.reused)]
    return dict(zip(LIFTED, [*numbers, round(perf_counter() - start, 3)], strict=True))


def rows(puller: Puller, targets: list[str] | None, arrays: bool, split: bool, lift: bool) -> list[Row]:
    """Each target on its own; without targets, as `pulled` chooses them.  `arrays`: the time is the mean of all, as it is for `split` by modes."""
    lifter = Lifter(tuple(each() for each in PASSES), TimedProver()) if lift else None
    names, functions, seconds = targets or list(puller.all(None)), dict[str, UpdateFunction](), dict[str, float]()
    for name in names:
        start = perf_counter()
        functions[name] = puller.function(name)
        seconds[name] = perf_counter() - start
    start = perf_counter()
    if arrays:
        functions = gathered(puller.netlist, functions)
    if split:
        functions = {f"{f.target} {f.instruction}": f for whole in functions.values() for f in modes(puller.netlist, whole)}
    mean = (perf_counter() - start + sum(seconds.values())) / max(1, len(functions))
    return [row(f, seconds[name] if not (arrays or split) else mean, lifter) for name, f in functions.items()]


def table(found: list[Row]) -> str:
    headings = [*HEADINGS, *(LIFTED if found and found[0].lifted else ())]
    lines = [headings, *(r.cells() for r in found)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(headings))]
    return "\n".join("  ".join(c.ljust(w) if k == 0 else c.rjust(w) for k, (c, w) in enumerate(zip(line, widths, strict=True))) for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--top", required=True)
    parser.add_argument("--target", nargs="+", help="outputs, registers, memories or variables; all outputs and the state behind them if left out")
    parser.add_argument("--depth", type=int, default=DEPTH, help="registers that many cycles back are taken as state")
    parser.add_argument("--arrays", action="store_true", help="arrays instead of numbered names; all elements in one function")
    parser.add_argument("--modes", action="store_true", help="each function once for each way in which control decides it")
    parser.add_argument("--lift", action="store_true", help="run the passes, with proofs")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    start = perf_counter()
    netlist = read([options.folder], options.top)
    reading = perf_counter() - start
    puller = Puller(netlist, options.depth, quiet_reset(netlist))
    found = with_deep_recursion(lambda: rows(puller, options.target, options.arrays, options.modes, options.lift))
    total = perf_counter() - start
    print(table(found))
    print(f"{options.top}: {len(found)} functions, {len(puller.state)} of {len(netlist.registers)} registers are state")
    print(f"read in {reading:.2f} s, {total:.2f} s in all")
    if options.json:
        figures = {"top": options.top, "read": reading, "seconds": total, "state": sorted(puller.state), "functions": [asdict(r) for r in found]}
        options.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
