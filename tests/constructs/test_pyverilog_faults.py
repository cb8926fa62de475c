"""What pyverilog drops, misreads or cannot parse is read as slang reads it, or refused at its line; never something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.errors import UserError
from lift.verilog import read
from tests.lift.verilog.same import differences

TOWER = (
    "module tower #(parameter N = 1)(input [3:0] a, output [3:0] y); generate if (N == 0) assign y = a; "
    "else tower #(N - 1) t(~a + N, y); endgenerate endmodule "
)
SUB = "module sub #(parameter A = 1)(input [3:0] a, b, output [3:0] y); assign y = a & ~b + A; endmodule\n"
CASE = "case (a[1:0]) 0: y = a; default: y = b; endcase"
# what stands in a module with inputs a, b (4 bits), clock and output y -> why it is refused (None: read as slang reads it).
IN_BODY: dict[str, str | None] = {
    # off by one in pyverilog's tree
    "assign y = {a, b}[3:0];": "syntax error",
    "wire [7:0] t = {a, b}; assign y = t[a[1:0] +: 4];": None,
    "wire [7:0] t = {a, b}; assign y = t[a[1:0] + 3 -: 4];": None,
    "wire [7:0] t = {a, b}; localparam P = 2; assign y = t[P + 3 : P];": None,
    "reg [7:0] t; always @* begin t = 0; t[a[1:0] +: 4] = b; end assign y = t;": None,
    # dropped
    "logic [3:0] t; assign t = a; assign y = t;": "'logic'",
    "sub s(, b, y);": "an empty place in a list",
    "reg [3:0] t; assign y = t; always @* begin if (a[0]) t = a; else t = b; @(posedge clock); end": "an event control inside a block",
    "reg [3:0] t; assign y = t; always @(posedge clock) begin case (a) 0: t <= b; endcase #(3) if (b[0]) t <= a; end": "a delay",
    "reg [3:0] t; assign y = t; always @(posedge clock) t <= #1 a;": "a delay",
    "assign #2 y = a;": "a delay",
    "reg [3:0] t; assign y = t; always begin t = a; end": "an always block without a sensitivity list",
    "real r; assign y = a;": "'real'",
    "specify (a => y) = 1; endspecify assign y = a;": "'specify'",
    # not parsed
    "for (genvar i = 0; i < 4; i = i + 1) begin : g assign y[i] = ~a[i]; end": None,
    "genvar i; for (i = 0; i < 4; i = i + 1) begin : g assign y[i] = ~a[i]; end": None,
    "localparam P = 2; generate case (P) 1: assign y = a; 2: begin : two assign y = b; end default: ; endcase endgenerate": None,
    "localparam P = 2; if (P > 1) assign y = a; else assign y = b;": None,
    "function [3:0] f(input [3:0] p, q); f = p + q; endfunction assign y = f(a, b);": None,
    "function automatic signed [3:0] f(input signed [3:0] p); f = p >>> 1; endfunction assign y = f(a);": None,
    "defparam s.A = 3; sub s(a, b, y);": "'defparam'",
    f"reg [3:0] t; assign y = t; always @* (* full_case, parallel_case *) {CASE.replace('y =', 't =')}": None,
    "(* keep = 1 *) wire [3:0] t = a; assign y = t;": None,
    "wire [3:0] t = a, u = b; assign y = t & u;": None,
    "wire t; assign t = a[0], y = {4{t}};": None,
    "reg [3:0] t; assign y = t; task inc; input [3:0] p; output [3:0] q; q = p + 1; endtask always @* inc(a, t);": None,
    "reg [3:0] t; assign y = t; always @* begin t = a; repeat (3) t = {t[2:0], b[0]}; end": None,
    "wire \\odd+name ; assign \\odd+name = a[0]; assign y = b;": "an escaped identifier",
    "assign y = a ^~ b;": None,
    "assign y = a ^ 4 'b0101;": "syntax error",
    "assign y = a & 4'sbX111;": "syntax error",
    "sub s[1:0](a, b, y);": "an array of instances",
    "wand t; assign t = a[0]; assign t = b[0]; assign y = t;": "'wand'",
    "reg [3:0] t; assign y = t; always @(posedge clock or a) t <= a;": "syntax error",
    "reg [3:0] t; assign y = t; always @* forever t = a;": "'forever'",
    "reg [3:0] t; assign y = t; always @* begin : l t = a; disable l; end": "'disable'",
    "sub s(a, b, t); assign y = t;": "use of undeclared identifier 't'",
    "sub s(a, b, y); wire u = s.y[0];": "the hierarchical name 's.y'",
    "genvar i; for (i = 0; i < 4; i = i + 1) begin : g wire t; if (i == 0) assign t = a[0]; else assign t = a[i] ^ g[i - 1].t; assign y[i] = g[i].t; end": None,
    # types that pyverilog forgets
    "function integer f; input [3:0] p; f = p - 9; endfunction assign y = f(a) < 0;": None,
    "parameter integer P = 4'd15; localparam integer Q = 8'hff + 8'd1; assign y = a + P + (Q >> 4);": None,
    # errors that pyverilog does not know
    "wire [3:0] t; wire [1:0] t; assign t = a; assign y = t;": "'t' is declared twice",
    "reg [1:0] y; always @* y = a;": "'y' is declared with two ranges",
    "always @* y = a;": "net 'y' is assigned inside a block",
    "reg [3:0] t; assign t = a; assign y = t;": "variable 't' is assigned outside a block",
    f"reg [3:0] t; assign y = t; always @* {CASE.replace('y =', 't =').replace('endcase', 'default: t = 0; endcase')}": "several defaults",
    "assign y = a[0:2];": "the part [0:2] is reversed",
    "assign y = 4294967296 + a;": "the number 4294967296 does not fit 32 bits",
    "assign y = 0'd1;": "the number 0'd1 has no bits",
    "localparam N = -1; assign y = {a, {N{b}}};": "a replication -1 times",
    "sub s(.a(a), .a(b), .y(y));": "port 'a' is connected twice",
    "sub #(.A(1), .A(2)) s(a, b, y);": "parameter 'A' is given twice",
    "sub #(.B(1)) s(a, b, y);": "module 'sub' has no parameter 'B'",
    "genvar i, j; for (i = 0; i < 4; j = j + 1) begin : g assign y[i] = a[i]; end": "a generate loop that starts 'i' and steps 'j'",
    "function [3:0] f; input [3:0] p; f = p; endfunction assign y = f(a, b);": "2 arguments of 'f', expected 1",
    "function [3:0] f; input [3:0] p; f = f(p); endfunction assign y = f(a);": "calls itself",
    "assign y = a * 1.5;": "FloatConst",
    'localparam S = "FAST"; generate if (S == "FAST") assign y = a; else assign y = S[3:0]; endgenerate': None,
    'assign y = "A\\n\\101" + a;': None,
    "tower #(3) t(a, y);": None,
    'localparam F = ""; reg [3:0] m [0:15]; initial if (F != "") $readmemh(F, m); assign y = m[a]; always @(posedge clock) m[b] <= a;': None,
    'reg [3:0] m [0:15]; initial $readmemh("f", m); assign y = m[a]; always @(posedge clock) m[b] <= a;': "a call of $readmemh",
}
# lines before the module -> why they are refused
BEFORE = {
    "`ifdef X wire t;\n`endif": "`ifdef 'X wire t;'",
    "`ifdef X\n`else wire t;\n`endif": "text behind `else",
    "`resetall wire t;": "text behind `resetall",
    "`define A 1\n`undef A B": "`undef 'A B'",
    "`define ADD(x) (x + 1)": "a macro with arguments",
    "`include \"nowhere.vh\"": "No such file or directory",
}


def text(body: str) -> str:
    return f"{TOWER}{SUB}module top(input clock, input [3:0] a, b, output [3:0] y);\n{body}\nendmodule\n"


@pytest.mark.parametrize("body", [body for body, why in IN_BODY.items() if why is None])
def test_construct_is_read_as_slang_reads_it(body: str, tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(text(body))
    assert differences(*(read([tmp_path], "top", frontend=reader) for reader in ("slang", "pyverilog"))) == []


@pytest.mark.parametrize(("body", "why"), [(body, why) for body, why in IN_BODY.items() if why is not None])
def test_construct_is_refused_at_its_line(body: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(text(body))
    with pytest.raises(UserError) as caught:
        read([tmp_path], "top", frontend="pyverilog")
    assert f"{tmp_path}/top.v:3: error: " in str(caught.value)
    assert why in str(caught.value)


@pytest.mark.parametrize("reader", ["slang", "pyverilog"])
def test_input_that_is_assigned_is_refused(reader: str, tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text("module top(input a, b, output y);\n  assign a = b;\n  assign y = a;\nendmodule\n")
    with pytest.raises(UserError, match=r"top\.v:2(:10)?: error: input 'a' is assigned inside of its module"):
        read([tmp_path], "top", frontend=reader)


@pytest.mark.parametrize(("lines", "why"), BEFORE.items())
def test_directive_that_would_hide_something_is_refused(lines: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(f"{lines}\n{text('assign y = a;')}")
    with pytest.raises(UserError) as caught:
        read([tmp_path], "top", frontend="pyverilog")
    assert f"{tmp_path}/top.v:" in str(caught.value)
    assert why in str(caught.value)


def test_endless_recursion_of_modules_is_refused(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text("module top #(parameter N = 1)(input a, output y);\n  top #(N) t(a, y);\nendmodule\n")
    with pytest.raises(UserError, match=r"top\.v:2: error: module 'top' contains itself"):
        read([tmp_path], "top", frontend="pyverilog")


def test_condition_without_an_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(f"`ifndef X\n{text('assign y = a;')}")
    with pytest.raises(UserError, match=r"top\.v: error: `ifdef or `ifndef without `endif"):
        read([tmp_path], "top", frontend="pyverilog")


def test_variables_are_found_with_their_columns(tmp_path: Path) -> None:
    head = "`define W 4\nmodule top(input clock, input a,\n  output reg b);\n  reg [`W-1:0] m;\n  reg c,\n      d;\n"
    declared = f"{head}  always @(posedge clock) {{b, c, d, m}} <= {{7{{a}}}};\nendmodule\n"
    (tmp_path / "top.v").write_text(declared)
    slang, other = (read([tmp_path], "top", frontend=reader).locations for reader in ("slang", "pyverilog"))
    assert {n: str(at) for n, at in other.items() if n != "m"} == {n: str(at) for n, at in slang.items() if n != "m"}
    assert (other["m"].line, other["m"].column) == (4, 0)  # behind a macro a column would be a guess


@pytest.mark.parametrize("body", ["assign y = 4294967296 + a;", "assign y = a[0:2];", "wire [3:0] t; wire [1:0] t; assign y = a;"])
def test_what_slang_only_warns_of_but_reads_otherwise_is_refused_too(body: str, tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(text(body))
    with pytest.raises(UserError, match=r"top\.v:3:\d+: error: "):
        read([tmp_path], "top", frontend="slang")
