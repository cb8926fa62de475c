"""Two instruction sets of one encoding, executed: the fewest commands after which they leave different results."""

from __future__ import annotations

from pathlib import Path

import pytest

from act.taidl import parse
from lift.diff.completeness import comparison
from lift.diff.witness import Pair, Witness, witnesses

ROOT = Path(__file__).parents[3]

HARDWARE = """taidl 1
accelerator hard
command word : 32
hbm    mem  : u8[1 << 12]
buffer rows : s8[16][4]
buffer sums : s32[8][4]
config shift : u3 = 0
config relu  : u1 = 0

instruction config(amount, positive)
  encode  word[31:28] = 1; word[2:0] = amount; word[8:8] = positive
  set     shift = amount
  set     relu = positive

instruction add(| a, to)
  encode  word[31:28] = 2; word[3:0] = a; word[10:8] = to
  read    %x = rows[a][j : j < 4]
  read    %s = sums[to][j : j < 4]
  write   sums[to][j : j < 4] = %r
  body {
    %x = s8[4] parameter(0)
    %s = s32[4] parameter(1)
    %n = s20[4] convert(%s)
    %w = s20[4] convert(%x)
    %t = s20[4] add(%n, %w)
    ROOT %r = s32[4] convert(%t)
  }

instruction out(| from, to)
  encode  word[31:28] = 3; word[2:0] = from; word[11:8] = to
  use     relu == 0
  read    %s = sums[from][j : j < 4]
  write   rows[to][j : j < 4] = %r
  body {
    %s = s32[4] parameter(0)
    %low = s32[] constant(-128)
    %high = s32[] constant(127)
    %c = s32[4] clamp(%low, %s, %high)
    ROOT %r = s8[4] convert(%c)
  }

instruction out_relu(| from, to)
  encode  word[31:28] = 3; word[2:0] = from; word[11:8] = to
  use     relu == 1
  read    %s = sums[from][j : j < 4]
  write   rows[to][j : j < 4] = %r
  body {
    %s = s32[4] parameter(0)
    %low = s32[] constant(0)
    %high = s32[] constant(127)
    %c = s32[4] clamp(%low, %s, %high)
    ROOT %r = s8[4] convert(%c)
  }
"""


def changed(*pairs: tuple[str, str], name: str = "model") -> str:
    text = HARDWARE.replace("accelerator hard", f"accelerator {name}")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


def found(model: str) -> list[Witness]:
    return witnesses(parse(HARDWARE), parse(model))


def test_none_is_found_where_both_say_the_same_in_other_words() -> None:
    assert found(changed(("rows", "vectors"), ("sums", "totals"), ("shift", "amounts"), ("out_relu", "leave_positive"))) == []


def test_sums_that_do_not_wrap_in_the_model_are_told_by_extreme_elements() -> None:
    """20 bits of the hardware, 32 of the model."""
    (one,) = found(changed(("s20", "s32")))
    assert [name for name, _ in one.operations] == ["add"] and one.place.startswith("sums[")
    assert one.found != one.modelled and one.found == (one.modelled + (1 << 19)) % (1 << 20) - (1 << 19)


def test_a_register_that_the_model_ignores_is_told_with_the_command_that_sets_it() -> None:
    without = changed().split("instruction out_relu")[0].replace("  use     relu == 0\n", "")
    (one,) = found(without)
    assert [name for name, _ in one.operations] == ["config", "out"] and one.operations[0][1]["positive"] == 1
    assert one.found == 0 and one.modelled < 0


def test_a_command_that_the_hardware_does_not_take_is_told() -> None:
    (one,) = found(changed(("word[31:28] = 2", "word[31:28] = 9")))
    assert [name for name, _ in one.operations] == ["add"] and one.refused == "its words are no command there"


def test_other_words_are_not_compared() -> None:
    with pytest.raises(ValueError, match="words"):
        found(changed(("command word : 32", "command word : 33")))


def test_the_report_has_the_witness() -> None:
    text = comparison(parse(HARDWARE), parse(changed(("s20", "s32"))), "model.taidl")
    lines = text.split("results that differ, with the commands that show it\n")[1].splitlines()
    assert lines[0].startswith("  add: sums[") and " in the model" in lines[0]
    assert lines[1].startswith("    with ") and lines[2].startswith("      add a=")
    assert "not looked for: its commands have no words" in comparison(
        parse(HARDWARE), parse(changed(("command word : 32", "command word : 33"))), "model.taidl"
    )


@pytest.fixture(scope="module")
def pair() -> Pair:
    return Pair(parse((ROOT / "isas/generated/gemmini.taidl").read_text()), parse((ROOT / "isas/reference/gemmini_functional.taidl").read_text()))


def test_a_functional_simulator_does_not_shift_what_goes_to_the_accumulator(pair: Pair) -> None:
    witness = pair.witness("compute_preloaded_os_shifted")
    assert witness is not None and [name for name, _ in witness.operations] == ["config_ex", "preload", "compute_preloaded_os_shifted"]
    shift = witness.operations[0][1]["shift"]
    assert witness.found == round(witness.modelled / 2**shift)


def test_a_functional_simulator_sums_in_32_bits_where_the_hardware_wraps_at_20(pair: Pair) -> None:
    witness = pair.witness("compute_accumulated_os")
    assert witness is not None and witness.operations[-1][0] == "compute_accumulated_os"
    assert witness.found == (witness.modelled + 2**19) % 2**20 - 2**19 != witness.modelled


def test_what_they_do_alike_has_no_witness(pair: Pair) -> None:
    assert pair.witness("mvin") is None and pair.witness("compute_preloaded_os") is None
