// One scratchpad bank: ROWS rows of DIM int8 elements, one read and one write port.
// Reads are synchronous (data in the cycle after read_valid, held until the next read);
// writes are masked by lane.
module ScratchpadBank #(
    parameter DIM = 16,
    parameter ROWS = 4096,
    parameter ROW_BITS = 12
) (
    input  wire                clock,
    input  wire                read_valid,
    input  wire [ROW_BITS-1:0] read_addr,
    output reg  [DIM*8-1:0]    read_data,
    input  wire                write_valid,
    input  wire [ROW_BITS-1:0] write_addr,
    input  wire [DIM-1:0]      write_mask,
    input  wire [DIM*8-1:0]    write_data
);
    reg  [DIM*8-1:0] mem [0:ROWS-1];
    wire [DIM*8-1:0] old_row = mem[write_addr];
    wire [DIM*8-1:0] new_row;

    // The mask is a merge with the old row, so that a row is always written whole:
    // one write per cycle to one array, without partial updates.
    genvar i;
    generate
        for (i = 0; i < DIM; i = i + 1) begin : lane
            assign new_row[i*8 +: 8] = write_mask[i] ? write_data[i*8 +: 8] : old_row[i*8 +: 8];
        end
    endgenerate

    always @(posedge clock) begin
        if (write_valid) mem[write_addr] <= new_row;
    end

    always @(posedge clock) begin
        if (read_valid) read_data <= mem[read_addr];
    end
endmodule
