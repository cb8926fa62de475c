// The store module: executes STORE. Its neighbour "prev" is compute; it has no "next".
module Store #(
    parameter OUT_BYTES = 16,
    parameter LOG_OUT_DEPTH = 11,
    parameter BEAT_BITS = 64,
    parameter [31:0] DRAM_BASE = 32'd0
) (
    input  wire                     clock,
    input  wire                     reset,
    input  wire                     inst_valid,
    output wire                     inst_ready,
    input  wire [127:0]             inst_bits,
    input  wire                     prev_available,
    output wire                     take_prev,
    output wire                     give_prev,
    output wire                     out_read_valid,
    output wire [LOG_OUT_DEPTH-1:0] out_read_index,
    input  wire [OUT_BYTES*8-1:0]   out_read_data,
    output wire                     cmd_valid,
    input  wire                     cmd_ready,
    output wire [31:0]              cmd_addr,
    output wire [7:0]               cmd_len,
    output wire                     data_valid,
    input  wire                     data_ready,
    output wire [BEAT_BITS-1:0]     data_bits,
    input  wire                     ack_valid,
    output wire                     ack_ready
);
    wire start, store_busy;

    // verilator lint_off PINCONNECTEMPTY
    InstructionControl control (
        .clock(clock), .reset(reset), .inst_valid(inst_valid),
        .pop_prev(inst_bits[3]), .pop_next(1'b0), .push_prev(inst_bits[5]), .push_next(1'b0),
        .prev_available(prev_available), .next_available(1'b0),
        .unit_busy(store_busy),
        .take_prev(take_prev), .take_next(), .give_prev(give_prev), .give_next(),
        .start(start), .done(inst_ready)
    );
    // verilator lint_on PINCONNECTEMPTY

    TensorStore #(.ELEMENT_BYTES(OUT_BYTES), .INDEX_BITS(LOG_OUT_DEPTH), .BEAT_BITS(BEAT_BITS), .DRAM_BASE(DRAM_BASE)) out_store (
        .clock(clock), .reset(reset), .start(start), .inst(inst_bits), .busy(store_busy),
        .read_valid(out_read_valid), .read_index(out_read_index), .read_data(out_read_data),
        .cmd_valid(cmd_valid), .cmd_ready(cmd_ready), .cmd_addr(cmd_addr), .cmd_len(cmd_len),
        .data_valid(data_valid), .data_ready(data_ready), .data_bits(data_bits),
        .ack_valid(ack_valid), .ack_ready(ack_ready)
    );
endmodule
