"""How long a backend takes to generate and a kernel to compile: medians over several runs of `act-gen` and `act-cc` on examples/kernels."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmark import REPOSITORY, Figures, medians, report, timed, tool

KERNELS = REPOSITORY / "examples" / "kernels"


def generate(isa: Path, backend: Path) -> Figures:
    statistics = backend.with_suffix(".json")
    return timed([tool("act-gen"), str(isa), "-o", str(backend), "--json", str(statistics)], statistics)


def compile_kernel(backend: Path, kernel: Path) -> Figures:
    statistics = backend.with_name("kernel.json")
    command = [tool("act-cc"), str(backend), str(kernel), "-o", str(backend.with_name("kernel.asm")), "--stats", str(statistics)]
    return timed(command, statistics)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--isa", type=Path, default=REPOSITORY / "isas" / "generated" / "gemmini.taidl")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        backend = Path(scratch) / "backend"
        generation = {options.isa.stem: medians([generate(options.isa, backend) for _ in range(options.runs)])}
        kernels = sorted(KERNELS.glob("*.hlo"))
        compilation = {kernel.stem: medians([compile_kernel(backend, kernel) for _ in range(options.runs)]) for kernel in kernels}
    report("act-gen", generation, options.runs)
    report("act-cc", compilation, options.runs)


if __name__ == "__main__":
    main()
