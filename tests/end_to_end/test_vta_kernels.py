"""Kernels on the instruction set lifted from rtl/vta: compiled programs leave the same on the oracle, on the RTL, and in the reference."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from vta_model import SMALL

from act.backend.compile import Backend, Compiled, compile_module
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
from act.taidl import parse, print_text
from tests.end_to_end.rtl import ROOT, Job, needs_rtl, run_batch
from tests.end_to_end.vta_kernels import KERNELS, ROWS, hlo, product
from tests.end_to_end.vta_random import generate
from tests.fuzz_judge import reason

GENERATED = Path(os.environ.get("END_TO_END_VTA_ISA", str(ROOT / "isas/generated/vta.taidl")))
RUNNER = ROOT / "rtl/sim/vta"
CASES = ("extremes", "small", "random 0")
ORACLE_CASES = CASES[:1]
"""The oracle executes macros step by step, which takes a second for a thousand rows."""
LATENCY_SEED = 11
FIRST_SEED = int(os.environ.get("FUZZ_SEED", 1000 * date.today().timetuple().tm_yday))
"""Of random kernels, by the date; printed, and set by an environment variable."""

Results = Mapping[str, list[Array]]
"""The outputs by case."""


@cache
def backend_of(text: str) -> Backend:
    accelerator = parse(text)
    return Backend(accelerator, analyse(accelerator), isa_digest(print_text(accelerator)))


@cache
def compiled(kernel: str, text: str = "") -> tuple[Module, Compiled]:
    module = parse_module(kernel)
    return module, compile_module(backend_of(text or GENERATED.read_text()), module)


def cases(module: Module, which: tuple[str, ...] = CASES) -> dict[str, dict[str, Array]]:
    return {case: values for case, values in inputs(module, 1) if case in which}


def reference(module: Module, which: tuple[str, ...] = CASES) -> Results:
    found = {case: evaluate(module, list(values.values())) for case, values in cases(module, which).items()}
    return {case: [np.asarray(each) for each in (value if isinstance(value, tuple) else (value,))] for case, value in found.items()}


def on_oracle(backend: Backend, module: Module, program: Program) -> Results:
    return {case: list(Machine(backend.accelerator, seed=1).run(program, values).values()) for case, values in cases(module, ORACLE_CASES).items()}


def on_rtl(backend: Backend, module: Module, program: Program) -> Results:
    (found,) = all_on_rtl(backend, [(module, program)])
    return found


def all_on_rtl(backend: Backend, kernels: Sequence[tuple[Module, Program]], config: str = "default") -> list[Results]:
    """Of each kernel, on one simulator."""
    jobs = []
    for module, program in kernels:
        image = program_image(backend.accelerator, program.commands)
        jobs += [Job(image, memory, {}) for values in cases(module).values() for memory in memory_image(program, values).values()]
    with tempfile.TemporaryDirectory() as folder:
        results = iter(run_batch(jobs, Path(folder), config, LATENCY_SEED, RUNNER))
    found = []
    for module, program in kernels:
        after = {case: next(results).memory for case in cases(module)}
        found.append({case: list(outputs(program, dict.fromkeys(program.memory, memory)).values()) for case, memory in after.items()})
    return found


def different(found: Results, expected: Results) -> list[str]:
    """Cases in which an output is not what it should be."""
    return [case for case, arrays in expected.items() if not all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(found[case], arrays, strict=True))]


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_right_on_the_oracle(name: str) -> None:
    module, made = compiled(KERNELS[name])
    assert different(on_oracle(backend_of(GENERATED.read_text()), module, made.program), reference(module, ORACLE_CASES)) == []


@needs_rtl
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_right_on_the_rtl(name: str) -> None:
    module, made = compiled(KERNELS[name])
    assert different(on_rtl(backend_of(GENERATED.read_text()), module, made.program), reference(module)) == []


def check_random(seeds: range, text: str, block: int = 16, config: str = "default") -> None:
    """Every kernel is right or refused with a reason.  How many are refused depends on the seeds, so it is printed and not judged."""
    backend, kernels, refused = backend_of(text), {}, Counter()
    for seed in seeds:
        module = parse_module(generate(seed, block), f"kernel {seed}")
        try:
            kernels[seed] = module, compile_module(backend, module).program
        except UserError as error:
            refused[reason(error)] += 1
    print(f"\nFUZZ_SEED={seeds.start}: {len(kernels)} compiled", *(f"{count} refused: {why}" for why, count in refused.most_common()), sep="\n  ")
    assert kernels
    found = dict(zip(kernels, all_on_rtl(backend, list(kernels.values()), config), strict=True))
    assert {seed: different(found[seed], reference(module)) for seed, (module, _) in kernels.items()} == {seed: [] for seed in kernels}
    assert all("no program" in why for why in refused)


def test_these_random_kernels_all_have_a_program() -> None:
    """Of these seeds, so that it does not depend on the day."""
    backend = backend_of(GENERATED.read_text())
    assert all(compile_module(backend, parse_module(generate(seed, 16))).program for seed in range(20))


@needs_rtl
def test_random_kernels_are_right_on_the_rtl() -> None:
    check_random(range(FIRST_SEED, FIRST_SEED + 30), GENERATED.read_text())


@needs_rtl
@pytest.mark.slow
def test_hundreds_of_random_kernels_are_right_on_the_rtl() -> None:
    check_random(range(300), GENERATED.read_text())


@needs_rtl
@pytest.mark.slow
def test_random_kernels_are_right_on_a_smaller_machine(tmp_path: Path) -> None:
    """Rows of 4 elements, and memories so small that values are brought again."""
    file = tmp_path / "small.taidl"
    parameters = [word for name, value in SMALL.parameters().items() for word in ("-P", f"{name}={value}")]
    command = [Path(sys.executable).with_name("tensorlift"), "rtl/vta", "--top", "VTA", *parameters, "--no-prove", "--allow-partial", "--no-cache", "-o", file]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    check_random(range(150), file.read_text(), block=4, config="small")


def test_a_product_of_64_takes_few_instructions() -> None:
    """Rows of a block are one instruction, and the words of all instructions are loaded at once."""
    _, made = compiled(KERNELS["product of 64"])
    assert len(made.program.commands) < 250
    assert sum(each.instruction.startswith("load_id_uop") and "ysize" in each.attributes for each in made.program.commands) == 1


@needs_rtl
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("bits[107:97] = factor_97", "bits[107:97] = factor_97 + 1"),
        ("bits[111:96] = xstride", "bits[111:96] = xstride + 1"),
        ("bits[34:21] = uop_end", "bits[34:21] = uop_end + 1"),
    ],
    ids=["a factor", "a stride", "a bound"],
)
def test_a_wrong_encoding_is_found_by_the_rtl_alone(right: str, wrong: str) -> None:
    text = GENERATED.read_text()
    assert right in text
    backend = backend_of(text.replace(right, wrong))
    module = parse_module(KERNELS["product of several blocks"])
    program = compile_module(backend, module).program
    assert different(on_oracle(backend, module, program), reference(module, ORACLE_CASES)) == []
    assert different(on_rtl(backend, module, program), reference(module)) == list(CASES)


def silent(program: Program, names: tuple[str, ...]) -> Program:
    """The program in which the attributes `names` ask for no tokens."""
    commands = [replace(each, alpha={name: 0 if name in names else value for name, value in each.alpha.items()}) for each in program.commands]
    return replace(program, commands=tuple(commands))


@needs_rtl
def test_units_that_do_not_wait_compute_something_else() -> None:
    module, made = compiled(KERNELS["product of several blocks"])
    backend = backend_of(GENERATED.read_text())
    program = silent(made.program, ("pop_prev", "pop_next", "push_prev", "push_next"))
    assert different(on_oracle(backend, module, program), reference(module, ORACLE_CASES)) == []
    assert different(on_rtl(backend, module, program), reference(module))


@needs_rtl
def test_a_unit_that_waits_for_what_nobody_gives_never_ends() -> None:
    module, made = compiled(KERNELS["product"])
    with pytest.raises(AssertionError, match="not done"):
        on_rtl(backend_of(GENERATED.read_text()), module, silent(made.program, ("push_next",)))


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (hlo("a = s8[16,16] parameter(0)", "b = s8[16,16] parameter(1)", "d = s8[16,16] divide(a, b)"), "no instruction computes"),
        (product(16, 16, 20, ROWS), "no instruction computes"),
        (hlo("a = f32[16,16] parameter(0)", "b = f32[16,16] parameter(1)", "d = f32[16,16] add(a, b)"), "no instruction computes"),
    ],
    ids=["a quotient", "columns that are no multiple of a row", "floats"],
)
def test_what_the_machine_cannot_do_is_refused_with_the_reason(kernel: str, reason: str) -> None:
    with pytest.raises(UserError, match=reason):
        compiled(kernel)
