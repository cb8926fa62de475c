// Instructions waiting for one module, oldest first. The oldest stays here while it executes and leaves when it is done.
// A shift structure without pointers: once empty it is in the state that it had after reset, whatever went through it.
module CommandQueue #(
    parameter DEPTH = 2
) (
    input  wire         clock,
    input  wire         reset,
    input  wire         enq_valid,
    output wire         enq_ready,
    input  wire [127:0] enq_bits,
    output wire         deq_valid,
    input  wire         deq_ready,
    output wire [127:0] deq_bits
);
    wire [DEPTH-1:0]     valid;
    wire [DEPTH*128-1:0] bits;
    wire                 enq = enq_valid && enq_ready;
    wire                 deq = deq_valid && deq_ready;

    assign enq_ready = !valid[DEPTH-1];
    assign deq_valid = valid[0];
    assign deq_bits  = bits[127:0];

    // What a slot holds after a shift comes from the slot behind it; a new instruction goes to the first slot
    // that is free then.
    genvar k;
    generate
        for (k = 0; k < DEPTH; k = k + 1) begin : slot
            reg         slot_valid;
            reg [127:0] slot_bits;
            wire        behind_valid;
            wire [127:0] behind_bits;
            wire        before_stays;

            if (k == DEPTH - 1) begin : last
                assign behind_valid = 1'b0;
                assign behind_bits  = 128'd0;
            end else begin : inner
                assign behind_valid = valid[k+1];
                assign behind_bits  = bits[(k+1)*128 +: 128];
            end

            if (k == 0) begin : front
                assign before_stays = 1'b1;
            end else begin : rear
                assign before_stays = deq ? valid[k] : valid[k-1];
            end

            wire stays = deq ? behind_valid : slot_valid;

            always @(posedge clock) begin
                if (reset) begin
                    slot_valid <= 1'b0;
                    slot_bits <= 128'd0;
                end else if (enq && before_stays && !stays) begin
                    slot_valid <= 1'b1;
                    slot_bits <= enq_bits;
                end else if (deq) begin
                    slot_valid <= behind_valid;
                    slot_bits <= behind_bits;
                end
            end

            assign valid[k] = slot_valid;
            assign bits[k*128 +: 128] = slot_bits;
        end
    endgenerate
endmodule
