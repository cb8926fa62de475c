// The accelerator: the fetch stage, the three decoupled modules, the dependency queues between them, the inp, wgt and out
// buffers and the memory port. README.md in this folder describes the instructions and the memory port.
//
// Block sizes are powers of two, 4 or more; below 8 an element is shorter than 64 bits, so the beats are narrower then.
module VTA #(
    parameter BLOCK_IN = 16,
    parameter BLOCK_OUT = 16,
    parameter LOG_UOP_DEPTH = 11,
    parameter LOG_INP_DEPTH = 11,
    parameter LOG_WGT_DEPTH = 10,
    parameter LOG_ACC_DEPTH = 11,
    parameter LOG_OUT_DEPTH = 11,
    parameter QUEUE_DEPTH = 2,
    parameter TOKEN_BITS = 8,
    parameter BEAT_BITS = (BLOCK_IN < 8 || BLOCK_OUT < 8) ? 32 : 64,
    parameter [31:0] DRAM_BASE = 32'd0
) (
    input  wire                 clock,
    input  wire                 reset,
    input  wire                 inst_valid,
    output wire                 inst_ready,
    input  wire [127:0]         inst_bits,
    output wire                 busy,
    output wire                 finish,
    output wire                 mem_rd_cmd_valid,
    input  wire                 mem_rd_cmd_ready,
    output wire [31:0]          mem_rd_cmd_addr,
    output wire [7:0]           mem_rd_cmd_len,
    input  wire                 mem_rd_data_valid,
    output wire                 mem_rd_data_ready,
    input  wire [BEAT_BITS-1:0] mem_rd_data_bits,
    output wire                 mem_wr_cmd_valid,
    input  wire                 mem_wr_cmd_ready,
    output wire [31:0]          mem_wr_cmd_addr,
    output wire [7:0]           mem_wr_cmd_len,
    output wire                 mem_wr_data_valid,
    input  wire                 mem_wr_data_ready,
    output wire [BEAT_BITS-1:0] mem_wr_data_bits,
    input  wire                 mem_wr_ack_valid,
    output wire                 mem_wr_ack_ready
);
    localparam INP_BITS = BLOCK_IN * 8;
    localparam WGT_BITS = BLOCK_OUT * BLOCK_IN * 8;
    localparam OUT_BITS = BLOCK_OUT * 8;

    wire         load_valid, load_ready;
    wire [127:0] load_bits;
    wire         compute_valid, compute_ready;
    wire [127:0] compute_bits;
    wire         store_valid, store_ready;
    wire [127:0] store_bits;

    Fetch #(.QUEUE_DEPTH(QUEUE_DEPTH)) fetch (
        .clock(clock), .reset(reset),
        .inst_valid(inst_valid), .inst_ready(inst_ready), .inst_bits(inst_bits),
        .load_valid(load_valid), .load_ready(load_ready), .load_bits(load_bits),
        .compute_valid(compute_valid), .compute_ready(compute_ready), .compute_bits(compute_bits),
        .store_valid(store_valid), .store_ready(store_ready), .store_bits(store_bits)
    );

    // An instruction stays in its queue until it is done.
    assign busy = load_valid || compute_valid || store_valid;

    // The dependency queues, named by who gives and who takes.
    wire load_gives, load_takes;
    wire compute_gives_prev, compute_takes_prev, compute_gives_next, compute_takes_next;
    wire store_gives, store_takes;
    wire load_to_compute_available, compute_to_load_available, compute_to_store_available, store_to_compute_available;

    TokenQueue #(.BITS(TOKEN_BITS)) load_to_compute (
        .clock(clock), .reset(reset), .push(load_gives), .pop(compute_takes_prev), .available(load_to_compute_available)
    );
    TokenQueue #(.BITS(TOKEN_BITS)) compute_to_load (
        .clock(clock), .reset(reset), .push(compute_gives_prev), .pop(load_takes), .available(compute_to_load_available)
    );
    TokenQueue #(.BITS(TOKEN_BITS)) compute_to_store (
        .clock(clock), .reset(reset), .push(compute_gives_next), .pop(store_takes), .available(compute_to_store_available)
    );
    TokenQueue #(.BITS(TOKEN_BITS)) store_to_compute (
        .clock(clock), .reset(reset), .push(store_gives), .pop(compute_takes_next), .available(store_to_compute_available)
    );

    // Read clients of the memory port, first in priority first.
    localparam CLIENTS = 4;

    wire        uop_cmd_valid, acc_cmd_valid, inp_cmd_valid, wgt_cmd_valid;
    wire        uop_cmd_ready, acc_cmd_ready, inp_cmd_ready, wgt_cmd_ready;
    wire [31:0] uop_cmd_addr, acc_cmd_addr, inp_cmd_addr, wgt_cmd_addr;
    wire [7:0]  uop_cmd_len, acc_cmd_len, inp_cmd_len, wgt_cmd_len;
    wire        uop_data_valid, acc_data_valid, inp_data_valid, wgt_data_valid;
    wire        uop_data_ready, acc_data_ready, inp_data_ready, wgt_data_ready;

    ReadArbiter #(.CLIENTS(CLIENTS)) read_arbiter (
        .clock(clock), .reset(reset),
        .cmd_valid({wgt_cmd_valid, inp_cmd_valid, acc_cmd_valid, uop_cmd_valid}),
        .cmd_ready({wgt_cmd_ready, inp_cmd_ready, acc_cmd_ready, uop_cmd_ready}),
        .cmd_addr({wgt_cmd_addr, inp_cmd_addr, acc_cmd_addr, uop_cmd_addr}),
        .cmd_len({wgt_cmd_len, inp_cmd_len, acc_cmd_len, uop_cmd_len}),
        .data_valid({wgt_data_valid, inp_data_valid, acc_data_valid, uop_data_valid}),
        .data_ready({wgt_data_ready, inp_data_ready, acc_data_ready, uop_data_ready}),
        .mem_cmd_valid(mem_rd_cmd_valid), .mem_cmd_ready(mem_rd_cmd_ready),
        .mem_cmd_addr(mem_rd_cmd_addr), .mem_cmd_len(mem_rd_cmd_len),
        .mem_data_valid(mem_rd_data_valid), .mem_data_ready(mem_rd_data_ready)
    );

    wire                     inp_write_valid, inp_read_valid;
    wire [LOG_INP_DEPTH-1:0] inp_write_index, inp_read_index;
    wire [INP_BITS-1:0]      inp_write_data, inp_read_data;
    wire                     wgt_write_valid, wgt_read_valid;
    wire [LOG_WGT_DEPTH-1:0] wgt_write_index, wgt_read_index;
    wire [WGT_BITS-1:0]      wgt_write_data, wgt_read_data;
    wire                     out_write_valid, out_read_valid;
    wire [LOG_OUT_DEPTH-1:0] out_write_index, out_read_index;
    wire [OUT_BITS-1:0]      out_write_data, out_read_data;

    Load #(
        .INP_BYTES(BLOCK_IN), .WGT_BYTES(BLOCK_OUT*BLOCK_IN), .LOG_INP_DEPTH(LOG_INP_DEPTH), .LOG_WGT_DEPTH(LOG_WGT_DEPTH),
        .BEAT_BITS(BEAT_BITS), .DRAM_BASE(DRAM_BASE)
    ) load (
        .clock(clock), .reset(reset),
        .inst_valid(load_valid), .inst_ready(load_ready), .inst_bits(load_bits),
        .next_available(compute_to_load_available), .take_next(load_takes), .give_next(load_gives),
        .inp_cmd_valid(inp_cmd_valid), .inp_cmd_ready(inp_cmd_ready), .inp_cmd_addr(inp_cmd_addr), .inp_cmd_len(inp_cmd_len),
        .inp_data_valid(inp_data_valid), .inp_data_ready(inp_data_ready),
        .wgt_cmd_valid(wgt_cmd_valid), .wgt_cmd_ready(wgt_cmd_ready), .wgt_cmd_addr(wgt_cmd_addr), .wgt_cmd_len(wgt_cmd_len),
        .wgt_data_valid(wgt_data_valid), .wgt_data_ready(wgt_data_ready),
        .data_bits(mem_rd_data_bits),
        .inp_write_valid(inp_write_valid), .inp_write_index(inp_write_index), .inp_write_data(inp_write_data),
        .wgt_write_valid(wgt_write_valid), .wgt_write_index(wgt_write_index), .wgt_write_data(wgt_write_data)
    );

    Compute #(
        .BLOCK_IN(BLOCK_IN), .BLOCK_OUT(BLOCK_OUT), .LOG_UOP_DEPTH(LOG_UOP_DEPTH), .LOG_INP_DEPTH(LOG_INP_DEPTH),
        .LOG_WGT_DEPTH(LOG_WGT_DEPTH), .LOG_ACC_DEPTH(LOG_ACC_DEPTH), .LOG_OUT_DEPTH(LOG_OUT_DEPTH),
        .BEAT_BITS(BEAT_BITS), .DRAM_BASE(DRAM_BASE)
    ) compute (
        .clock(clock), .reset(reset),
        .inst_valid(compute_valid), .inst_ready(compute_ready), .inst_bits(compute_bits),
        .prev_available(load_to_compute_available), .next_available(store_to_compute_available),
        .take_prev(compute_takes_prev), .take_next(compute_takes_next),
        .give_prev(compute_gives_prev), .give_next(compute_gives_next),
        .finish(finish),
        .uop_cmd_valid(uop_cmd_valid), .uop_cmd_ready(uop_cmd_ready), .uop_cmd_addr(uop_cmd_addr), .uop_cmd_len(uop_cmd_len),
        .uop_data_valid(uop_data_valid), .uop_data_ready(uop_data_ready),
        .acc_cmd_valid(acc_cmd_valid), .acc_cmd_ready(acc_cmd_ready), .acc_cmd_addr(acc_cmd_addr), .acc_cmd_len(acc_cmd_len),
        .acc_data_valid(acc_data_valid), .acc_data_ready(acc_data_ready),
        .data_bits(mem_rd_data_bits),
        .inp_read_valid(inp_read_valid), .inp_read_index(inp_read_index), .inp_read_data(inp_read_data),
        .wgt_read_valid(wgt_read_valid), .wgt_read_index(wgt_read_index), .wgt_read_data(wgt_read_data),
        .out_write_valid(out_write_valid), .out_write_index(out_write_index), .out_write_data(out_write_data)
    );

    Store #(.OUT_BYTES(BLOCK_OUT), .LOG_OUT_DEPTH(LOG_OUT_DEPTH), .BEAT_BITS(BEAT_BITS), .DRAM_BASE(DRAM_BASE)) store (
        .clock(clock), .reset(reset),
        .inst_valid(store_valid), .inst_ready(store_ready), .inst_bits(store_bits),
        .prev_available(compute_to_store_available), .take_prev(store_takes), .give_prev(store_gives),
        .out_read_valid(out_read_valid), .out_read_index(out_read_index), .out_read_data(out_read_data),
        .cmd_valid(mem_wr_cmd_valid), .cmd_ready(mem_wr_cmd_ready), .cmd_addr(mem_wr_cmd_addr), .cmd_len(mem_wr_cmd_len),
        .data_valid(mem_wr_data_valid), .data_ready(mem_wr_data_ready), .data_bits(mem_wr_data_bits),
        .ack_valid(mem_wr_ack_valid), .ack_ready(mem_wr_ack_ready)
    );

    TensorMemory #(.WIDTH(INP_BITS), .LOG_DEPTH(LOG_INP_DEPTH)) inp (
        .clock(clock), .reset(reset),
        .read_valid(inp_read_valid), .read_index(inp_read_index), .read_data(inp_read_data),
        .write_valid(inp_write_valid), .write_index(inp_write_index), .write_data(inp_write_data)
    );

    TensorMemory #(.WIDTH(WGT_BITS), .LOG_DEPTH(LOG_WGT_DEPTH)) wgt (
        .clock(clock), .reset(reset),
        .read_valid(wgt_read_valid), .read_index(wgt_read_index), .read_data(wgt_read_data),
        .write_valid(wgt_write_valid), .write_index(wgt_write_index), .write_data(wgt_write_data)
    );

    TensorMemory #(.WIDTH(OUT_BITS), .LOG_DEPTH(LOG_OUT_DEPTH)) out (
        .clock(clock), .reset(reset),
        .read_valid(out_read_valid), .read_index(out_read_index), .read_data(out_read_data),
        .write_valid(out_write_valid), .write_index(out_write_index), .write_data(out_write_data)
    );
endmodule
