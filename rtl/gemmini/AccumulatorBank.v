// One accumulator bank: ROWS rows of DIM int32 elements. A write replaces the masked lanes or
// adds to them (wrapping at 32 bits) in one cycle; reads are synchronous as in ScratchpadBank.
module AccumulatorBank #(
    parameter DIM = 16,
    parameter ROWS = 512,
    parameter ROW_BITS = 9
) (
    input  wire                clock,
    input  wire                read_valid,
    input  wire [ROW_BITS-1:0] read_addr,
    output reg  [DIM*32-1:0]   read_data,
    input  wire                write_valid,
    input  wire [ROW_BITS-1:0] write_addr,
    input  wire                write_accumulate,
    input  wire [DIM-1:0]      write_mask,
    input  wire [DIM*32-1:0]   write_data
);
    reg  [DIM*32-1:0] mem [0:ROWS-1];
    wire [DIM*32-1:0] old_row = mem[write_addr];
    wire [DIM*32-1:0] new_row;

    genvar i;
    generate
        for (i = 0; i < DIM; i = i + 1) begin : lane
            wire [31:0] old_lane = old_row[i*32 +: 32];
            wire [31:0] in_lane  = write_data[i*32 +: 32];
            wire [31:0] stored   = write_accumulate ? old_lane + in_lane : in_lane;
            assign new_row[i*32 +: 32] = write_mask[i] ? stored : old_lane;
        end
    endgenerate

    always @(posedge clock) begin
        if (write_valid) mem[write_addr] <= new_row;
    end

    always @(posedge clock) begin
        if (read_valid) read_data <= mem[read_addr];
    end
endmodule
