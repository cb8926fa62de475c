// For u = begin .. end - 1: acc[map[u].to] += x[map[u].from], one a cycle.  The three memories are behind ports of their own; a word that has just been
// written is forwarded to the addition.
module Gather (
    input clock, input reset,
    input io_start, output io_done,
    input [7:0] io_dec_begin, input [7:0] io_dec_end, input io_dec_clear,
    output io_map_idx_valid, output [7:0] io_map_idx_bits,
    input io_map_data_valid, input [3:0] io_map_data_bits_from, input [3:0] io_map_data_bits_to,
    output io_x_rd_idx_valid, output [3:0] io_x_rd_idx_bits,
    input io_x_rd_data_valid, input [15:0] io_x_rd_data_bits,
    output io_acc_rd_idx_valid, output [3:0] io_acc_rd_idx_bits,
    input io_acc_rd_data_valid, input [15:0] io_acc_rd_data_bits,
    output io_acc_wr_valid, output [3:0] io_acc_wr_bits_idx, output [15:0] io_acc_wr_bits_data
);
    localparam IDLE = 2'd0, RUN = 2'd1, WAIT = 2'd2;
    reg [1:0] state;
    reg [7:0] u;
    reg [2:0] inflight;
    wire issue = state == RUN;
    wire last = u == io_dec_end - 8'd1;

    reg valid1, valid2, valid3;
    reg [3:0] to2, to3;
    reg [15:0] x3;
    reg written;
    reg [3:0] to4;
    reg [15:0] sum4;
    wire forward = valid3 && written && to3 == to4;
    wire [15:0] sum = io_dec_clear ? 16'd0 : (forward ? sum4 : io_acc_rd_data_bits) + x3;

    assign io_done = state == WAIT && inflight == 0;
    assign io_map_idx_valid = issue;
    assign io_map_idx_bits = u;
    assign io_x_rd_idx_valid = valid1;
    assign io_x_rd_idx_bits = io_map_data_bits_from;
    assign io_acc_rd_idx_valid = valid2;
    assign io_acc_rd_idx_bits = to2;
    assign io_acc_wr_valid = valid3;
    assign io_acc_wr_bits_idx = to3;
    assign io_acc_wr_bits_data = sum;

    always @(posedge clock) begin
        if (reset) begin
            state <= IDLE;
            inflight <= 3'd0;
            valid1 <= 1'b0;
            valid2 <= 1'b0;
            valid3 <= 1'b0;
            written <= 1'b0;
        end else begin
            if (state == IDLE && io_start) state <= RUN;
            else if (state == RUN && last) state <= WAIT;
            else if (state == WAIT && inflight == 0) state <= IDLE;
            if (issue && !valid3) inflight <= inflight + 3'd1;
            else if (!issue && valid3) inflight <= inflight - 3'd1;
            valid1 <= issue;
            valid2 <= valid1;
            valid3 <= valid2;
            written <= valid3;
        end
        u <= state == RUN && !last ? u + 8'd1 : io_dec_begin;
        to2 <= io_map_data_bits_to;
        to3 <= to2;
        x3 <= io_x_rd_data_bits;
        to4 <= to3;
        sum4 <= sum;
    end
endmodule
