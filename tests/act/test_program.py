"""Assembly text and programs are each other's inverse."""

from __future__ import annotations

import pytest

from act.errors import UserError
from act.program import Command, Program, Region, parse_program, print_program

TEXT = """act-asm 1
isa demo sha256 0123abcd
memory dram 0x3000
input Arg_0.1 : s8[16,16] = dram[0x1000]
constant c-1 : s32[2] = dram[0x1100] bytes 0100000002000000
constant empty : s8[0] = dram[0x1108]
scratch s : u8[64] = dram[0x1200]
output out0 : pred[] = dram[0x2000]

config mode=1
load rows=16 cols=4 | addr=0x1000 row=16
store | addr=0x2000
flush
"""


def test_printed_text_is_kept() -> None:
    assert print_program(parse_program(TEXT)) == TEXT


def test_parts_of_a_program() -> None:
    program = parse_program(TEXT)
    assert [region.name for region in program.of_kind("constant")] == ["c-1", "empty"]
    assert program.regions[1] == Region("constant", "c-1", "s32", (2,), "dram", 0x1100, b"\1\0\0\0\2\0\0\0")
    assert program.commands[1] == Command("load", {"rows": 16, "cols": 4}, {"addr": 0x1000, "row": 16})
    assert program.commands[2].attributes == {"addr": 0x2000}


def test_comments_are_kept_and_mean_nothing() -> None:
    program = Program("demo", "0", {}, (), (Command("flush", comment="the end"),))
    assert print_program(program).splitlines()[-1] == "flush  # the end"
    assert parse_program(print_program(program)) == program
    assert print_program(parse_program(print_program(program))) == print_program(program)
    assert parse_program(print_program(program).replace("  # the end", "")) == program


def test_sizes_are_in_whole_bytes() -> None:
    sizes = {dtype: Region("input", "x", dtype, (3, 5), "dram", 16).size for dtype in ("s4", "pred", "s20", "bf16", "f32")}
    assert sizes == {"s4": 15, "pred": 15, "s20": 45, "bf16": 30, "f32": 60}


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("act-asm 1", "act-asm 2", "p:1: error: expected 'act-asm 1', found 'act-asm 2'\n  give a program that act-cc wrote"),
        ("isa demo sha256 0123abcd\n", "", "p: error: expected a line 'isa NAME sha256 DIGEST', found none\n  give a program that act-cc wrote"),
        ("flush", "flush it", "p:13: error: expected an instruction such as 'NAME a=1 | b=2', or a header line, found 'flush it'"),
        ("rows=16", "rows=many", "p:11: error: expected an attribute NAME=INTEGER, each once, found 'rows=many'"),
        ("row=16", "addr=16", "p:11: error: expected an attribute NAME=INTEGER, each once, found 'addr=16'"),
        ("pred[]", "bool[]", "p:8: error: expected an element type such as s8, found 'bool'"),
        ("bytes 01", "bytes ", "p:5: error: not a tensor in memory: c-1: 7 bytes of data for 8 bytes"),
        (
            "pred[] = dram[0x2000]",
            "pred[] = dram[here]",
            "p:8: error: expected an instruction such as 'NAME a=1 | b=2', or a header line, found 'output out0 : pred[] = dram[here]'",
        ),
    ],
)
def test_malformed_programs_are_rejected_with_the_line(before: str, after: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        parse_program(TEXT.replace(before, after), "p")
    assert str(error.value) == message
