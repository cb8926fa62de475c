"""What the netlist of a source looks like: names, labels, memories, ports of black boxes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.netlist.arrays import walk
from lift.netlist.model import Netlist, Node
from lift.netlist.simulate import Simulator
from lift.verilog import read


@pytest.fixture
def source(tmp_path: Path):
    """Reads a source text with top module `top`."""

    def reads(text: str, **options: object) -> Netlist:
        (tmp_path / "top.v").write_text(text)
        return read([tmp_path], "top", **options)  # type: ignore[arg-type]

    return reads


def labels(node: Node) -> set[str | None]:
    return {n.label for n in walk(node) if n.op == "const"}


def test_constants_keep_the_name_of_their_parameter(source) -> None:
    netlist = source(
        "module top #(parameter W = 4)(input clock, input [6:0] f, output reg y, output reg [1:0] s);\n"
        "  localparam [6:0] FUNCT_A = 7'd3; localparam FUNCT_B = 9; localparam [1:0] IDLE = 0, RUN = 1;\n"
        "  always @(posedge clock) begin\n"
        "    y <= f == FUNCT_B;\n"
        "    case (f) FUNCT_A: s <= RUN; default: s <= IDLE; endcase\n"
        "  end\n"
        "endmodule\n"
    )
    assert "FUNCT_B" in labels(netlist.registers["y"].next)
    assert labels(netlist.registers["s"].next) == {"FUNCT_A", "RUN", "IDLE"}
    assert netlist.constants == {"W": 4, "FUNCT_A": 3, "FUNCT_B": 9, "IDLE": 0, "RUN": 1}


def test_comparison_with_an_extended_value_is_made_in_its_own_width(source) -> None:
    netlist = source("module top(input [1:0] a, output y); assign y = a == 3; endmodule\n")
    y = netlist.outputs["y"]
    assert (y.op, y.args[0].width, y.args[1].attr) == ("eq", 2, 3)


def test_generated_instances_are_named_as_in_the_source(source) -> None:
    netlist = source(
        "module top(input clock, input [3:0] d, output [3:0] q); genvar r, c;\n"
        "  generate for (r = 0; r < 2; r = r + 1) begin : row for (c = 0; c < 2; c = c + 1) begin : col\n"
        "    cell_ff ff(clock, d[r * 2 + c], q[r * 2 + c]);\n"
        "  end end endgenerate\n"
        "endmodule\n"
        "module cell_ff(input clock, input d, output reg q); always @(posedge clock) q <= d; endmodule\n"
    )
    assert sorted(netlist.registers) == [f"row[{r}].col[{c}].ff.q" for r in (0, 1) for c in (0, 1)]
    assert netlist.modules["row[1].col[0].ff"] == "cell_ff"
    assert str(netlist.locations["row[1].col[0].ff.q"]).endswith("top.v:6:49")


def test_byte_enables_become_one_port_with_a_mask(source) -> None:
    netlist = source(
        "module top(input clock, input we, input [3:0] be, input [5:0] a, input [31:0] d, output [31:0] q);\n"
        "  reg [31:0] m [0:63]; integer i; assign q = m[a];\n"
        "  always @(posedge clock) if (we) for (i = 0; i < 4; i = i + 1) if (be[i]) m[a][i*8 +: 8] <= d[i*8 +: 8];\n"
        "endmodule\n"
    )
    (memory,) = netlist.memories.values()
    assert (memory.name, memory.depth, memory.width) == ("m", 64, 32)
    (write,) = memory.writes
    assert (write.enable.op, write.enable.attr) == ("input", "we")
    assert write.data is next(n for n in walk(write.data) if n.attr == "d")
    assert write.mask is not None
    assert [(p.op, p.width) for p in write.mask.args] == [("sext", 8)] * 4


def test_lanes_that_a_loop_assigns_by_cases_stay_whole(source) -> None:
    netlist = source(
        "module top(input c, input [31:0] a, b, output reg [31:0] y); integer i;\n"
        "  always @* for (i = 0; i < 4; i = i + 1) if (c) y[8*i +: 8] = a[8*i +: 8] + b[8*i +: 8]; else y[8*i +: 8] = 0;\n"
        "endmodule\n"
    )
    assert [(p.op, p.width) for p in netlist.outputs["y"].args] == [("mux", 8)] * 4


def test_parts_that_need_one_another_are_taken_bit_by_bit(source) -> None:
    netlist = source(
        "module top(input c, input [3:0] a, output reg [3:0] y);\n"
        "  always @* if (c) begin y[1:0] = {y[2], a[0]}; y[3:2] = {y[0], a[1]}; end else y = 0;\n"
        "endmodule\n"
    )
    simulator = Simulator(netlist)
    assert [simulator.outputs({"c": 1, "a": a})["y"] for a in range(4)] == [0b0000, 0b1001, 0b0110, 0b1111]


def test_small_arrays_become_registers(source) -> None:
    netlist = source(
        "module top(input clock, input [1:0] a, input [7:0] d, output [7:0] q); reg [7:0] m [4:6];\n"
        "  assign q = m[a]; always @(posedge clock) m[a] <= d;\nendmodule\n"
    )
    assert not netlist.memories
    assert list(netlist.registers) == ["m[4]", "m[5]", "m[6]"]


def test_one_register_written_by_several_processes_is_one_register(source) -> None:
    netlist = source(
        "module top(input clock, input [3:0] d, output reg [3:0] q); genvar i;\n"
        "  generate for (i = 0; i < 4; i = i + 1) begin : lane always @(posedge clock) q[i] <= d[3 - i]; end endgenerate\nendmodule\n"
    )
    assert netlist.registers["q"].width == 4


def test_equal_expressions_are_one_node(source) -> None:
    netlist = source("module top(input [3:0] a, b, output [3:0] y, z); assign y = a + b; assign z = a + b; endmodule\n")
    assert netlist.outputs["y"] is netlist.outputs["z"]


def test_undriven_nets_and_x_digits_are_undefined(source) -> None:
    netlist = source("module top(output y, output [3:0] z); wire w; assign y = w; assign z = 4'b1x0x; endmodule\n")
    assert (netlist.outputs["y"].op, netlist.outputs["y"].attr) == ("undef", "w")
    assert (netlist.outputs["z"].attr, netlist.outputs["z"].xmask) == (0b1000, 0b0101)


def test_clock_and_reset_are_found(source) -> None:
    netlist = source(
        "module top(input ck, input clear, input d, output reg q);\n  always @(posedge ck or posedge clear) if (clear) q <= 0; else q <= d;\nendmodule\n"
    )
    assert (netlist.clock, netlist.reset) == ("ck", "clear")


def test_initial_values_belong_to_registers(source) -> None:
    netlist = source("module top(input clock, output reg [3:0] q); initial q = 5; always @(posedge clock) q <= q + 1; endmodule\n")
    assert netlist.registers["q"].initial == 5


def test_black_box_outputs_are_inputs_of_the_netlist(source) -> None:
    netlist = source(
        "module top(input [3:0] a, output [3:0] y); wire [3:0] k; box b(.p(a + 4'd1), .q(k)); assign y = ~k; endmodule\n"
        "module box(input [3:0] p, output [3:0] q); endmodule\n",
        black_boxes=["box"],
    )
    assert netlist.inputs == {"a": 4, "b.q": 4}
    assert netlist.outputs["b.p"].op == "add"
    assert netlist.outputs["y"].args[0].attr == "b.q"


def test_the_clock_of_a_black_box_is_no_output(source) -> None:
    netlist = source(
        "module top(input clock, input d, output q); reg r; box b(.clk(clock), .d(r), .q(q)); always @(posedge clock) r <= d; endmodule\n"
        "module box(input clk, input d, output q); endmodule\n",
        black_boxes=["box"],
    )
    assert (netlist.clock, set(netlist.outputs)) == ("clock", {"q", "b.d"})


def test_macros_and_parameters_are_applied(source) -> None:
    text = "module top #(parameter W = 2)(input [W-1:0] a, output y);\n`ifdef WIDE\n assign y = |a;\n`else\n assign y = `BIT;\n`endif\nendmodule\n"
    assert source(text, defines={"WIDE": ""}, parameters={"W": 7}).inputs == {"a": 7}
    assert source(text, defines={"BIT": "a[1]"}).outputs["y"].attr == 1


def test_file_lists_name_files_relative_to_themselves(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "width.vh").write_text("`define WIDTH 5\n")
    (tmp_path / "src" / "top.v").write_text('`include "width.vh"\nmodule top(input [`WIDTH-1:0] a, output y); assign y = a[0]; endmodule\n')
    (tmp_path / "design.f").write_text("+incdir+inc\nsrc/top.v // the design\n")
    assert read([], "top", file_lists=[tmp_path / "design.f"]).inputs == {"a": 5}


def test_combinational_lanes_of_a_vector_are_no_loop(source) -> None:
    netlist = source(
        "module top(input a, output [3:0] y); wire [4:0] c; genvar i; assign c[0] = a; assign y = c[4:1];\n"
        "  generate for (i = 0; i < 4; i = i + 1) begin : s inverter v(c[i], c[i + 1]); end endgenerate\nendmodule\n"
        "module inverter(input a, output y); assign y = ~a; endmodule\n"
    )
    assert netlist.outputs["y"].width == 4


@pytest.mark.parametrize("frontend", ["slang", "pyverilog"])
def test_deep_expressions_are_read(source, frontend: str) -> None:
    terms = " ^ ".join(f"(a + 8'd{k % 256})" for k in range(2000))
    netlist = source(f"module top(input [7:0] a, output [7:0] y); assign y = {terms}; endmodule\n", frontend=frontend)
    assert netlist.outputs["y"].op == "xor"


def test_long_chains_of_wires_are_read(source) -> None:
    netlist = source(
        "module top(input [7:0] a, output [7:0] y); wire [7:0] s [0:3000]; genvar i; assign s[0] = a; assign y = s[3000];\n"
        "  generate for (i = 0; i < 3000; i = i + 1) begin : g assign s[i + 1] = s[i] * 8'd3 + i; end endgenerate\nendmodule\n"
    )
    assert netlist.outputs["y"].op == "extract"
