"""Edits of a TAIDL file: each is told once, in terms of what it does to instructions."""

from __future__ import annotations

from pathlib import Path

import pytest

from act.taidl import parse
from lift.cli import main
from lift.diff import differences

TEXT = """\
taidl 1
accelerator box

command op : 4, a : 32, b : 32

hbm    mem  : u8[65536]
buffer rows : s8[64][8]
buffer sums : s32[16][8]

config scale : u8 = 0
staged place : u8 = 0

instruction load(count, width | from, row)
  source  box.v:3:4
  encode  op = 1; a[15:0] = from; a[31:16] = row; b[15:0] = count; b[31:16] = width
  when    count <= 8
  when    width <= 8
  read    %x0 = mem[8 * i + j + from : i < count, j < width]
  write   rows[i + row][j : i < count, j < width] = %v0
  cost    4 * count
  body {
    %x0 = u8[`count`, `width`] parameter(0)
    ROOT %v0 = s8[`count`, `width`] bitcast-convert(%x0)
  }

instruction aim(| row)
  encode  op = 2; a[7:0] = row
  set     place = row

instruction add(count | row)
  encode  op = 3; a[15:0] = row; b[15:0] = count
  when    count <= 8
  use     place as place
  use     scale as scale
  read    %x0 = rows[i + row][j : i < count, j < 8]
  read    %x1 = sums[i + place][j : i < count, j < 8]
  write   sums[i + place][j : i < count, j < 8] = %v1
  write   rows[i + row][j : i < count, j < 8] = %v3
  after   aim
  body {
    %x0 = s8[`count`, 8] parameter(0)
    %x1 = s32[`count`, 8] parameter(1)
    %v0 = s32[`count`, 8] convert(%x0)
    %v1 = s32[`count`, 8] add(%x1, %v0)
    %v2 = s8[] constant(0)
    ROOT %v3 = s8[`count`, 8] broadcast(%v2), dimensions={}
  }

composite aim_add(count | row, to) =
    aim(row = to) ;
    add(count = count, row = row)
  when    count <= 8

assume  load : requests are answered in order
"""


def told(*edits: tuple[str, str]) -> str:
    """What is told when the old text of each pair becomes the new one."""
    text = TEXT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return "\n".join(map(str, differences(parse(TEXT), parse(text))))


def test_nothing_is_told_of_equal_files() -> None:
    assert told() == ""


def test_provenance_and_names_of_values_are_no_changes() -> None:
    assert told(("box.v:3:4", "box.v:99:1"), ("%v1", "%sum"), ("%x0 =", "%in ="), ("(%x0)", "(%in)")) == ""


def test_a_field_that_moved() -> None:
    assert told(("b[15:0] = count; b[31:16]", "b[10:0] = count; b[31:16]")) == "instruction load\n  encoding\n    field count: b[15:0] -> b[10:0]"


def test_another_opcode() -> None:
    assert told(("op = 2", "op = 5")) == "instruction aim\n  encoding\n    bits op[3:0]: 2 -> 5"


def test_another_guard() -> None:
    assert told(("width <= 8", "width <= 4")) == "instruction load\n  applies only when\n    - width <= 8\n    + width <= 4"


def test_a_body_is_told_by_the_effect_that_it_reaches() -> None:
    said = told(("add(%x1, %v0)", "subtract(%x1, %v0)"))
    assert said.splitlines() == [
        "instruction add",
        "  body: what it writes to sums",
        "    - %v1 = s32[`count`, 8] add(%x1, %v0)",
        "    + %v1 = s32[`count`, 8] subtract(%x1, %v0)",
    ]


def test_an_operation_put_between_does_not_change_the_lines_around_it() -> None:
    said = told(("    %v1 = s32[`count`, 8] add(%x1, %v0)", "    %w = s32[`count`, 8] negate(%v0)\n    %v1 = s32[`count`, 8] add(%x1, %w)"))
    assert [line.split(" = ")[1] for line in said.splitlines() if " = " in line] == [
        "s32[`count`, 8] negate(%v0)",
        "s32[`count`, 8] add(%x1, %v0)",
        "s32[`count`, 8] add(%x1, %w)",
    ]


def test_another_place_of_a_write() -> None:
    old, new = "rows[i + row][j : i < count, j < width]", "rows[i + 2 * row][j : i < count, j < width]"
    assert told((old, new)) == f"instruction load\n  where it writes rows\n    - {old}\n    + {new}"


def test_a_write_that_is_gone() -> None:
    said = told(("  write   rows[i + row][j : i < count, j < 8] = %v3\n", ""))
    assert "instruction add\n  no longer writes rows[i + row]" in said


def test_an_instruction_added_and_one_removed() -> None:
    start = TEXT.index("instruction load")
    end = TEXT.index("instruction aim")
    said = told((TEXT[start:end], "instruction stop()\n  encode  op = 9\n\n"), ("assume  load : requests are answered in order\n", ""))
    assert "instruction load\n  removed" in said and "instruction stop\n  added" in said


def test_a_renamed_instruction_is_not_one_removed_and_one_added() -> None:
    assert told(("instruction load(", "instruction fetch("), ("assume  load", "assume  fetch")).startswith("instruction fetch\n  renamed: load -> fetch")


def test_a_renamed_attribute_is_told_once() -> None:
    assert told(("width", "columns")) == "instruction load\n  attribute renamed: width -> columns"


def test_a_renamed_buffer_is_told_once() -> None:
    assert told(("sums", "totals")) == "buffer totals\n  renamed: sums -> totals"


def test_a_renamed_register_is_told_once() -> None:
    assert told(("staged place", "staged target"), ("use     place as place", "use     target as place"), ("set     place", "set     target")) == (
        "register target\n  renamed: place -> target"
    )


def test_a_buffer_of_another_size() -> None:
    assert told(("s32[16][8]", "s32[32][8]")) == "buffer sums\n  s32[16][8] -> s32[32][8]"


def test_a_register_that_is_needed_with_another_value() -> None:
    assert told(("use     scale as scale", "use     scale == 1")) == "instruction add\n  needs\n    - scale as scale\n    + scale == 1"


def test_another_order() -> None:
    assert told(("  after   aim\n", "")) == "instruction add\n  ordering: comes after\n    - aim"


def test_another_part_of_a_composite() -> None:
    assert told(("aim(row = to) ;", "aim(row = to + 1) ;")) == "composite aim_add\n  parts\n    - aim(row = to)\n    + aim(row = to + 1)"


def test_an_instruction_that_is_no_longer_understood() -> None:
    start, end = TEXT.index("instruction load"), TEXT.index("instruction aim")
    assert "  known -> opaque" in told((TEXT[start:end], "instruction load()\n  encode  op = 1\n  opaque\n\n"))


def test_another_assumption() -> None:
    assert told(("in order", "at once")) == "assumptions\n  - load: requests are answered in order\n  + load: requests are answered at once"


def test_what_changed_alike_is_told_together() -> None:
    assert told(("count <= 8", "count <= 7")).startswith("instructions load, add\n  applies only when")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    (tmp_path / "a.taidl").write_text(TEXT)
    (tmp_path / "b.taidl").write_text(TEXT.replace("op = 2", "op = 5"))
    return [str(tmp_path / name) for name in ("a.taidl", "b.taidl")]


def test_status_0_and_silence_for_the_same(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", files[0], files[0]]) == 0
    assert capsys.readouterr().out == ""


def test_status_1_for_a_difference(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", *files]) == 1
    assert capsys.readouterr().out == "instruction aim\n  encoding\n    bits op[3:0]: 2 -> 5\n"


@pytest.mark.parametrize("content", [None, b"taidl 1\naccelerator", b"\xff\xfe"])
def test_status_2_for_what_cannot_be_read(files: list[str], content: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.taidl"
    if content is not None:
        bad.write_bytes(content)
    assert main(["diff", files[0], str(bad)]) == 2
    assert capsys.readouterr().err.startswith(f"{bad}:")


def test_status_2_for_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["diff", "a.taidl"])
    assert end.value.code == 2 and "usage: tensorlift diff" in capsys.readouterr().err
