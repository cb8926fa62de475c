// Walks the elements of a LOAD or STORE, row by row over the padded extents, and says of each where it lies: its index
// in the buffer, and either that it is padding or the memory command that moves it.
//
// Element (y, x) of the padded rectangle is buffer element sram_offset + y * (padded row) + x and memory element
// dram_offset + (y - ypad_0) * xstride + (x - xpad_0). Addresses are base + counter * stride, so that they are a function
// of the counters alone. A burst never covers more than one element, and at most 128 bytes of it.
module GenVMECmd #(
    parameter ELEMENT_BYTES = 16,
    parameter BEAT_BYTES = 8,
    parameter BURST_BEATS = 2,
    parameter INDEX_BITS = 11,
    parameter [31:0] DRAM_BASE = 32'd0
) (
    input  wire                  clock,
    input  wire                  reset,
    // verilator lint_off UNUSED
    input  wire [15:0]           sram_offset,  // a small buffer's index does not need all of it
    // verilator lint_on UNUSED
    input  wire [31:0]           dram_offset,
    input  wire [15:0]           ysize,
    input  wire [15:0]           xsize,
    input  wire [15:0]           xstride,
    input  wire [3:0]            ypad_0,
    input  wire [3:0]            ypad_1,
    input  wire [3:0]            xpad_0,
    input  wire [3:0]            xpad_1,
    input  wire                  advance,
    input  wire [7:0]            burst,
    output wire                  padding,
    output wire                  last,
    output wire [INDEX_BITS-1:0] index,
    output wire [31:0]           cmd_addr,
    output wire [7:0]            cmd_len
);
    localparam LOG_BYTES = $clog2(ELEMENT_BYTES);
    // verilator lint_off WIDTH
    localparam [7:0]  LEN = BURST_BEATS - 1;  // cut to the port's width
    localparam [23:0] BURST_BYTES = BURST_BEATS * BEAT_BYTES;
    // verilator lint_on WIDTH

    reg [16:0] y;
    reg [16:0] x;

    // Extents need a bit more than the sizes.
    wire [16:0] y_data  = {13'd0, ypad_0};
    wire [16:0] y_after = y_data + {1'b0, ysize};
    wire [16:0] y_end   = y_after + {13'd0, ypad_1};
    wire [16:0] x_data  = {13'd0, xpad_0};
    wire [16:0] x_after = x_data + {1'b0, xsize};
    wire [16:0] x_end   = x_after + {13'd0, xpad_1};

    wire last_x = (x == x_end - 17'd1);
    wire last_y = (y == y_end - 17'd1);

    assign last    = last_x && last_y;
    assign padding = (y < y_data) || (y >= y_after) || (x < x_data) || (x >= x_after);

    // Counters wide enough for both sums: 16 index bits, 32 address bits.
    wire [16:0] row     = y - y_data;
    wire [16:0] column  = x - x_data;
    wire [31:0] element = dram_offset + {15'd0, row} * {16'd0, xstride} + {15'd0, column};

    // verilator lint_off UNUSED
    wire [16:0] place = {1'b0, sram_offset} + y * x_end + x;
    // verilator lint_on UNUSED

    assign index    = place[INDEX_BITS-1:0];
    assign cmd_addr = (DRAM_BASE | (element << LOG_BYTES)) + {24'd0, burst} * {8'd0, BURST_BYTES};
    assign cmd_len  = LEN;

    always @(posedge clock) begin
        if (reset) begin
            y <= 17'd0;
            x <= 17'd0;
        end else if (advance) begin
            x <= last_x ? 17'd0 : x + 17'd1;
            if (last_x) y <= last_y ? 17'd0 : y + 17'd1;
        end
    end
endmodule
