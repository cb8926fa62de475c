// DIM x DIM tiles with registers behind every tile: a travels to the right along rows; b, d and the control travel down
// along columns. A wave that enters row 0, column 0 reaches row r, column c after r + c cycles.
//
// Segment r of a vertical vector (b, d, control, valid) holds what enters row r; segment DIM is what leaves the last row.
module Mesh #(
    parameter DIM = 16
) (
    input  wire              clock,
    input  wire              reset,
    input  wire [DIM*8-1:0]  in_a,
    input  wire [DIM*20-1:0] in_b,
    input  wire [DIM*20-1:0] in_d,
    input  wire [DIM-1:0]    in_control_dataflow,
    input  wire [DIM-1:0]    in_control_propagate,
    input  wire [DIM*5-1:0]  in_control_shift,
    input  wire [DIM-1:0]    in_valid,
    output wire [DIM*20-1:0] out_b,
    output wire [DIM*20-1:0] out_c,
    output wire [DIM-1:0]    out_valid
);
    wire [(DIM+1)*DIM*20-1:0] b;
    wire [(DIM+1)*DIM*20-1:0] d;
    wire [(DIM+1)*DIM-1:0] valid;

    // a leaves the last column, and the controls the last row, without a reader.
    /* verilator lint_off UNUSEDSIGNAL */
    wire [DIM*(DIM+1)*8-1:0] a;
    wire [(DIM+1)*DIM-1:0] dataflow;
    wire [(DIM+1)*DIM-1:0] propagate;
    wire [(DIM+1)*DIM*5-1:0] shift;
    /* verilator lint_on UNUSEDSIGNAL */

    assign b[0 +: DIM*20] = in_b;
    assign d[0 +: DIM*20] = in_d;
    assign valid[0 +: DIM] = in_valid;
    assign dataflow[0 +: DIM] = in_control_dataflow;
    assign propagate[0 +: DIM] = in_control_propagate;
    assign shift[0 +: DIM*5] = in_control_shift;

    genvar r;
    genvar c;
    generate
        for (r = 0; r < DIM; r = r + 1) begin : row
            assign a[r*(DIM+1)*8 +: 8] = in_a[r*8 +: 8];

            for (c = 0; c < DIM; c = c + 1) begin : col
                wire [7:0] tile_a;
                wire [19:0] tile_b;
                wire [19:0] tile_c;
                wire tile_dataflow;
                wire tile_propagate;
                wire [4:0] tile_shift;
                wire tile_valid;

                Tile tile (
                    .clock(clock),
                    .in_a(a[(r*(DIM+1)+c)*8 +: 8]),
                    .in_b(b[(r*DIM+c)*20 +: 20]),
                    .in_d(d[(r*DIM+c)*20 +: 20]),
                    .in_control_dataflow(dataflow[r*DIM+c]),
                    .in_control_propagate(propagate[r*DIM+c]),
                    .in_control_shift(shift[(r*DIM+c)*5 +: 5]),
                    .in_valid(valid[r*DIM+c]),
                    .out_a(tile_a),
                    .out_b(tile_b),
                    .out_c(tile_c),
                    .out_control_dataflow(tile_dataflow),
                    .out_control_propagate(tile_propagate),
                    .out_control_shift(tile_shift),
                    .out_valid(tile_valid)
                );

                reg [7:0] a_reg;
                reg [19:0] b_reg;
                reg [19:0] c_reg;
                reg dataflow_reg;
                reg propagate_reg;
                reg [4:0] shift_reg;
                reg valid_reg;

                always @(posedge clock) begin
                    a_reg <= tile_a;
                    b_reg <= tile_b;
                    c_reg <= tile_c;
                    dataflow_reg <= tile_dataflow;
                    propagate_reg <= tile_propagate;
                    shift_reg <= tile_shift;
                end

                always @(posedge clock) begin
                    if (reset)
                        valid_reg <= 1'b0;
                    else
                        valid_reg <= tile_valid;
                end

                assign a[(r*(DIM+1)+c+1)*8 +: 8] = a_reg;
                assign b[((r+1)*DIM+c)*20 +: 20] = b_reg;
                assign d[((r+1)*DIM+c)*20 +: 20] = c_reg;
                assign dataflow[(r+1)*DIM+c] = dataflow_reg;
                assign propagate[(r+1)*DIM+c] = propagate_reg;
                assign shift[((r+1)*DIM+c)*5 +: 5] = shift_reg;
                assign valid[(r+1)*DIM+c] = valid_reg;
            end
        end
    endgenerate

    assign out_b = b[DIM*DIM*20 +: DIM*20];
    assign out_c = d[DIM*DIM*20 +: DIM*20];
    assign out_valid = valid[DIM*DIM +: DIM];
endmodule
