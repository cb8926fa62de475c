"""Instructions, by the names that the decoder gives to the constants it compares with."""

from __future__ import annotations

from pathlib import Path

from lift.discover.commands import PayloadSlice, comparisons, decoder
from lift.discover.contract import discover
from lift.netlist.model import Netlist
from lift.verilog import read
from tests.lift import small
from tests.lift.lifted import RTL, lift_of


def netlist(folder: Path, text: str) -> Netlist:
    file = folder / "small.v"
    file.write_text(text)
    return read([file], "Small")


def test_the_instructions_of_the_accelerator_have_their_names() -> None:
    design = read([RTL], "Gemmini", parameters={"DIM": 4})
    command = discover(design).command
    assert command is not None
    found = decoder(design, command)
    assert found is not None
    assert found.opcode == PayloadSlice("funct", 0, 7)
    assert found.names == {
        0: "config", 1: "mvin2", 2: "mvin", 3: "mvout", 4: "compute_preloaded", 5: "compute_accumulated", 6: "preload", 14: "mvin3",
    }  # fmt: skip
    assert found.subcodes[PayloadSlice("rs1", 0, 2)] == {0: "config_ex", 1: "config_ld", 2: "config_st"}


def test_the_prefix_that_names_share_is_dropped(tmp_path: Path) -> None:
    design = netlist(tmp_path, small.TEMPLATE % small.FILL)
    command = discover(design).command
    assert command is not None
    found = decoder(design, command)
    assert found is not None
    assert found.names == {1: "set", 2: "run"}


def test_constants_without_names_are_numbered(tmp_path: Path) -> None:
    text = (small.TEMPLATE % small.FILL).replace("cmd_op == OP_SET", "cmd_op == 3'd1").replace("cmd_op == OP_RUN", "cmd_op == 3'd2")
    design = netlist(tmp_path, text)
    command = discover(design).command
    assert command is not None
    found = decoder(design, command)
    assert found is not None
    assert found.names == {1: "op_1", 2: "op_2"}


def test_a_register_that_latches_a_word_counts_as_the_word(tmp_path: Path) -> None:
    latched = "reg [2:0] op; always @(posedge clock) if (fire) op <= cmd_op; wire later = op == 3'd6; reg seen; always @(posedge clock) seen <= later;"
    design = netlist(tmp_path, small.TEMPLATE % (small.FILL + latched))
    command = discover(design).command
    assert command is not None
    assert set(comparisons(design, command)[PayloadSlice("cmd_op", 0, 3)]) == {1, 2, 6}


def test_a_unit_that_compares_nothing_has_no_decoder(tmp_path: Path) -> None:
    text = "module Small (input wire clock, input wire c_valid, output wire c_ready, input wire [3:0] c_w); assign c_ready = 1'b1; reg [3:0] r; "
    design = netlist(tmp_path, text + "always @(posedge clock) if (c_valid) r <= c_w; endmodule")
    command = discover(design).command
    assert command is not None
    assert decoder(design, command) is None


EXTENSION = """
module Small (input wire clock, input wire reset, input wire c_valid, output wire c_ready, input wire [9:0] c_id, input wire [31:0] c_a,
              output reg [31:0] sum, output reg [31:0] scale);
    assign c_ready = 1'b1;
    always @(posedge clock)
        if (reset) begin sum <= 0; scale <= 0; end
        else if (c_valid)
            case (c_id[2:0])
                3'd0: case (c_id[9:3])
                    7'd0: sum <= 0;
                    7'd1: scale <= c_a;
                    7'd2: scale <= 0;
                    7'd4: scale <= sum;
                endcase
                3'd1: sum <= sum + c_a;
                3'd5: sum <= sum - c_a;
            endcase
endmodule
"""


def test_of_numbers_within_cases_of_another_the_outer_one_is_the_opcode(tmp_path: Path) -> None:
    design = netlist(tmp_path, EXTENSION)
    command = discover(design).command
    assert command is not None
    found = decoder(design, command)
    assert found is not None
    assert (found.opcode, found.names) == (PayloadSlice("id", 0, 3), {0: "op_0", 1: "op_1", 5: "op_5"})
    assert found.subcodes == {PayloadSlice("id", 3, 7): {0: "0", 1: "1", 2: "2", 4: "4"}}


def test_only_the_case_that_looks_at_them_is_split_by_inner_numbers(tmp_path: Path) -> None:
    (tmp_path / "small.v").write_text(EXTENSION)
    lift = lift_of([tmp_path / "small.v"], "Small")
    assert set(lift.modes) == {"op_0_0", "op_0_1", "op_0_2", "op_0_4", "op_1", "op_5"}


TABLE = """
module Small (input clock, input reset, input c_valid, output c_ready, input [2:0] c_op, input [7:0] c_a, output reg [7:0] sum);
    wire [7:0][1:0] step = {2'd0, 2'd0, 2'd0, 2'd2, 2'd0, 2'd2, 2'd1, 2'd0};
    reg [1:0] state;
    reg [7:0] a;
    assign c_ready = state == 2'd0;
    always @(posedge clock)
        if (reset) begin state <= 2'd0; sum <= 8'd0; end
        else if (state == 2'd0) begin if (c_valid) begin state <= step[c_op]; a <= c_a; end end
        else begin state <= 2'd0; sum <= state == 2'd1 ? sum + a : sum ^ a; end
endmodule
"""


def test_numbers_of_elements_of_a_table_are_opcodes(tmp_path: Path) -> None:
    (tmp_path / "small.sv").write_text(TABLE)
    lift = lift_of([tmp_path / "small.sv"], "Small")
    assert set(lift.modes) == {"op_1", "op_2", "op_4"}
    assert not lift.opaque
