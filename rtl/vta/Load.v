// The load module: executes LOAD of inp and wgt elements. Its neighbour "next" is compute; it has no "prev".
module Load #(
    parameter INP_BYTES = 16,
    parameter WGT_BYTES = 256,
    parameter LOG_INP_DEPTH = 11,
    parameter LOG_WGT_DEPTH = 10,
    parameter BEAT_BITS = 64,
    parameter [31:0] DRAM_BASE = 32'd0
) (
    input  wire                     clock,
    input  wire                     reset,
    input  wire                     inst_valid,
    output wire                     inst_ready,
    input  wire [127:0]             inst_bits,
    input  wire                     next_available,
    output wire                     take_next,
    output wire                     give_next,
    output wire                     inp_cmd_valid,
    input  wire                     inp_cmd_ready,
    output wire [31:0]              inp_cmd_addr,
    output wire [7:0]               inp_cmd_len,
    input  wire                     inp_data_valid,
    output wire                     inp_data_ready,
    output wire                     wgt_cmd_valid,
    input  wire                     wgt_cmd_ready,
    output wire [31:0]              wgt_cmd_addr,
    output wire [7:0]               wgt_cmd_len,
    input  wire                     wgt_data_valid,
    output wire                     wgt_data_ready,
    input  wire [BEAT_BITS-1:0]     data_bits,
    output wire                     inp_write_valid,
    output wire [LOG_INP_DEPTH-1:0] inp_write_index,
    output wire [INP_BYTES*8-1:0]   inp_write_data,
    output wire                     wgt_write_valid,
    output wire [LOG_WGT_DEPTH-1:0] wgt_write_index,
    output wire [WGT_BYTES*8-1:0]   wgt_write_data
);
    localparam [2:0] ID_WGT = 3'd1;
    localparam [2:0] ID_INP = 3'd2;

    wire [2:0] id = inst_bits[9:7];
    wire       start, inp_busy, wgt_busy;

    // verilator lint_off PINCONNECTEMPTY
    InstructionControl control (
        .clock(clock), .reset(reset), .inst_valid(inst_valid),
        .pop_prev(1'b0), .pop_next(inst_bits[4]), .push_prev(1'b0), .push_next(inst_bits[6]),
        .prev_available(1'b0), .next_available(next_available),
        .unit_busy(inp_busy || wgt_busy),
        .take_prev(), .take_next(take_next), .give_prev(), .give_next(give_next),
        .start(start), .done(inst_ready)
    );
    // verilator lint_on PINCONNECTEMPTY

    TensorLoad #(.ELEMENT_BYTES(INP_BYTES), .INDEX_BITS(LOG_INP_DEPTH), .BEAT_BITS(BEAT_BITS), .DRAM_BASE(DRAM_BASE)) inp_load (
        .clock(clock), .reset(reset), .start(start && id == ID_INP), .inst(inst_bits), .busy(inp_busy),
        .cmd_valid(inp_cmd_valid), .cmd_ready(inp_cmd_ready), .cmd_addr(inp_cmd_addr), .cmd_len(inp_cmd_len),
        .data_valid(inp_data_valid), .data_ready(inp_data_ready), .data_bits(data_bits),
        .write_valid(inp_write_valid), .write_index(inp_write_index), .write_data(inp_write_data)
    );

    TensorLoad #(.ELEMENT_BYTES(WGT_BYTES), .INDEX_BITS(LOG_WGT_DEPTH), .BEAT_BITS(BEAT_BITS), .DRAM_BASE(DRAM_BASE)) wgt_load (
        .clock(clock), .reset(reset), .start(start && id == ID_WGT), .inst(inst_bits), .busy(wgt_busy),
        .cmd_valid(wgt_cmd_valid), .cmd_ready(wgt_cmd_ready), .cmd_addr(wgt_cmd_addr), .cmd_len(wgt_cmd_len),
        .data_valid(wgt_data_valid), .data_ready(wgt_data_ready), .data_bits(data_bits),
        .write_valid(wgt_write_valid), .write_index(wgt_write_index), .write_data(wgt_write_data)
    );
endmodule
