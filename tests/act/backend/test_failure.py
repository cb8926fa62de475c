"""Why hardware that saturates has no program for a kernel that wraps: with the range that was found, and what to do."""

import pytest

from act.backend.compile import compile_module
from act.errors import UserError
from act.hlo import parse_module
from tests.act.backend.backends import ROOT, backend_of, error_of, hlo, reference, systolic

INPUTS = ("p = s8[40,40] parameter(0)", "q = s8[40,40] parameter(1)", "t = s8[40,40] transpose(p), dimensions={1,0}", "m = s8[40,40] maximum(t, q)")
SUM = (*INPUTS, "r = s8[40,40] add(m, q)")
CUT = ("p = s32[40,40] parameter(0)", "q = s32[40,40] parameter(1)", "x = s32[40,40] and(p, q)", "r = s8[40,40] convert(x)")


def refusal(backend, *lines: str) -> str:
    with pytest.raises(UserError) as found:
        compile_module(backend, parse_module(hlo(*lines)))
    return str(found.value)


def test_a_sum_of_bytes_that_wraps_has_a_program_where_instructions_saturate():
    assert error_of(systolic(), hlo(*SUM)) is None


def test_a_conversion_that_may_wrap_is_refused_with_its_range():
    said = refusal(reference("gemmini_sim"), *CUT)
    assert "it is not proved that all values stay within [-128, 127] (range found: [-2147483648, 2147483647])" in said
    assert "clamp to [-128, 127] before the conversion to s8" in said


def test_a_conversion_that_may_wrap_is_no_reason_where_its_low_bytes_are_computed():
    said = refusal(systolic(), *CUT)
    assert "and(s32[16,16], s32[16,16]) -> s32[16,16], which no instruction computes" in said
    assert "saturate" not in said


@pytest.mark.parametrize("machine", ["gemmini", "decoupled", "systolic16"])
def test_an_operator_that_no_instruction_has_is_not_refused_for_saturation(machine):
    said = refusal(reference(machine), "p = s8[16,16] parameter(0)", "q = s8[16,16] parameter(1)", "r = s8[16,16] multiply(p, q)")
    assert "which no instruction computes" in said
    assert "saturate" not in said


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("a = s8[4,9] parameter(0)", "d = s8[4,9] negate(a)"), "s8 is read in rows of 16 elements, and s8[4,9] has rows of 9: pad them to a multiple"),
        (("a = s8[16,2] parameter(0)", "d = s8[2,16] transpose(a), dimensions={1,0}"), "s8[16,2] has rows of 2"),
        (("a = s8[4,16] parameter(0)", "d = s8[4,9] slice(a), slice={[0:4],[0:9]}"), "s8 is written in rows of 16 elements, and s8[4,9] has rows of 9"),
    ],
)
def test_rows_in_which_host_memory_is_not_read_or_written_are_named(lines, said):
    assert said in refusal(backend_of((ROOT / "isas" / "generated" / "vta.taidl").read_text()), *lines)


def test_rows_are_not_named_where_instructions_choose_them():
    assert "rows of" not in refusal(reference("gemmini"), "p = s32[5,9] parameter(0)", "r = s32[5,9] add(p, p)")
