// The compute module: executes LOAD of uop and acc elements, GEMM, ALU and FINISH, one instruction at a time, in order. It owns
// the micro-op and accumulator memories. Its neighbour "prev" is load, its "next" is store.
module Compute #(
    parameter BLOCK_IN = 16,
    parameter BLOCK_OUT = 16,
    parameter LOG_UOP_DEPTH = 11,
    parameter LOG_INP_DEPTH = 11,
    parameter LOG_WGT_DEPTH = 10,
    parameter LOG_ACC_DEPTH = 11,
    parameter LOG_OUT_DEPTH = 11,
    parameter BEAT_BITS = 64,
    parameter [31:0] DRAM_BASE = 32'd0
) (
    input  wire                            clock,
    input  wire                            reset,
    input  wire                            inst_valid,
    output wire                            inst_ready,
    input  wire [127:0]                    inst_bits,
    input  wire                            prev_available,
    input  wire                            next_available,
    output wire                            take_prev,
    output wire                            take_next,
    output wire                            give_prev,
    output wire                            give_next,
    output reg                             finish,
    output wire                            uop_cmd_valid,
    input  wire                            uop_cmd_ready,
    output wire [31:0]                     uop_cmd_addr,
    output wire [7:0]                      uop_cmd_len,
    input  wire                            uop_data_valid,
    output wire                            uop_data_ready,
    output wire                            acc_cmd_valid,
    input  wire                            acc_cmd_ready,
    output wire [31:0]                     acc_cmd_addr,
    output wire [7:0]                      acc_cmd_len,
    input  wire                            acc_data_valid,
    output wire                            acc_data_ready,
    input  wire [BEAT_BITS-1:0]            data_bits,
    output wire                            inp_read_valid,
    output wire [LOG_INP_DEPTH-1:0]        inp_read_index,
    input  wire [BLOCK_IN*8-1:0]           inp_read_data,
    output wire                            wgt_read_valid,
    output wire [LOG_WGT_DEPTH-1:0]        wgt_read_index,
    input  wire [BLOCK_OUT*BLOCK_IN*8-1:0] wgt_read_data,
    output wire                            out_write_valid,
    output wire [LOG_OUT_DEPTH-1:0]        out_write_index,
    output wire [BLOCK_OUT*8-1:0]          out_write_data
);
    localparam [2:0] OP_LOAD   = 3'd0;
    localparam [2:0] OP_GEMM   = 3'd2;
    localparam [2:0] OP_FINISH = 3'd3;
    localparam [2:0] OP_ALU    = 3'd4;

    localparam [2:0] ID_UOP = 3'd0;
    localparam [2:0] ID_ACC = 3'd3;

    wire [2:0] op = inst_bits[2:0];
    wire [2:0] id = inst_bits[9:7];
    wire       start, uop_busy, acc_busy, gemm_busy, alu_busy;

    InstructionControl control (
        .clock(clock), .reset(reset), .inst_valid(inst_valid),
        .pop_prev(inst_bits[3]), .pop_next(inst_bits[4]), .push_prev(inst_bits[5]), .push_next(inst_bits[6]),
        .prev_available(prev_available), .next_available(next_available),
        .unit_busy(uop_busy || acc_busy || gemm_busy || alu_busy),
        .take_prev(take_prev), .take_next(take_next), .give_prev(give_prev), .give_next(give_next),
        .start(start), .done(inst_ready)
    );

    always @(posedge clock) begin
        if (reset) finish <= 1'b0;
        else if (start && op == OP_FINISH) finish <= 1'b1;
    end

    wire                     uop_write_valid;
    wire [LOG_UOP_DEPTH-1:0] uop_write_index;
    wire [31:0]              uop_write_data;

    TensorLoad #(.ELEMENT_BYTES(4), .INDEX_BITS(LOG_UOP_DEPTH), .BEAT_BITS(BEAT_BITS), .DRAM_BASE(DRAM_BASE)) uop_load (
        .clock(clock), .reset(reset), .start(start && op == OP_LOAD && id == ID_UOP), .inst(inst_bits), .busy(uop_busy),
        .cmd_valid(uop_cmd_valid), .cmd_ready(uop_cmd_ready), .cmd_addr(uop_cmd_addr), .cmd_len(uop_cmd_len),
        .data_valid(uop_data_valid), .data_ready(uop_data_ready), .data_bits(data_bits),
        .write_valid(uop_write_valid), .write_index(uop_write_index), .write_data(uop_write_data)
    );

    wire                     load_write_valid;
    wire [LOG_ACC_DEPTH-1:0] load_write_index;
    wire [BLOCK_OUT*32-1:0]  load_write_data;

    TensorLoad #(.ELEMENT_BYTES(BLOCK_OUT*4), .INDEX_BITS(LOG_ACC_DEPTH), .BEAT_BITS(BEAT_BITS), .DRAM_BASE(DRAM_BASE)) acc_load (
        .clock(clock), .reset(reset), .start(start && op == OP_LOAD && id == ID_ACC), .inst(inst_bits), .busy(acc_busy),
        .cmd_valid(acc_cmd_valid), .cmd_ready(acc_cmd_ready), .cmd_addr(acc_cmd_addr), .cmd_len(acc_cmd_len),
        .data_valid(acc_data_valid), .data_ready(acc_data_ready), .data_bits(data_bits),
        .write_valid(load_write_valid), .write_index(load_write_index), .write_data(load_write_data)
    );

    wire                     gemm_uop_valid, alu_uop_valid;
    wire [LOG_UOP_DEPTH-1:0] gemm_uop_index, alu_uop_index;
    wire [31:0]              uop_read_data;
    wire                     gemm_read_valid, alu_read_valid;
    wire [LOG_ACC_DEPTH-1:0] gemm_index, alu_read_index;
    wire [BLOCK_OUT*32-1:0]  acc_read_data;
    wire                     gemm_write_valid, alu_write_valid;
    wire [LOG_ACC_DEPTH-1:0] alu_write_index;
    wire [BLOCK_OUT*32-1:0]  gemm_write_data, alu_write_data;
    wire                     gemm_out_valid;

    TensorGemm #(
        .BLOCK_IN(BLOCK_IN), .BLOCK_OUT(BLOCK_OUT), .LOG_UOP_DEPTH(LOG_UOP_DEPTH), .LOG_INP_DEPTH(LOG_INP_DEPTH),
        .LOG_WGT_DEPTH(LOG_WGT_DEPTH), .LOG_ACC_DEPTH(LOG_ACC_DEPTH)
    ) gemm (
        .clock(clock), .reset(reset), .start(start && op == OP_GEMM), .inst(inst_bits), .busy(gemm_busy),
        .uop_read_valid(gemm_uop_valid), .uop_read_index(gemm_uop_index), .uop_read_data(uop_read_data),
        .inp_read_valid(inp_read_valid), .inp_read_index(inp_read_index), .inp_read_data(inp_read_data),
        .wgt_read_valid(wgt_read_valid), .wgt_read_index(wgt_read_index), .wgt_read_data(wgt_read_data),
        .acc_read_valid(gemm_read_valid), .acc_index(gemm_index), .acc_read_data(acc_read_data),
        .acc_write_valid(gemm_write_valid), .acc_write_data(gemm_write_data), .out_write_valid(gemm_out_valid)
    );

    TensorAlu #(.BLOCK_OUT(BLOCK_OUT), .LOG_UOP_DEPTH(LOG_UOP_DEPTH), .LOG_ACC_DEPTH(LOG_ACC_DEPTH)) alu (
        .clock(clock), .reset(reset), .start(start && op == OP_ALU), .inst(inst_bits), .busy(alu_busy),
        .uop_read_valid(alu_uop_valid), .uop_read_index(alu_uop_index), .uop_read_data(uop_read_data),
        .acc_read_valid(alu_read_valid), .acc_read_index(alu_read_index), .acc_read_data(acc_read_data),
        .write_valid(alu_write_valid), .write_index(alu_write_index), .write_data(alu_write_data)
    );

    TensorMemory #(.WIDTH(32), .LOG_DEPTH(LOG_UOP_DEPTH)) uop (
        .clock(clock), .reset(reset),
        .read_valid(gemm_uop_valid || alu_uop_valid), .read_index(gemm_uop_valid ? gemm_uop_index : alu_uop_index),
        .read_data(uop_read_data),
        .write_valid(uop_write_valid), .write_index(uop_write_index), .write_data(uop_write_data)
    );

    // One instruction at a time: at most one of the three writes in a cycle.
    wire                     acc_write_valid = load_write_valid || gemm_write_valid || alu_write_valid;
    wire [LOG_ACC_DEPTH-1:0] acc_write_index = load_write_valid ? load_write_index
                                             : gemm_write_valid ? gemm_index : alu_write_index;
    wire [BLOCK_OUT*32-1:0]  acc_write_data  = load_write_valid ? load_write_data
                                             : gemm_write_valid ? gemm_write_data : alu_write_data;

    TensorMemory #(.WIDTH(BLOCK_OUT*32), .LOG_DEPTH(LOG_ACC_DEPTH)) acc (
        .clock(clock), .reset(reset),
        .read_valid(gemm_read_valid || alu_read_valid), .read_index(gemm_read_valid ? gemm_index : alu_read_index),
        .read_data(acc_read_data),
        .write_valid(acc_write_valid), .write_index(acc_write_index), .write_data(acc_write_data)
    );

    // An acc element that GEMM or ALU writes also goes to out, cut to its low bytes.
    assign out_write_valid = gemm_out_valid || alu_write_valid;

    generate
        if (LOG_OUT_DEPTH > LOG_ACC_DEPTH) begin : wide
            assign out_write_index = {{(LOG_OUT_DEPTH-LOG_ACC_DEPTH){1'b0}}, acc_write_index};
        end else begin : narrow
            assign out_write_index = acc_write_index[LOG_OUT_DEPTH-1:0];
        end
    endgenerate

    genvar j;
    generate
        for (j = 0; j < BLOCK_OUT; j = j + 1) begin : lane
            assign out_write_data[j*8 +: 8] = acc_write_data[j*32 +: 8];
        end
    endgenerate
endmodule
