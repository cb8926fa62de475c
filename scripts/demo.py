"""From RTL to a program on the same RTL, with the commands a user types; ends by comparing every result with the HLO reference.

Exit status: 0 when all results are equal, 1 when a step failed or a result differs.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from time import perf_counter

import numpy as np

from act.hlo import Module, Shape, parse_module
from act.hlo.arrays import numpy_dtype
from act.hlo.evaluate import evaluate

REPOSITORY = Path(__file__).parents[1]
WORK = Path("build/demo")
RTL, TOP, RUNNER = "rtl/gemmini", "Gemmini", "rtl/sim/gemmini"
KERNEL = Path("examples/kernels/matmul_bias_relu_clamp_s8.hlo")
ISA, LIFTED, BACKEND = WORK / "gemmini.taidl", WORK / "lift.json", WORK / "backend"
PROGRAM, INPUTS = WORK / "kernel.asm", WORK / "inputs.npz"
SEED = 1

Arrays = Mapping[str, np.ndarray]


def step(title: str, *command: str | Path, partial: bool = False) -> str:
    """Run one command and show it with its seconds; returns what it printed. `partial` accepts exit status 3, which the command explains itself."""
    print(f"\n{title}\n  $ {shlex.join(map(str, command))}", flush=True)
    begin = perf_counter()
    run = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if run.returncode and not (partial and run.returncode == 3):
        sys.exit(f"{run.stdout}\nerror: {command[0]} ended with status {run.returncode}")
    print(f"  {perf_counter() - begin:.1f} s")
    return run.stdout


def indented(lines: list[str], limit: int = 24) -> str:
    more = [f"… {len(lines) - limit} more lines"] if len(lines) > limit else []
    return "\n".join(f"    {line}" for line in lines[:limit] + more)


def lift() -> None:
    step("1. Lift: RTL to instruction set", "tensorlift", RTL, "--top", TOP, "-o", ISA, "--json", LIFTED, partial=True)
    counts = json.loads(LIFTED.read_text())
    shown = [f"{counts[key]} {key}" for key in ("instructions", "functions", "proved", "tested", "assumed", "unknown", "opaque") if key in counts]
    print(f"  {', '.join(shown)}; {ISA} begins:")
    print(indented([line for line in ISA.read_text().splitlines() if line.startswith(("accelerator", "buffer", "instruction", "composite"))]))


def compile_kernel() -> None:
    step("2. Generate the compiler backend", "act-gen", ISA, "-o", BACKEND)
    step("3. Compile an HLO kernel, checked on random inputs", "act-cc", BACKEND, KERNEL, "-o", PROGRAM, "--check")
    print(f"  {KERNEL}:\n{indented(KERNEL.read_text().splitlines())}\n  {PROGRAM}:\n{indented(PROGRAM.read_text().splitlines())}")


def random_inputs(module: Module) -> dict[str, np.ndarray]:
    """One array per parameter: small numbers, so that most results lie between the limits that the kernel clamps them to."""
    source = np.random.default_rng(SEED)
    arrays = {}
    for parameter in module.main.parameters:
        shape = parameter.shape
        assert isinstance(shape, Shape)
        bound = 6 if shape.rank > 1 else 100
        arrays[parameter.name] = source.integers(-bound, bound, size=shape.dims, endpoint=True).astype(numpy_dtype(shape.dtype))
    return arrays


def run(title: str, target: str, expected: np.ndarray) -> str:
    """Run the program on `target`; returns how its result compares with the reference."""
    output = WORK / f"{Path(target).name}.npz"
    said = step(title, "act-run", BACKEND, PROGRAM, "--inputs", INPUTS, "--on", target, "-o", output).strip()
    print(indented(said.splitlines()))
    with np.load(output) as arrays:
        result = arrays["out0"]
    if result.dtype != expected.dtype or not np.array_equal(result, expected):
        sys.exit(f"error: the result on {target} differs from the HLO reference in {np.count_nonzero(result != expected)} elements")
    print(f"    first row: {' '.join(map(str, result[0]))}")
    return f"{target}: equals the HLO reference in all {expected.size} elements, bit for bit"


def missing_for_rtl() -> list[str]:
    compiler = which("g++") or which("clang++")
    return [name for name, found in (("Verilator", which("verilator")), ("a C++ compiler", compiler)) if not found]


def run_everywhere() -> list[str]:
    module = parse_module(KERNEL.read_text(), str(KERNEL))
    inputs = random_inputs(module)
    np.savez(INPUTS, allow_pickle=False, **inputs)
    expected = evaluate(module, list(inputs.values()))
    results = [run("4. Run it on the oracle: the TAIDL machine", "oracle", expected)]
    if missing := missing_for_rtl():
        return [*results, f"{RUNNER}: not run; the run on the RTL needs {' and '.join(missing)} (Debian: apt-get install verilator g++)"]
    return [*results, run("5. Run it on the RTL that step 1 started from", RUNNER, expected)]


def main() -> None:
    os.chdir(REPOSITORY)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    WORK.mkdir(parents=True, exist_ok=True)
    begin = perf_counter()
    lift()
    compile_kernel()
    results = run_everywhere()
    print(f"\nResults after {perf_counter() - begin:.1f} s")
    print(indented(results))


if __name__ == "__main__":
    main()
