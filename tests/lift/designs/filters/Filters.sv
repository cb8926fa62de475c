// A row of sixteen samples and four taps: a filter over windows, products of pairs of channels, squared distances, pooled maxima.
module Filters (
    input  logic        clock, reset,
    input  logic        cmd_valid,
    output logic        cmd_ready,
    input  logic [2:0]  cmd_op,
    input  logic [3:0]  cmd_index,
    input  logic [7:0]  cmd_value,
    input  logic [7:0]  cmd_zero,
    input  logic [2:0]  read_index,
    output logic [31:0] read_sum,
    output logic [7:0]  read_pooled
);
    localparam SAMPLE = 3'd0, TAP = 3'd1, FILTER = 3'd2, DEPTHWISE = 3'd3, DISTANCE = 3'd4, POOL = 3'd5;
    logic signed [7:0] samples [0:15];
    logic signed [7:0] taps [0:15];
    logic signed [31:0] sums [0:7];
    logic signed [7:0] pooled [0:3];
    logic busy;
    logic [2:0] op;
    logic [3:0] index;
    logic [7:0] value, zero;
    logic signed [31:0] filtered [0:7], depthwise [0:7], distance [0:7];
    logic signed [7:0] greatest [0:3];
    function automatic logic signed [7:0] larger(input logic signed [7:0] a, input logic signed [7:0] b);
        return a > b ? a : b;
    endfunction
    always_comb begin
        for (int i = 0; i < 8; i++) begin
            filtered[i] = (samples[i] * taps[0] + samples[i + 1] * taps[1]) + (samples[i + 2] * taps[2] + samples[i + 3] * taps[3]);
            depthwise[i] = sums[i] + samples[2 * i] * taps[2 * i] + samples[2 * i + 1] * taps[2 * i + 1];
            distance[i] = (samples[2 * i] - $signed(zero)) * (samples[2 * i] - $signed(zero))
                        + (samples[2 * i + 1] - $signed(zero)) * (samples[2 * i + 1] - $signed(zero));
        end
        for (int i = 0; i < 4; i++) greatest[i] = larger(larger(samples[4 * i], samples[4 * i + 1]), larger(samples[4 * i + 2], samples[4 * i + 3]));
    end
    assign read_sum = sums[read_index];
    assign read_pooled = pooled[read_index[1:0]];
    assign cmd_ready = !busy;
    always_ff @(posedge clock) begin
        if (reset) busy <= 1'b0;
        else busy <= cmd_valid & cmd_ready;
        if (cmd_valid & cmd_ready) begin
            op <= cmd_op;
            index <= cmd_index;
            value <= cmd_value;
            zero <= cmd_zero;
        end
        if (busy) case (op)
            SAMPLE: samples[index] <= value;
            TAP: taps[index] <= value;
            FILTER: for (int i = 0; i < 8; i++) sums[i] <= filtered[i];
            DEPTHWISE: for (int i = 0; i < 8; i++) sums[i] <= depthwise[i];
            DISTANCE: for (int i = 0; i < 8; i++) sums[i] <= distance[i];
            POOL: for (int i = 0; i < 4; i++) pooled[i] <= greatest[i];
            default: ;
        endcase
    end
endmodule
