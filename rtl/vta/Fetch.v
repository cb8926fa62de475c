// Takes the instruction stream apart: every instruction goes to the queue of the module that executes it, in order.
// Instructions that no module knows are consumed here, without effect, their dependency bits included.
module Fetch #(
    parameter QUEUE_DEPTH = 2
) (
    input  wire         clock,
    input  wire         reset,
    input  wire         inst_valid,
    output wire         inst_ready,
    input  wire [127:0] inst_bits,
    output wire         load_valid,
    input  wire         load_ready,
    output wire [127:0] load_bits,
    output wire         compute_valid,
    input  wire         compute_ready,
    output wire [127:0] compute_bits,
    output wire         store_valid,
    input  wire         store_ready,
    output wire [127:0] store_bits
);
    localparam [2:0] OP_LOAD   = 3'd0;
    localparam [2:0] OP_STORE  = 3'd1;
    localparam [2:0] OP_GEMM   = 3'd2;
    localparam [2:0] OP_FINISH = 3'd3;
    localparam [2:0] OP_ALU    = 3'd4;

    localparam [2:0] ID_UOP = 3'd0;
    localparam [2:0] ID_WGT = 3'd1;
    localparam [2:0] ID_INP = 3'd2;
    localparam [2:0] ID_ACC = 3'd3;

    localparam [2:0] ALU_SHR = 3'd3;  // the last ALU operation

    wire [2:0] op     = inst_bits[2:0];
    wire [2:0] id     = inst_bits[9:7];
    wire [2:0] alu_op = inst_bits[110:108];

    wire to_load    = (op == OP_LOAD) && (id == ID_INP || id == ID_WGT);
    wire to_compute = (op == OP_LOAD && (id == ID_UOP || id == ID_ACC)) || (op == OP_GEMM) || (op == OP_FINISH)
                      || (op == OP_ALU && alu_op <= ALU_SHR);
    wire to_store   = (op == OP_STORE);

    wire load_free, compute_free, store_free;

    assign inst_ready = to_load ? load_free : to_compute ? compute_free : to_store ? store_free : 1'b1;

    CommandQueue #(.DEPTH(QUEUE_DEPTH)) load_queue (
        .clock(clock), .reset(reset),
        .enq_valid(inst_valid && to_load), .enq_ready(load_free), .enq_bits(inst_bits),
        .deq_valid(load_valid), .deq_ready(load_ready), .deq_bits(load_bits)
    );

    CommandQueue #(.DEPTH(QUEUE_DEPTH)) compute_queue (
        .clock(clock), .reset(reset),
        .enq_valid(inst_valid && to_compute), .enq_ready(compute_free), .enq_bits(inst_bits),
        .deq_valid(compute_valid), .deq_ready(compute_ready), .deq_bits(compute_bits)
    );

    CommandQueue #(.DEPTH(QUEUE_DEPTH)) store_queue (
        .clock(clock), .reset(reset),
        .enq_valid(inst_valid && to_store), .enq_ready(store_free), .enq_bits(inst_bits),
        .deq_valid(store_valid), .deq_ready(store_ready), .deq_bits(store_bits)
    );
endmodule
