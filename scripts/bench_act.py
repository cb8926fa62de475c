"""How long backends take to generate and kernels to compile, how fast the oracle is, and how good the programs are: tables, and JSON in build/bench.

    python scripts/bench_act.py                          examples/kernels and random kernels, in process and as processes
    python scripts/bench_act.py --kernels FOLDER         the kernels in each subfolder of FOLDER too
    python scripts/bench_act.py --isa FILE               for another instruction set than the generated one
    python scripts/bench_act.py --cycles                 the cost model's ranking against cycles on the RTL (needs Verilator and a C++ compiler)

All is done in a single thread.  Compile times in process are those of the processor, so that what the machine does besides is not in them;
all others are by the clock.
"""

from __future__ import annotations

import argparse
import compileall
import subprocess
import tempfile
from pathlib import Path

from act_measures import Figures, backend_of, compile_times, compiled, cycles, movement, oracle_speed, spearman
from benchmark import REPOSITORY, medians, report, timed, tool
from own_tests import from_tests

from act.backend.compile import Backend
from act.hlo import Module, parse_module

REFUSED = 1  # exit status of act-cc
KERNELS = REPOSITORY / "examples" / "kernels"
RUNNER = REPOSITORY / "rtl" / "sim" / "gemmini"


def generate(isa: Path, backend: Path) -> Figures:
    statistics = backend.with_suffix(".json")
    return timed([tool("act-gen"), str(isa), "-o", str(backend), "--json", str(statistics)], statistics)


def compile_kernel(backend: Path, kernel: Path) -> Figures:
    """Raises CalledProcessError where the instruction set has no program for the kernel."""
    statistics = backend.with_name("kernel.json")
    command = [tool("act-cc"), str(backend), str(kernel), "-o", str(backend.with_name("kernel.asm")), "--stats", str(statistics)]
    return timed(command, statistics)


def processes(isa: Path, runs: int) -> None:
    """Byte code is there, as in an installed package, also where the environment says that importing is not to write it."""
    compileall.compile_dir(REPOSITORY / "act", quiet=1)
    with tempfile.TemporaryDirectory() as scratch:
        backend = Path(scratch) / "backend"
        generation = {isa.stem: medians([generate(isa, backend) for _ in range(runs)])}
        compilation: dict[str, Figures] = {}
        for kernel in sorted(KERNELS.glob("*.hlo")):
            try:
                compilation[kernel.stem] = medians([compile_kernel(backend, kernel) for _ in range(runs)])
            except subprocess.CalledProcessError as refused:
                if refused.returncode != REFUSED:
                    raise
                print(f"{kernel.stem}: no program on {isa.stem}")
    report("act-gen", generation, runs)
    report("act-cc", compilation, runs)


def networks(count: int) -> list[Module]:
    """Small networks of products, sums and limits, which a matrix-multiply accelerator with saturation can express."""
    return [parse_module(from_tests("kernels").generate(seed), f"network {seed}") for seed in range(count)]


def kernel_sets(folders: list[Path], count: int) -> dict[str, list[Module]]:
    found = {"examples": KERNELS} | {each.name: each for folder in folders for each in (folder, *sorted(folder.iterdir())) if each.is_dir()}
    sets = {name: [parse_module(file.read_text(), str(file)) for file in sorted(folder.glob("*.hlo"))[:count]] for name, folder in found.items()}
    return {"networks": networks(min(count, 20))} | {name: modules for name, modules in sets.items() if modules}


def in_process(backend: Backend, sets: dict[str, list[Module]], search: bool) -> None:
    report("act-compile", {name: compile_times(backend, modules) for name, modules in sets.items()}, 1)
    if search:
        report("act-search", {name: compile_times(backend, modules, search=True) for name, modules in sets.items()}, 1)
    programs = {name: [each for each in compiled(backend, modules) if each is not None] for name, modules in sets.items()}
    report("act-oracle", {name: oracle_speed(backend, found) for name, found in programs.items() if found}, 1)


def ranking(backend: Backend, count: int) -> None:
    rows = cycles(backend, RUNNER, networks(count))
    found = spearman(*([row[column] for row in rows.values()] for column in ("cost", "cycles")))
    report("act-cycles", rows, 1)
    print(f"Spearman's rank correlation of cost and cycles over {len(rows)} programs: {found:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="of each process")
    parser.add_argument("--isa", type=Path, default=REPOSITORY / "isas" / "generated" / "gemmini.taidl")
    parser.add_argument("--kernels", type=Path, action="append", default=[], metavar="FOLDER", help="more kernels; each subfolder is a set")
    parser.add_argument("--count", type=int, default=100, help="kernels of each set at most")
    parser.add_argument("--search", action="store_true", help="compile times with cost search too")
    parser.add_argument("--cycles", action="store_true", help="rank 30 programs by cost and by cycles on the RTL, and nothing else")
    options = parser.parse_args()
    backend = backend_of(options.isa)
    if options.cycles:
        ranking(backend, 30)
        return
    if options.runs:
        processes(options.isa, options.runs)
    in_process(backend, kernel_sets(options.kernels, options.count), options.search)
    report("act-movement", movement(backend), 1)


if __name__ == "__main__":
    main()
