// A square of bytes that rows enter and columns leave.
//
// Every row that enters goes on top and moves the others down: after DIM rows, the last one first, cell (r, c) holds byte c
// of row r. The rightmost column stands at the output; a step moves all columns to the right, zeros behind them. Without
// reset: what is here counts only once DIM rows have entered.
module Transposer #(
    parameter DIM = 16
) (
    input  wire             clock,
    input  wire             enter,
    input  wire             leave,
    input  wire [DIM*8-1:0] in_row,
    output wire [DIM*8-1:0] out_column
);
    // Segment r holds what enters row r from above.
    wire [(DIM+1)*DIM*8-1:0] rows;

    assign rows[0 +: DIM*8] = in_row;

    genvar r;
    generate
        for (r = 0; r < DIM; r = r + 1) begin : row
            reg [DIM*8-1:0] cells;

            always @(posedge clock) begin
                if (enter)
                    cells <= rows[r*DIM*8 +: DIM*8];
                else if (leave)
                    cells <= {cells[DIM*8-9:0], 8'd0};
            end

            assign rows[(r+1)*DIM*8 +: DIM*8] = cells;
            assign out_column[r*8 +: 8] = cells[DIM*8-8 +: 8];
        end
    endgenerate

    // What leaves the last row downwards has no reader.
    wire unused_last_row;
    assign unused_last_row = &{1'b0, rows[DIM*DIM*8 +: DIM*8]};
endmodule
