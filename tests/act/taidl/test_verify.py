"""Verification: what is wrong with a description, and where; what is right passes."""

# One case per line reads as a table.
# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import pytest

from act.taidl import TaidlErrors, load, parse, verify

FILES = sorted((Path(__file__).parents[3] / "isas").glob("*/*.taidl"))

GOOD = """taidl 1
accelerator demo
command op : 8, arg : 64
hbm    host  : u8[1 << 20]
buffer local : s8[64][16]
config scale : u4 = 0
staged where : u6 = 0
instruction load(n | addr, row)
  encode  op = 1; arg[4:0] = n; arg[31:12] = addr; arg[45:40] = row
  when    1 <= n and n <= 16
  read    %x = host[addr + j : j < n]
  write   local[row][j : j < n] = %y
  body {
    %x = u8[`n`] parameter(0)
    ROOT %y = s8[`n`] bitcast-convert(%x)
  }
instruction point(| row)
  encode  op = 2; arg[5:0] = row
  set     where = row
instruction double(n)
  encode  op = 3; arg[4:0] = n
  when    1 <= n and n <= 16
  use     where as row
  read    %x = local[row][j : j < n]
  write   local[row][j : j < n] = %y
  body {
    %x = s8[`n`] parameter(0)
    ROOT %y = s8[`n`] add(%x, %x)
  }
composite load_double(n | addr, row) =
    load(n = n, addr = addr, row = row) ;
    point(row = row) ;
    double(n = n)
  when    1 <= n and n <= 16
assume  load : the address is right
"""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_files_in_the_tree_hold(file: Path) -> None:
    load(file.read_text(), str(file))


def test_a_right_description_has_no_errors() -> None:
    assert verify(parse(GOOD)) == []


WRONG = {
    "unknown_element": ("s8[64]", "q8[64]", "d:5:8: error: buffer 'local': 'q8' is no element type"),
    "host_memory_of_words": ("u8[1", "u16[1", "d:4:8: error: buffer 'host': a host memory has bytes as elements, found u16"),
    "initial_value": ("u4 = 0", "u4 = 16", "d:6:8: error: register 'scale': the initial value 16 is not in the range of u4"),
    "note_about_nothing": ("assume  load", "assume  lead", "d:35:9: error: a note (assume) is about 'lead', which is no instruction"),
    "constant_too_large": ("op = 1", "op = 256", "d:9:3: error: load: 256 does not fit op[7:0]"),
    "overlapping_fields": ("arg[31:12]", "arg[31:4]", "d:9:3: error: load: arg[31:4] and arg[4:0] overlap"),
    "field_beyond_its_word": ("arg[45:40]", "arg[65:60]", "d:9:3: error: load: arg[65:60] is not within the 64 bits of arg"),
    "attribute_that_is_not_encoded": ("; arg[45:40] = row", "", "d:9:3: error: load: attribute 'row' is in no field"),
    "unknown_attribute_in_when": ("1 <= n and n <= 16\n  read    %x = host", "m == 1\n  read    %x = host", "d:10:3: error: load: 'm' is no attribute"),
    "impossible_when": ("1 <= n and n <= 16\n  read    %x = host", "n == 32\n  read    %x = host", "d:10:3: error: load: no attribute values satisfy"),
    "unknown_buffer": ("host[addr", "hast[addr", "d:11:3: error: load: 'hast' is no buffer (known: host, local)"),
    "missing_coordinate": ("local[row][j : j < n] = %y\n  body {\n    %x = u8", "local[row] = %y\n  body {\n    %x = u8", "d:12:3: error: load: 'local' has 2 dim"),
    "unknown_index": ("local[row][j : j < n] = %y\n  body {\n    %x = u8", "local[row][k : j < n] = %y\n  body {\n    %x = u8", "d:12:3: error: load: 'k' is no"),
    "index_named_like_an_attribute": ("host[addr + j : j < n]", "host[addr : row < n]", "d:11:3: error: load: index variable 'row' has a meaning already"),
    "coordinate_beyond_the_unit": ("n <= 16\n  read    %x = host", "n <= 17\n  read    %x = host", "d:12:3: error: load: coordinate j reaches from 0 to 16, beyond 0 to 15"),
    "unknown_register": ("use     where", "use     there", "d:23:3: error: double: 'there' is no register"),
    "index_of_a_single_register": ("set     where", "set     where[0]", "d:19:3: error: point: register 'where' is single"),
    "element_types_differ": ("ROOT %y = s8[`n`] bitcast", "ROOT %y = s32[`n`] bitcast", "d:15: error: load: bitcast-convert '%y'"),
    "extents_differ": ("%y = s8[`n`] add", "%y = s8[`n + 1`] add", "d:28: error: double: add '%y': expected shape s8[`n`], found s8[`n + 1`]"),
    "written_tensor_does_not_exist": ("[j : j < n] = %y\n  body {\n    %x = s8", "[j : j < n] = %z\n  body {\n    %x = s8", "d:25:3: error: double: '%z' is not computed"),
    "parameter_that_is_not_read": ("%x = s8[`n`] parameter(0)", "%x2 = s8[`n`] parameter(0)\n    %x = s8[`n`] copy(%x2)", "d:26:3: error: double: expected the parameters %x"),
    "operand_of_another_size": ("%x = s8[`n`] parameter(0)", "%x = s8[16] parameter(0)", "d:24:3: error: double: the slice of local is s8[`n`], but '%x' is s8[16]"),
    "computation_depends_on_an_address": ("u8[`n`] parameter", "u8[`addr`] parameter", "d:13:3: error: load: 'addr' in `addr` is an address"),
    "body_is_no_hlo": ("add(%x, %x)", "add(%x, %x", "d:28:33: error: double: expected"),
    "unknown_operator": ("add(%x, %x)", "plus(%x, %x)", "d:28:23: error: double: the operator 'plus' is not supported"),
    "written_without_a_body": ("  body {\n    %x = s8[`n`] parameter(0)\n    ROOT %y = s8[`n`] add(%x, %x)\n  }\n", "", "d:25:3: error: double: something is written, but"),
    "opaque_with_a_body": ("  use     where as row", "  opaque\n  use     where as row", "d:23:3: error: double: an opaque instruction has no body"),
    "unknown_part": ("point(row = row) ;", "paint(row = row) ;", "d:30:11: error: load_double: part paint: 'paint' is no instruction"),
    "part_without_a_value": ("double(n = n)", "double()", "d:30:11: error: load_double: part double: no value for 'n'"),
    "part_that_is_never_allowed": ("double(n = n)", "double(n = 17)", "d:30:11: error: load_double: part double: its 'when' 1 <= n and n <= 16 can never hold here"),
    "attribute_that_no_part_carries": ("load_double(n | addr", "load_double(n, mode | addr", "d:30:11: error: load_double: attribute 'mode' is in no part"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_with_its_place(case: str) -> None:
    before, after, message = WRONG[case]
    assert GOOD.count(before) == 1, "the case does not change exactly one place"
    with pytest.raises(TaidlErrors) as error:
        load(GOOD.replace(before, after), "d")
    assert any(str(each).startswith(message) for each in error.value.errors), str(error.value)
