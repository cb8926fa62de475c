// A unit that takes commands through a queue, asks for rows, waits until what it asked for has come, and says that it is done.
module Queue4 (
    input  logic        clock, reset,
    input  logic        io_enq_valid,
    output logic        io_enq_ready,
    input  logic [34:0] io_enq_bits,
    output logic        io_deq_valid,
    input  logic        io_deq_ready,
    output logic [34:0] io_deq_bits
);
    logic [34:0] ram [0:3];
    logic [1:0] enq_ptr, deq_ptr;
    logic maybe_full;
    wire same = enq_ptr == deq_ptr;
    assign io_deq_valid = ~(same & ~maybe_full);
    assign io_enq_ready = ~(same & maybe_full);
    assign io_deq_bits = ram[deq_ptr];
    wire enq = io_enq_valid & io_enq_ready;
    wire deq = io_deq_ready & io_deq_valid;
    always_ff @(posedge clock) begin
        if (enq) ram[enq_ptr] <= io_enq_bits;
        if (reset) begin
            enq_ptr <= 2'd0;
            deq_ptr <= 2'd0;
            maybe_full <= 1'b0;
        end else begin
            if (enq) enq_ptr <= enq_ptr + 2'd1;
            if (deq) deq_ptr <= deq_ptr + 2'd1;
            if (enq != deq) maybe_full <= enq;
        end
    end
endmodule

module Loader (
    input  logic        clock, reset,
    input  logic        io_cmd_valid,
    output logic        io_cmd_ready,
    input  logic [2:0]  io_cmd_bits_funct,
    input  logic [31:0] io_cmd_bits_arg,
    output logic        io_req_valid,
    input  logic        io_req_ready,
    output logic [31:0] io_req_bits_addr,
    output logic        io_req_bits_tag,
    input  logic        io_resp_valid,
    input  logic [7:0]  io_resp_bits_bytes,
    input  logic        io_resp_bits_tag,
    output logic        io_completed_valid,
    input  logic        io_completed_ready,
    output logic [2:0]  io_completed_bits
);
    logic [34:0] head;
    logic head_valid, head_taken;
    Queue4 commands (
        .clock(clock), .reset(reset), .io_enq_valid(io_cmd_valid), .io_enq_ready(io_cmd_ready), .io_enq_bits({io_cmd_bits_funct, io_cmd_bits_arg}),
        .io_deq_valid(head_valid), .io_deq_ready(head_taken), .io_deq_bits(head)
    );
    wire [2:0] funct = head[34:32];
    wire [31:0] arg = head[31:0];
    logic [15:0] stride;
    logic [3:0] row;
    logic [7:0] owed;
    logic [1:0] state;
    wire [3:0] rows = arg[31:28];
    wire start = state == 2'd0 & head_valid;
    wire fires = io_req_valid & io_req_ready;
    wire last = row == rows - 4'd1;
    assign io_req_valid = state == 2'd1;
    assign io_req_bits_addr = {4'd0, arg[27:0]} + stride * row;
    assign io_req_bits_tag = arg[0];
    assign io_completed_valid = state == 2'd2 & owed == 8'd0;
    assign io_completed_bits = funct;
    assign head_taken = (start & funct == 3'd1) | (io_completed_valid & io_completed_ready);
    always_ff @(posedge clock) begin
        if (reset) begin
            state <= 2'd0;
            row <= 4'd0;
            owed <= 8'd0;
        end else begin
            if (start & funct == 3'd2) state <= 2'd1;
            if (fires) row <= last ? 4'd0 : row + 4'd1;
            if (fires & last) state <= 2'd2;
            if (io_completed_valid & io_completed_ready) state <= 2'd0;
            if (start & funct == 3'd2) owed <= {rows, 4'd0};
            else if (io_resp_valid) owed <= owed - io_resp_bits_bytes;
        end
        if (start & funct == 3'd1) stride <= arg[15:0];
    end
`ifndef SYNTHESIS
    always_ff @(posedge clock)
        if (start & funct == 3'd2 & ~reset & rows == 4'd1) $fatal(1, "a single row");
`endif
endmodule
