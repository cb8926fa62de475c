"""Random kernels: the compiled program leaves the same outputs on the oracle, on the RTL, and in the reference evaluator, bit for bit.

A kernel is either right on all inputs or refused with a reason.  The kernels of one run are those of the seeds from FIRST_SEED on (by the
date, printed, and set by the environment variable END_TO_END_SEED); the slow test has 200 more, always the same.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from act.backend.compile import Backend, compile_module
from act.backend.verify import inputs
from act.errors import UserError
from act.generator.analyse import analyse
from act.hlo import Module, parse_module
from act.hlo.evaluate import evaluate
from act.memory import memory_image, outputs
from act.oracle import Machine
from act.oracle.machine import Array
from act.program import Program, isa_digest
from act.runner import program_image
from act.taidl import print_text
from tests.end_to_end.machines import GENERATED, Hardware, hardware
from tests.end_to_end.rtl import Job, needs_rtl, run_batch
from tests.kernels import generate

FIRST_SEED = int(os.environ.get("END_TO_END_SEED", 1000 * date.today().timetuple().tm_yday))
CASES = ("extremes", "small", "random 0")
"""The inputs of a quick run; the slow one has all that `act.backend.verify.inputs` makes."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A compiled kernel with named inputs."""

    seed: int
    module: Module
    program: Program
    cases: dict[str, dict[str, Array]]

    def reference(self, case: str) -> list[Array]:
        found = evaluate(self.module, list(self.cases[case].values()))
        return [np.asarray(each) for each in (found if isinstance(found, tuple) else (found,))]

    def memory(self, case: str) -> Array:
        (memory,) = memory_image(self.program, self.cases[case]).values()
        return memory

    def outputs(self, memory: Array) -> list[Array]:
        return list(outputs(self.program, dict.fromkeys(self.program.memory, memory)).values())


@pytest.fixture(scope="module")
def target() -> Hardware:
    return hardware(GENERATED.read_text())


@pytest.fixture(scope="module")
def backend(target: Hardware) -> Backend:
    return Backend(target.accelerator, analyse(target.accelerator), isa_digest(print_text(target.accelerator)))


def compiled(backend: Backend, seeds: range, cases: tuple[str, ...] | None) -> Iterator[Kernel | str]:
    """A kernel for each seed, or why there is none."""
    for seed in seeds:
        module = parse_module(generate(seed), f"kernel {seed}")
        try:
            program = compile_module(backend, module).program
        except UserError as error:
            yield str(error).replace(f"kernel {seed}", "kernel")
            continue
        chosen = {case: values for case, values in inputs(module, seed) if cases is None or case in cases}
        yield Kernel(seed, module, program, chosen)


def differences(target: Hardware, kernel: Kernel, case: str, on_rtl: Array) -> list[str]:
    """What differs between the reference, the oracle and the RTL."""
    expected = kernel.reference(case)
    on_oracle = list(Machine(target.accelerator, seed=kernel.seed).run(kernel.program, kernel.cases[case]).values())
    found = {"the oracle": on_oracle, "the RTL": kernel.outputs(on_rtl)}
    return [
        f"END_TO_END_SEED={kernel.seed}, inputs '{case}': out{number} on {where} differs from the reference in {np.count_nonzero(a != b)} elements"
        for where, arrays in found.items()
        for number, (a, b) in enumerate(zip(arrays, expected, strict=True))
        if a.dtype != b.dtype or not np.array_equal(a, b)
    ]


def on_rtl(target: Hardware, kernels: list[Kernel]) -> dict[tuple[int, str], Array]:
    """Host memories after the programs, by seed and case; every program at another memory latency."""
    jobs = {(kernel.seed, case): Job(_image(target, kernel), kernel.memory(case), {}) for kernel in kernels for case in kernel.cases}
    with tempfile.TemporaryDirectory() as folder:
        results = run_batch(list(jobs.values()), Path(folder), target.dim, latency_seed=FIRST_SEED)
    return {key: result.memory for key, result in zip(jobs, results, strict=True)}


def _image(target: Hardware, kernel: Kernel) -> str:
    return program_image(target.accelerator, kernel.program.commands)


def check(target: Hardware, backend: Backend, seeds: range, cases: tuple[str, ...] | None) -> None:
    """Prints how many kernels were equal everywhere, how many were refused and why."""
    found = list(compiled(backend, seeds, cases))
    kernels = [each for each in found if isinstance(each, Kernel)]
    refused = Counter(each for each in found if isinstance(each, str))
    after = on_rtl(target, kernels)
    wrong = compare(target, kernels, after)
    counts = f"{len(kernels) - len(wrong)} kernels equal, {len(wrong)} wrong, on {len(after)} inputs; {refused.total()} refused"
    print(f"\nseeds {seeds.start} to {seeds.stop - 1} (END_TO_END_SEED={seeds.start}): {counts}")
    for reason, count in refused.most_common():
        print(f"  {count} refused: {reason}")
    assert wrong == {}
    assert all(reason.strip() for reason in refused)
    assert refused.total() <= len(found) // 20, "hardly any kernel of this generator is beyond a matrix-multiply accelerator"


def compare(target: Hardware, kernels: list[Kernel], after: dict[tuple[int, str], Array]) -> dict[int, list[str]]:
    """Differences by seed, of the kernels that have any."""
    found = {kernel.seed: [line for case in kernel.cases for line in differences(target, kernel, case, after[kernel.seed, case])] for kernel in kernels}
    return {seed: lines for seed, lines in found.items() if lines}


A_TIMES_B_TRANSPOSED = """HloModule transposed

ENTRY main {
  a = s8[20,40] parameter(0)
  b = s8[18,40] parameter(1)
  a32 = s32[20,40] convert(a)
  b32 = s32[18,40] convert(b)
  ROOT c = s32[20,18] dot(a32, b32), lhs_contracting_dims={1}, rhs_contracting_dims={1}
}
"""


@needs_rtl
def test_a_transposed_operand_is_transposed_on_its_way_into_the_array(target: Hardware, backend: Backend) -> None:
    """Six tiles of each operand come in, as they lie in memory, and nothing else is moved."""
    module = parse_module(A_TIMES_B_TRANSPOSED, "transposed")
    program = compile_module(backend, module).program
    kernel = Kernel(1, module, program, {case: values for case, values in inputs(module, 1) if case in CASES})
    issued = Counter(command.instruction for command in program.commands)
    assert sum(count for name, count in issued.items() if name.startswith("mvin")) <= 12
    assert sum(count for name, count in issued.items() if name.startswith("mvout")) == 4
    assert issued["preload_bd_transpose"] > 0
    assert issued["preload"] == 0
    assert compare(target, [kernel], on_rtl(target, [kernel])) == {}


@needs_rtl
def test_random_kernels_are_equal_everywhere(target: Hardware, backend: Backend) -> None:
    check(target, backend, range(FIRST_SEED, FIRST_SEED + 40), CASES)


@needs_rtl
@pytest.mark.slow
def test_two_hundred_random_kernels_are_equal_everywhere(target: Hardware, backend: Backend) -> None:
    check(target, backend, range(200), None)


@needs_rtl
def test_a_wrong_encoding_is_found(backend: Backend) -> None:
    """A bit of an opcode, in the specification alone."""
    right = GENERATED.read_text()
    target = hardware(right.replace("funct = 4;", "funct = 5;"))
    assert target.accelerator != hardware(right).accelerator
    kernels = [each for each in compiled(backend, range(4), ("random 0",)) if isinstance(each, Kernel)]
    lines = [line for found in compare(target, kernels, on_rtl(target, kernels)).values() for line in found]
    assert any("on the RTL differs" in line for line in lines)
    assert not any("on the oracle differs" in line for line in lines)
