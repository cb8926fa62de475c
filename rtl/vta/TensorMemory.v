// One on-chip buffer: 2**LOG_DEPTH elements of WIDTH bits, one read and one write port.
// Reads are synchronous: the element is there in the cycle after read_valid and stays until the next read.
module TensorMemory #(
    parameter WIDTH = 128,
    parameter LOG_DEPTH = 11
) (
    input  wire                 clock,
    input  wire                 reset,
    input  wire                 read_valid,
    input  wire [LOG_DEPTH-1:0] read_index,
    output reg  [WIDTH-1:0]     read_data,
    input  wire                 write_valid,
    input  wire [LOG_DEPTH-1:0] write_index,
    input  wire [WIDTH-1:0]     write_data
);
    reg [WIDTH-1:0] mem [0:(1<<LOG_DEPTH)-1];

    always @(posedge clock) begin
        if (write_valid) mem[write_index] <= write_data;
    end

    always @(posedge clock) begin
        if (reset) read_data <= {WIDTH{1'b0}};
        else if (read_valid) read_data <= mem[read_index];
    end
endmodule
