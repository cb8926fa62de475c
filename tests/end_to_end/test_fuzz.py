"""Random kernels, and kernels with one attribute changed: each program leaves what the kernel computes, or the kernel is refused with a reason.

The kernels of one run are by the date, printed, and set by the environment variable FUZZ_SEED; `make fuzz-act` has as many as wanted.  The
changed kernels are those of examples/kernels, and of the folder that the environment variable TENSORLIFT_KERNELS names.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from random import Random

import pytest

from act.backend.compile import Backend
from act.generator.analyse import analyse
from act.hlo import Module, flatten, parse_module
from act.hlo.infer import check_module
from act.program import isa_digest
from act.taidl import parse, print_text
from tests import fuzz_judge
from tests.end_to_end.machines import GENERATED, REFERENCE
from tests.fuzz_judge import Verdict, judge, shrunk
from tests.fuzz_kernels import as_module, module
from tests.fuzz_language import language
from tests.mutation import mutants

SEED = int(os.environ.get("FUZZ_SEED", 1000 * date.today().timetuple().tm_yday))
ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "isas" / "reference" / "gemmini.taidl"
ISAS = {"generated": GENERATED, "systolic": REFERENCE, "published": PUBLISHED}
BAD = (Verdict.WRONG, Verdict.CRASHED)


@pytest.fixture(scope="module", params=ISAS)
def backend(request: pytest.FixtureRequest) -> Backend:
    file = ISAS[request.param]
    if not file.exists():
        pytest.skip(f"there is no {file}")
    accelerator = parse(file.read_text())
    return Backend(accelerator, analyse(accelerator), isa_digest(print_text(accelerator)))


def judged(backend: Backend, modules: Iterable[Module]) -> None:
    """Prints counts and reasons; no kernel may be wrong, none may crash the compiler."""
    found = [(each.name, judge(backend, each, SEED)) for each in modules]
    counts = Counter(outcome.verdict.value for _, outcome in found)
    print(f"\nFUZZ_SEED={SEED}: {', '.join(f'{count} {name}' for name, count in counts.items())}")
    for reason, count in Counter(outcome.reason for _, outcome in found if outcome.verdict is Verdict.REFUSED).most_common():
        print(f"  {count} refused: {reason}")
    assert [(name, outcome.reason) for name, outcome in found if outcome.verdict in BAD] == []


def test_random_kernels_are_well_typed_and_of_the_size_asked_for(backend: Backend) -> None:
    known = language(backend.rules)
    kernels = [module(known, seed, 40) for seed in range(SEED, SEED + 20)]
    for each in kernels:
        check_module(each)
    assert sum(len(each.main.instructions) >= 30 for each in kernels) >= 10


def test_random_kernels_are_right_or_refused(backend: Backend) -> None:
    known = language(backend.rules)
    judged(backend, (module(known, seed, Random(seed).randint(7, 25)) for seed in range(SEED, SEED + 15)))


@pytest.mark.slow
def test_many_random_kernels_are_right_or_refused(backend: Backend) -> None:
    known = language(backend.rules)
    judged(backend, (module(known, seed) for seed in range(SEED, SEED + 150)))


def changed(seed: int, count: int) -> list[Module]:
    """A sample of all kernels that differ in one attribute from those of the folders."""
    folders = [ROOT / "examples" / "kernels", *map(Path, filter(None, [os.environ.get("TENSORLIFT_KERNELS")]))]
    files = sorted(file for folder in folders for file in folder.rglob("*.hlo"))
    made = [as_module(each, f"{file.stem}: {what}") for file in files for what, each in mutants(flatten(parse_module(file.read_text())).main)]
    return Random(seed).sample(made, min(count, len(made)))


def test_a_changed_attribute_changes_the_program_or_the_kernel_is_refused(backend: Backend) -> None:
    judged(backend, changed(SEED, 20))


@pytest.mark.slow
def test_many_changed_attributes_change_the_program_or_the_kernel_is_refused(backend: Backend) -> None:
    judged(backend, changed(SEED, 400))


def test_a_compiler_that_is_blind_to_an_attribute_is_found_out(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that compiles the same kernel whatever it is given; what is kept of the kernel is small."""
    dot = "d = s32[3,3] dot(a, b), lhs_contracting_dims={{{}}}, rhs_contracting_dims={{0}}"
    body = "ENTRY main {{\n  a = s8[3,3] parameter(0)\n  b = s8[3,3] parameter(1)\n  {}\n  ROOT e = s32[3,3] add(d, d)\n}}\n"
    right, other = (parse_module(body.format(dot.format(axis))) for axis in (1, 0))
    compile_module = fuzz_judge.compile_module
    if judge(backend, right).verdict is Verdict.REFUSED:
        pytest.skip("the instruction set has no such product")
    monkeypatch.setattr(fuzz_judge, "compile_module", lambda target, _, *rest: compile_module(target, right, *rest))
    assert judge(backend, right).verdict is Verdict.EQUAL
    assert judge(backend, other).verdict is Verdict.WRONG


def test_a_failing_kernel_becomes_small() -> None:
    lines = ("a = s8[4] parameter(0)", "b = s8[4] negate(a)", "c = s8[4] abs(b)", "d = s8[4] add(c, a)", "ROOT e = s8[4] reverse(d), dimensions={0}")
    least = shrunk(parse_module("\n".join(["ENTRY main {", *lines, "}"])), lambda each: any(one.opcode == "abs" for one in each.main))
    assert [each.opcode for each in least.main] == ["parameter", "abs"]


FOUND = {
    "a reversal of more than a tile": ("a = s8[20,17] parameter(0)", "ROOT r = s8[20,17] reverse(a), dimensions={0,1}"),
    "a product of several batches without rows or columns": (
        "a = s8[12,40] parameter(0)",
        "ROOT r = s32[12] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_batch_dims={0}, rhs_batch_dims={0}",
    ),
}
"""Small kernels that were wrong, crashed the compiler or were refused without need."""


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_before_is_right_or_refused(backend: Backend, name: str) -> None:
    outcome = judge(backend, parse_module("\n".join(["ENTRY main {", *FOUND[name], "}"])))
    assert outcome.verdict is Verdict.EQUAL or (outcome.verdict is Verdict.REFUSED and "reversal" not in name)
