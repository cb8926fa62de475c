"""Which kernels are right on real hardware, and which only on a model whose arithmetic wraps.

    scripts/kernel_table.py FOLDER [--model isas/reference/gemmini.taidl] [--real isas/generated/gemmini.taidl] [--output FILE]

For every kernel (.hlo) below FOLDER: how many instructions it takes on the model; whether some value may leave its type, so that hardware that
saturates gives another result than arithmetic that wraps; and the program for the real instruction set, or why there is none.  A kernel that
wraps can still be right there: its sums are kept in 32 bits, and their low bytes are taken one column at a time.  Every program is run against
the HLO reference, and `equal` says that it gives the same on random and edge-case inputs.  Exit status 4 when one does not, or crashes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from act.backend.analysis import exact_range, full_range, integral, type_of
from act.backend.compile import Backend, compile_module
from act.backend.reductions import reductions_as_products
from act.backend.verify import disagreement
from act.errors import UserError
from act.generator.analyse import analyse
from act.hlo import parse_module
from act.hlo.flatten import flatten
from act.hlo.model import Module
from act.program import isa_digest
from act.taidl import parse, print_text

REPOSITORY = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Row:
    """`wraps`: the first value that may leave its type; `model` and `real` are numbers of instructions, or why there is no program."""

    kernel: str
    wraps: str | None
    model: int | str
    real: int | str

    def cells(self) -> tuple[str, ...]:
        verdict = "" if isinstance(self.real, str) else "right, through low bytes" if self.wraps else "right, as it is"
        return self.kernel, _cell(self.model), self.wraps or "nothing", _cell(self.real), verdict

    @property
    def failed(self) -> bool:
        return any(isinstance(each, str) and each.startswith(FAILURES) for each in (self.model, self.real))


HEADINGS = ("kernel", "on the model", "what may wrap", "on the real instruction set", "where it wraps")
FAILURES = ("wrong: ", "crashed: ")


def _cell(outcome: int | str) -> str:
    return f"{outcome} instructions, equal" if isinstance(outcome, int) else outcome


def rows(kernels: Iterator[Path], model: Path, real: Path) -> Iterator[Row]:
    """One for each kernel of integers."""
    backends = [backend(path) for path in (model, real)]
    for path in kernels:
        module = parse_module(path.read_text(encoding="utf-8"), path.name)
        if all(integral(type_of(each).dtype) for each in module.main.parameters):
            yield Row(path.stem.removesuffix(".gen"), first_that_wraps(module), *(outcome(each, module) for each in backends))


def backend(path: Path) -> Backend:
    accelerator = parse(path.read_text(encoding="utf-8"))
    return Backend(accelerator, analyse(accelerator), isa_digest(print_text(accelerator)))


def outcome(target: Backend, module: Module) -> int | str:
    """The number of instructions of a program that is right; otherwise what is wrong."""
    try:
        program = compile_module(target, module).program
    except UserError as error:
        return "refused: " + " ".join(str(error).split(": error: ")[-1].split())
    except AssertionError as error:  # what the checks of the compiler say of a program that they do not let pass
        return f"crashed: {error}"
    found = disagreement(target.accelerator, module, program)
    return len(program.commands) if found is None else f"wrong: {found}"


def first_that_wraps(module: Module) -> str | None:
    """The name of the first value whose exact result may not fit its type, for inputs of any value."""
    computation = reductions_as_products(flatten(module).main)
    ranges: dict[str, tuple[int, int]] = {}
    for each in computation:
        shape = type_of(each)
        full = full_range(shape)
        if full is None:
            continue
        found = full
        if each.opcode == "constant":
            flat = list(_flat(each.attributes["value"]))
            found = min(flat), max(flat)
        elif each.operands:
            types = [type_of(computation[operand]) for operand in each.operands]
            opcode = "sum" if each.opcode == "add" else each.opcode
            exact = exact_range(opcode, each.key, [ranges[operand] for operand in each.operands], types)
            if exact is None or exact[0] < full[0] or full[1] < exact[1]:
                return f"{each.opcode} '{each.name.split('.')[0]}'"
            found = exact
        ranges[each.name] = found
    return None


def _flat(value) -> Iterator[int]:
    for part in value if isinstance(value, tuple) else ():
        yield from _flat(part)
    if not isinstance(value, tuple):
        yield value


def table(made: Iterator[Row]) -> Iterator[str]:
    """Markdown, line by line as the kernels are done, with the counts in the end."""
    found: list[Row] = []
    for cells in (HEADINGS, ("---",) * len(HEADINGS)):
        yield f"| {' | '.join(cells)} |"
    for row in made:
        found.append(row)
        yield f"| {' | '.join(row.cells())} |"
    right = [row for row in found if isinstance(row.real, int)]
    plain, failed = sum(row.wraps is None for row in right), sum(row.failed for row in found)
    low, model = len(right) - plain, sum(isinstance(row.model, int) for row in found)
    yield f"\n{len(found)} kernels: {model} have a right program on the model; {plain} are right on hardware as they are, {low} through low bytes."
    if failed:
        yield f"{failed} are wrong, or crashed the compiler."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", type=Path, default=REPOSITORY / "isas" / "reference" / "gemmini.taidl")
    parser.add_argument("--real", type=Path, default=REPOSITORY / "isas" / "generated" / "gemmini.taidl")
    parser.add_argument("--output", type=Path, default=None, help="a file for the table, too")
    options = parser.parse_args()
    lines: list[str] = []
    made: list[Row] = []
    for line in table(_noted(rows(iter(sorted(options.folder.rglob("*.hlo"))), options.model, options.real), made)):
        lines.append(line)
        print(line, flush=True)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.exit(4 if any(row.failed for row in made) else 0)


def _noted(made: Iterator[Row], found: list[Row]) -> Iterator[Row]:
    """The same rows, which are in `found` afterwards."""
    for row in made:
        found.append(row)
        yield row


if __name__ == "__main__":
    main()
