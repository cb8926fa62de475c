"""Random kernels, and kernels with one attribute changed: each program leaves what the kernel computes, or the kernel is refused with a reason.

The kernels of one run are by the date, printed, and set by the environment variable FUZZ_SEED; `make fuzz-act` has as many as wanted.  The
changed kernels are those of examples/kernels, and of the folder that the environment variable TENSORLIFT_KERNELS names.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random

import pytest

from act.backend.compile import Backend
from act.generator.analyse import analyse
from act.hlo import Computation, Instruction, Module, Shape, flatten, parse_module
from act.hlo.infer import check_module
from act.program import isa_digest
from act.taidl import parse, print_text
from tests import fuzz_judge
from tests.end_to_end.machines import GENERATED, REFERENCE
from tests.fuzz_judge import Verdict, judge, shrunk
from tests.fuzz_kernels import as_module, module
from tests.fuzz_language import Language, language
from tests.mutation import mutants

SEED = int(os.environ.get("FUZZ_SEED", 1000 * date.today().timetuple().tm_yday))
ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "isas" / "reference" / "gemmini.taidl"
ISAS = {"generated": GENERATED, "systolic": REFERENCE, "published": PUBLISHED}
WINDOW = ("size", "stride", "low", "high", "lhs_dilation", "rhs_dilation")
OPERATORS = "abs add broadcast clamp concatenate constant convert convolution dot maximum minimum multiply negate not pad parameter reduce reshape"
LANGUAGE = Language(("s8",), ("s32",), ("s8", "s32"), ("s8", "s32"), frozenset(f"{OPERATORS} reverse shift-left sign slice subtract sum transpose".split()))
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


def test_random_kernels_have_all_operators_and_vary_every_attribute() -> None:
    kernels = [module(LANGUAGE, seed) for seed in range(150)]
    found: dict[tuple[str, str], set[str]] = {}
    for each in (each for kernel in kernels for each in kernel.main):
        for name, value in each.attributes.items():
            found.setdefault((each.opcode, name), set()).add(str(value))
    assert [place for place, values in found.items() if len(values) < 2] == []
    attributes = {opcode: {name for known, name in found if known == opcode} for opcode, _ in found}
    assert attributes["dot"] == {f"{side}_{kind}_dims" for side in ("lhs", "rhs") for kind in ("contracting", "batch")}
    assert attributes["convolution"] == {*WINDOW, "reversal", "lhs_dims", "rhs_dims", "out_dims", "feature_group_count", "batch_group_count"}
    assert attributes["reduce-window"] == {*WINDOW, "kind"}
    assert {each.opcode for kernel in kernels for each in kernel.main} >= LANGUAGE.operators - {"sum"}
    sizes = sorted(len(kernel.main.instructions) for kernel in kernels)
    assert sizes[0] >= 7 and sizes[-1] <= 150 and sizes[-15] > 75
    dims = [size for kernel in kernels for each in kernel.main if isinstance(each.shape, Shape) for size in each.shape.dims]
    assert sum(size % 16 != 0 for size in dims) > len(dims) / 2


def test_tame_kernels_have_what_has_a_program_alone() -> None:
    only = replace(LANGUAGE, alone=frozenset([("add", "s8"), ("dot", "s32"), ("saturate", "s8"), ("reduce:add", "s8")]))
    kernels = [module(only, seed, 30) for seed in range(40)]
    assert sum(each.opcode in ("abs", "not", "sign", "negate") for kernel in kernels for each in kernel.main) > 0
    assert sum(all(each.opcode not in ("abs", "not", "sign", "negate", "maximum") for each in kernel.main) for kernel in kernels) > 20


EVERY = """ENTRY main {
  a = f32[4,4] parameter(0)
  b = f32[4,4] parameter(1)
  s = s32[] parameter(2)
  z = f32[] constant(0)
  c = pred[4,4] compare(a, b), direction=LT, type=TOTALORDER
  i = f32[4,4] iota(), iota_dimension=0
  p = f32[4,4] reduce-precision(a), exponent_bits=5, mantissa_bits=3
  r = f32[4,4] reverse(a), dimensions={0}
  x = f32[2,3] dynamic-slice(a, s, s), dynamic_slice_sizes={2,3}
  y = f32[1,2] slice(a), slice={[0:2:2],[0:3:2]}
  q = f32[5,5] pad(a, z), padding=1_0_0x0_1_0
  t = f32[4,4] transpose(a), dimensions={1,0}
  d = f32[4,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_batch_dims={0}, rhs_batch_dims={1}
  k = f32[8,4] concatenate(a, b), dimensions={0}
  m = f32[3,4] reduce-window(a, z), window={size=2x1}, to_apply=add
  n = f32[4] reduce(a, z), dimensions={0}, to_apply=add
  o = f32[4,4] broadcast(n), dimensions={1}
  g = f32[6,6,6] parameter(3)
  v = f32[6,6,5] convolution(g, g), window={size=6 pad=2_2}, dim_labels=bf0_io0->bf0
  ROOT l = (f32[]) tuple(z)
}
"""


def test_a_mutation_changes_each_attribute_of_each_operator() -> None:
    kernel = flatten(parse_module(EVERY)).main
    changed = {(each.opcode, name) for what, made in mutants(kernel) for each, name in differences(kernel, made)}
    assert {(each.opcode, name) for each in kernel for name in each.attributes} - changed == set()


def differences(kernel: Computation, made: Computation) -> Iterator[tuple[Instruction, str]]:
    for each, other in zip(kernel, made, strict=True):
        yield from ((each, name) for name in each.attributes if other.attributes.get(name) != each.attributes[name])


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
    "rows of a product whose last dimension is 1": (
        "a = s8[2,4,1] parameter(0)",
        "b = s8[1,1] parameter(1)",
        "c = s32[2,4,1] dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}",
        "n = s8[2,4,1] convert(c)",
        "ROOT d = s8[2,1,2,1] dot(n, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
    ),
    "an outer product": ("a = s8[20] parameter(0)", "b = s8[9] parameter(1)", "ROOT d = s32[20,9] dot(a, b), lhs_contracting_dims={}, rhs_contracting_dims={}"),
    "a multiple for each channel": (
        "a = s8[20,7] parameter(0)",
        "c = s8[7] parameter(1)",
        "b = s8[20,7] broadcast(c), dimensions={1}",
        "ROOT d = s8[20,7] multiply(b, a)",
    ),
    "gaps between elements": ("a = s8[5,9] parameter(0)", "z = s8[] constant(3)", "ROOT p = s8[11,26] pad(a, z), padding=1_1_1x0_1_2"),
    "a window over an input with gaps": (
        "a = s8[5,9] parameter(0)",
        "z = s8[] constant(-128)",
        "n = s8[5,9] negate(a)",
        "ROOT p = s8[8,16] reduce-window(n, z), window={size=2x2 lhs_dilate=2x2}, to_apply=maximum",
    ),
    "a transpose in a kernel of several results": (
        "a = s8[4,6] parameter(0)",
        "t = s8[6,4] transpose(a), dimensions={1,0}",
        "ROOT r = (s8[6,4], s8[4,6]) tuple(t, a)",
    ),
}
"""Small kernels that were wrong, crashed the compiler or were refused without need."""
EVERYWHERE = ("a reversal", "gaps", "a window", "an outer product", "a multiple")
"""These have a program for each of the instruction sets."""


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_before_is_right_or_refused(backend: Backend, name: str) -> None:
    outcome = judge(backend, parse_module("\n".join(["ENTRY main {", *FOUND[name], "}"])))
    assert outcome.verdict is Verdict.EQUAL or (outcome.verdict is Verdict.REFUSED and not name.startswith(EVERYWHERE))
