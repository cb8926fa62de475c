"""TAIDL text: parsing and the canonical printer are inverse to each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from act.taidl import Accelerator, Int, TaidlErrors, parse, parse_located, print_text

REPOSITORY = Path(__file__).parents[3]
FILES = sorted(REPOSITORY.glob("isas/*/*.taidl"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_files_in_the_tree_are_canonical(file: Path) -> None:
    text = file.read_text()
    assert print_text(parse(text, str(file))) == text


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_printed_model_parses_to_itself(file: Path) -> None:
    accelerator = parse(file.read_text())
    assert parse(print_text(accelerator)) == accelerator


EVERYTHING = """taidl 1
# Every clause once.
#
# And a second paragraph.
accelerator all

command op : 8, arg : 64

hbm    host  : u8[1 << 40]
buffer local : s8[2, 16][4, 4]
buffer flat  : f32[8]

config mode[2] : u2
staged where   : s33 = -1

instruction load(n | addr)
  part
  source  core.v:12
  source  core.v:40-44
  encode  op = 1; arg[63:48] = n; arg[31:0] = addr >> 2
  when    1 <= n and n <= 4
  when    addr % 4 == 0
  use     mode[1] as m
  use     where == -1
  read    %x = host[addr + i : i < n]
  read    %p.1 = flat[2]
  write   local[0, addr][i, 0 : i < n] = %y
  clobber flat[q : q < 8]
  set     where = addr if m == 0 else -addr
  after   other, load
  cost    20 + 2 * n
  body {
    %x = u8[`n`] parameter(0)
    %p.1 = f32[] parameter(1)

    ROOT %y = s8[`n`] bitcast-convert(%x)
  }

instruction other()
  encode  op = 2
  opaque

instruction third(| addr)
  encode  op = 3; arg = addr

composite both(k) =
    load(n = k, addr = 0) ;
    other()
  when    k == 4

assume  load.flat : the caller keeps # this in mind
proved  load : by induction
"""


def test_every_clause_is_kept() -> None:
    assert print_text(parse(EVERYTHING)) == EVERYTHING


def test_comments_and_line_breaks_are_free() -> None:
    loose = EVERYTHING.replace("  when    1 <= n and n <= 4\n", "when # a comment\n   1 <= n # another\n\n and\n n <= 4\n")
    assert parse(loose) == parse(EVERYTHING)


def test_a_field_without_bits_is_the_whole_word() -> None:
    field = parse(EVERYTHING).instructions["third"].encode[1]
    assert (field.word, field.high, field.low) == ("arg", 63, 0)


def test_constants_of_dimensions_may_be_expressions() -> None:
    assert parse("taidl 1\naccelerator a\nbuffer b : s8[4 * 4][1 << 2]").buffers["b"].access == (16,)


def test_lines_do_not_count_when_models_are_compared() -> None:
    accelerator = parse(EVERYTHING)
    instruction = accelerator.instructions["load"]
    assert instruction.line == 16
    assert replace(instruction, line=0) == instruction != replace(instruction, cost=Int(1))


def test_bodies_are_kept_without_their_indentation() -> None:
    body = parse(EVERYTHING).instructions["load"].body
    assert body.splitlines()[0] == "%x = u8[`n`] parameter(0)"


def test_locations_are_those_of_the_clauses() -> None:
    locations = parse_located(EVERYTHING, "all.taidl")[1]
    assert locations["load", "when", 1] == "all.taidl:22:3"
    assert locations["where", "declaration", 0] == "all.taidl:14:8"


def test_an_empty_accelerator_is_printed() -> None:
    assert print_text(Accelerator("nothing")) == "taidl 1\naccelerator nothing\n"


def test_all_errors_of_a_file_are_reported_at_once() -> None:
    text = EVERYTHING.replace("op = 2", "op = ").replace("2 * n\n", "2 * n )\n").replace("f32[8]", "f32[8")
    with pytest.raises(TaidlErrors) as error:
        parse(text, "x")
    assert [each.location for each in error.value.errors] == ["x:11:21", "x:31:22", "x:40:15"]
