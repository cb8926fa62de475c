"""What is written otherwise before it is cut into tiles: windows, copies, and wide results as bytes compute the same, for any inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from act.backend.copies import copies_as_limits
from act.backend.gaps import gaps_as_edges
from act.backend.outer import multiples_as_products, products_over_a_dimension
from act.backend.verify import inputs
from act.backend.wide_results import wide_results_as_bytes
from act.backend.windows import windows_as_slices
from act.generator.model import Tiles
from act.hlo import parse_module
from act.hlo.evaluate import evaluate
from act.hlo.model import Computation
from tests.act.backend.backends import hlo

REGION = "f {{\n  x = {dtype}[] parameter(0)\n  y = {dtype}[] parameter(1)\n  ROOT r = {dtype}[] {kind}(x, y)\n}}\n\nENTRY"


def window(kind: str, dtype: str, shape: str, result: str, start: int, text: str) -> str:
    lines = (
        f"a = {dtype}[{shape}] parameter(0)",
        f"i = {dtype}[] constant({start})",
        f"n = {dtype}[{result}] reduce-window(a, i), window={{{text}}}, to_apply=f",
    )
    return hlo(*lines).replace("ENTRY", REGION.format(dtype=dtype, kind=kind), 1)


WINDOWS = {
    "two by two": window("maximum", "s8", "4,6", "2,3", -128, "size=2x2 stride=2x2"),
    "overlapping": window("maximum", "s16", "5,5", "3,3", -32768, "size=3x3"),
    "padded": window("maximum", "s8", "5,7", "3,4", -128, "size=3x3 stride=2x2 pad=1_1x1_1"),
    "far beyond": window("minimum", "s8", "3", "6", 127, "size=2 pad=2_2"),
    "another start": window("maximum", "s8", "4,4", "2,2", 9, "size=2x2 stride=2x2"),
    "sums that wrap": window("add", "s8", "6", "4", 0, "size=3"),
    "sums with a start": window("add", "s32", "4,4", "3,3", 5, "size=2x2"),
    "padded sums with a start": window("add", "s8", "5,6", "6,6", 5, "size=2x1 pad=1_1x0_0"),
    "gaps in the window": window("maximum", "s8", "7", "3", -128, "size=3 rhs_dilate=2"),
    "one place": window("maximum", "s8", "4", "2", -128, "size=1 stride=2"),
}
DILATED = {
    "every second": window("maximum", "s8", "4", "6", -128, "size=2 lhs_dilate=2"),
    "along both": window("add", "s8", "3,4", "8,9", 7, "size=2x3 pad=2_0x1_0 lhs_dilate=3x3"),
    "of a part": window("minimum", "s32", "7,5", "4,5", 3, "size=2x1 pad=-1_-1x0_0"),
    "one element": window("add", "s8", "1", "2", 1, "size=2 pad=1_1 lhs_dilate=4"),
}
GAPS = {
    "rows": hlo("a = s8[3,4] parameter(0)", "z = s8[] constant(7)", "p = s8[9,5] pad(a, z), padding=1_1_2x0_1_0"),
    "both": hlo("a = s8[3,4] parameter(0)", "z = s8[] parameter(1)", "p = s8[5,10] pad(a, z), padding=0_0_1x0_0_2"),
    "less than the gaps": hlo("a = s8[4] parameter(0)", "z = s8[] constant(7)", "p = s8[8] pad(a, z), padding=-1_-1_2"),
}
MULTIPLES = {
    "channels": hlo("a = s8[3,4] parameter(0)", "c = s8[4] parameter(1)", "b = s8[3,4] broadcast(c), dimensions={1}", "d = s8[3,4] multiply(a, b)"),
    "rows, widened": hlo(
        "a = s8[3,4] parameter(0)",
        "c = s8[3] parameter(1)",
        "x = s32[3,4] convert(a)",
        "y = s32[3] convert(c)",
        "b = s32[3,4] broadcast(y), dimensions={0}",
        "d = s32[3,4] multiply(b, x)",
    ),
    "two dimensions, exchanged": hlo(
        "a = s8[3,5,4] parameter(0)",
        "c = s8[4,3] parameter(1)",
        "b = s8[3,5,4] broadcast(c), dimensions={2,0}",
        "d = s8[3,5,4] multiply(a, b)",
    ),
    "elements": hlo("a = s8[3,4] parameter(0)", "b = s8[3,4] parameter(1)", "d = s8[3,4] multiply(a, b)"),
    "squares": hlo("a = s8[5] parameter(0)", "d = s8[5] multiply(a, a)"),
}
OTHER_MULTIPLES = {
    "wide": hlo("a = s32[3] parameter(0)", "d = s32[3] multiply(a, a)"),
    "by a constant": hlo("a = s8[3] parameter(0)", "c = s8[] constant(3)", "b = s8[3] broadcast(c), dimensions={}", "d = s8[3] multiply(a, b)"),
    "by one element": hlo("a = s8[3] parameter(0)", "c = s8[] parameter(1)", "b = s8[3] broadcast(c), dimensions={}", "d = s8[3] multiply(a, b)"),
    "many": hlo("a = s8[30,30] parameter(0)", "d = s8[30,30] multiply(a, a)"),
}
OUTER = {
    "vectors": hlo("a = s8[3] parameter(0)", "b = s8[4] parameter(1)", "d = s32[3,4] dot(a, b), lhs_contracting_dims={}, rhs_contracting_dims={}"),
    "scalars": hlo("a = s8[] parameter(0)", "d = s8[] dot(a, a), lhs_contracting_dims={}, rhs_contracting_dims={}"),
}
RESULTS = {
    "one block": hlo("a = s32[3,4] parameter(0)", "b = s32[3,4] parameter(1)", "c = s32[3,4] add(a, b)"),
    "several blocks": hlo("a = s32[2,12] parameter(0)", "c = s32[2,12] negate(a)"),
    "a vector": hlo("a = s32[8] parameter(0)", "c = s32[8] negate(a)"),
    "two bytes": hlo("a = s16[3,8] parameter(0)", "c = s16[3,8] negate(a)"),
    "some of several": hlo("a = s32[3,4] parameter(0)", "c = s32[3,4] negate(a)", "d = s8[3,4] convert(a)", "o = (s32[3,4], s8[3,4], s32[3,4]) tuple(c, d, c)"),
}
COPIES = {
    "an input": hlo("a = s8[3,4] parameter(0)"),
    "moved": hlo("a = s8[3,4] parameter(0)", "b = s8[4,3] transpose(a), dimensions={1,0}", "c = u8[5] parameter(1)", "o = (s8[4,3], u8[5]) tuple(b, c)"),
}


def same(text: str, change: Callable[[Computation], Computation]) -> Computation:
    """The changed computation, which gives the same for all inputs."""
    module = parse_module(text)
    changed = change(module.main)
    other = replace(module, computations={**module.computations, module.entry: changed})
    for case, values in inputs(module, 4):
        before, after = (
            [np.asarray(each) for each in (found if isinstance(found, tuple) else (found,))]
            for found in (evaluate(each, list(values.values())) for each in (module, other))
        )
        assert all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(before, after, strict=True)), case
    return changed


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_are_extremes_of_slices(name: str) -> None:
    assert all(each.opcode != "reduce-window" for each in same(WINDOWS[name], windows_as_slices))


@pytest.mark.parametrize("name", DILATED)
def test_windows_of_inputs_with_gaps_are_those_of_padded_ones(name: str) -> None:
    assert all(each.opcode != "reduce-window" for each in same(DILATED[name], lambda found: windows_as_slices(gaps_as_edges(found))))


@pytest.mark.parametrize("name", GAPS)
def test_gaps_are_edges_along_a_dimension_of_their_own(name: str) -> None:
    assert not any(any(each.attributes.get("interior", ())) for each in same(GAPS[name], gaps_as_edges))


@pytest.mark.parametrize("name", MULTIPLES)
def test_multiples_of_bytes_are_products_of_vectors(name: str) -> None:
    made = same(MULTIPLES[name], multiples_as_products)
    assert [each.opcode for each in made if each.opcode in ("multiply", "dot")] == ["dot"]


@pytest.mark.parametrize("name", OTHER_MULTIPLES)
def test_other_multiples_stay(name: str) -> None:
    assert any(each.opcode == "multiply" for each in same(OTHER_MULTIPLES[name], multiples_as_products))


@pytest.mark.parametrize("name", OUTER)
def test_outer_products_contract_a_dimension_of_one_place(name: str) -> None:
    assert all(each.attributes["lhs_contracting_dims"] for each in same(OUTER[name], products_over_a_dimension) if each.opcode == "dot")


def test_a_value_that_others_use_stays_whatever_its_name_is() -> None:
    text = window("maximum", "s8", "4", "4", -128, "size=1").replace("(a, i)", "(n.maximum, i)")
    text = text.replace("  i = s8", "  n.maximum = s8[4] negate(a)\n  i = s8").replace("  ROOT n = ", "  n = ")
    assert "n.maximum" in same(text.replace("to_apply=f\n}", "to_apply=f\n  ROOT s = s8[4] subtract(n, n.maximum)\n}"), windows_as_slices).by_name


def test_sums_of_floats_over_windows_and_windows_over_inputs_with_gaps_stay() -> None:
    for text in (window("add", "f32", "4", "2", 0, "size=2 stride=2"), window("maximum", "s8", "4", "6", -128, "size=2 lhs_dilate=2")):
        assert any(each.opcode == "reduce-window" for each in same(text, windows_as_slices))


@pytest.mark.parametrize("name", RESULTS)
def test_wide_results_are_made_of_bytes(name: str) -> None:
    made = same(RESULTS[name], lambda computation: wide_results_as_bytes(computation, Tiles(16, 4, 4)))
    assert any(each.opcode == "bitcast-convert" for each in made)


def test_results_whose_rows_are_no_whole_blocks_stay() -> None:
    text = hlo("a = s32[3,6] parameter(0)", "c = s32[3,6] negate(a)")
    module = parse_module(text)
    assert wide_results_as_bytes(module.main, Tiles(16, 4, 4)) == module.main


@pytest.mark.parametrize("name", COPIES)
def test_copies_are_limits_without_effect(name: str) -> None:
    assert any(each.opcode == "maximum" for each in same(COPIES[name], copies_as_limits))
