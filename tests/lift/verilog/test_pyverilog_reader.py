"""The pyverilog reader: what its parser would drop or misread is refused; preprocessing; elaboration."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.errors import UserError
from lift.netlist.model import Netlist
from lift.verilog import read
from lift.verilog.literals import literal
from lift.verilog.slang_types import integer_bits

PORTS = "(input clock, input [3:0] a, output reg [3:0] y)"
TRAPS = {
    "always begin y = a; end": "an always block without a sensitivity list",
    "always @* if (a) #3 y = a; else y = 0;": "a delay",
    "logic [3:0] t; always @* y = a;": "'logic'",
    "wire \\odd+name ; always @* y = a;": "an escaped identifier",
}


def reads(folder: Path, text: str, **options: object) -> Netlist:
    (folder / "top.v").write_text(text)
    return read([folder], "top", frontend="pyverilog", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("body", TRAPS)
def test_construct_that_the_parser_would_drop_is_refused(body: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"top\.v:2: error: unsupported: {TRAPS[body]}"):
        reads(tmp_path, f"module top{PORTS};\n  {body}\nendmodule\n")


def test_port_of_the_same_plain_direction_is_read(tmp_path: Path) -> None:
    assert reads(tmp_path, "module top(input [3:0] a, b, output y); assign y = a == b; endmodule\n").inputs == {"a": 4, "b": 4}


@pytest.mark.parametrize("golden", sorted((Path(__file__).parent / "errors").glob("*.pyverilog")), ids=lambda f: f.stem)
def test_bad_source_is_refused_with_its_line(golden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(golden.parent)
    with pytest.raises(UserError) as caught:
        read([Path(f"{golden.stem}.v")], "top", frontend="pyverilog")
    assert str(caught.value) == golden.read_text().rstrip("\n")


def test_macros_conditions_and_includes_are_expanded(tmp_path: Path) -> None:
    (tmp_path / "sizes.vh").write_text("`define WIDE 5\n`define WIDTH `WIDE\n")
    text = (
        '`include "sizes.vh"\n`timescale 1ns / 1ps\nmodule top(input [`WIDTH-1:0] a, output y); // `not a macro\n'
        "`ifdef FAST\n  assign y = a[0];\n`elsif SMALL\n  assign y = a[1];\n`else\n  assign y = a[2];\n`endif\nendmodule\n"
    )
    assert reads(tmp_path, text).outputs["y"].attr == 2
    assert reads(tmp_path, text, defines={"SMALL": ""}).outputs["y"].attr == 1
    assert reads(tmp_path, text, defines={"FAST": "1"}).inputs == {"a": 5}


def test_lines_after_an_include_keep_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "sizes.vh").write_text("// one\n// two\n")
    with pytest.raises(UserError, match=r"top\.v:3: error: use of undeclared identifier 'b'"):
        reads(tmp_path, '`include "sizes.vh"\nmodule top(input a, output y);\n  assign y = b;\nendmodule\n')


def test_unknown_macro_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"top\.v:1: error: unknown macro '`WIDTH'"):
        reads(tmp_path, "module top(input [`WIDTH-1:0] a, output y); endmodule\n")


def test_parameters_are_given_by_name_and_position(tmp_path: Path) -> None:
    text = (
        "module top #(parameter W = 2)(input [W-1:0] a, output [7:0] y, z);\n"
        "  sub #(W, 3) one(a, y); sub #(.K(5)) two(.a(a[1:0]), .y(z));\nendmodule\n"
        "module sub #(parameter W = 2, parameter [3:0] K = 1)(input [W-1:0] a, output [7:0] y); assign y = a + K; endmodule\n"
    )
    constants = reads(tmp_path, text, parameters={"W": 6}).constants
    assert constants == {"W": 6, "one.W": 6, "one.K": 3, "two.W": 2, "two.K": 5}


def test_unknown_parameter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="module 'top' has no parameter 'X'\n  its parameters are: W"):
        reads(tmp_path, "module top #(parameter W = 2)(input a, output y); assign y = a; endmodule\n", parameters={"X": 1})


def test_black_box_outputs_are_inputs_of_the_netlist(tmp_path: Path) -> None:
    text = "module top(input a, output y); box b(.p(a), .q(y)); endmodule\nmodule box(input p, output q); endmodule\n"
    netlist = reads(tmp_path, text, black_boxes=["box"])
    assert (netlist.inputs, sorted(netlist.outputs)) == ({"a": 1, "b.q": 1}, ["b.p", "y"])


@pytest.mark.parametrize("text", ["8'b1x0z", "8'bz1", "4'b1??0", "70'hzzz", "8'shx1", "12'hab_c", "'o17", "5'd9", "8'dx", "16'sb101"])
def test_literals_are_those_of_slang(text: str) -> None:
    from pyslang import SVInt

    number, expected = literal(text), SVInt(text if text[0] != "'" else f"32{text}")
    assert (number.value, number.xmask) == integer_bits(expected)
    assert (number.width, number.signed) == (expected.bitWidth, expected.isSigned)
