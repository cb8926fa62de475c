// The mesh with its skew: whole rows go in (lane i of a to row i, lanes of b and d to columns) and whole rows come out.
//
// Row i of the mesh needs a, and column i needs b, d and the control, i cycles later than row and column 0; on the way
// out column i is i cycles late. A row therefore leaves 2 * DIM - 1 cycles after it has entered. Rows of d may be put into
// the transposer first (fill); the columns of what it holds then enter as d, the last one first (in_transposed).
module MeshWithDelays #(
    parameter DIM = 16
) (
    input  wire              clock,
    input  wire              reset,
    input  wire              in_valid,
    input  wire [DIM*8-1:0]  in_a,
    input  wire [DIM*8-1:0]  in_b,
    input  wire [DIM*8-1:0]  in_d,
    input  wire              in_propagate,
    input  wire              in_dataflow,
    input  wire [4:0]        in_shift,
    input  wire              in_transposed,
    input  wire              fill,
    output wire              out_valid,
    output wire [DIM*20-1:0] out_b,
    output wire [DIM*20-1:0] out_c
);
    wire [DIM*8-1:0] skewed_a;
    wire [DIM*20-1:0] skewed_b;
    wire [DIM*20-1:0] skewed_d;
    wire [DIM-1:0] dataflow;
    wire [DIM-1:0] propagate;
    wire [DIM*5-1:0] shift;
    wire [DIM-1:0] valid;
    wire [DIM*20-1:0] mesh_b;
    wire [DIM*20-1:0] mesh_c;

    wire [DIM*8-1:0] transposed;
    wire [DIM*8-1:0] entering_d;

    assign entering_d = in_transposed ? transposed : in_d;

    Transposer #(.DIM(DIM)) transposer (
        .clock(clock),
        .enter(fill),
        .leave(in_valid),
        .in_row(in_d),
        .out_column(transposed)
    );

    // A row is complete when its last column has left; the other columns' valid bits say nothing more.
    /* verilator lint_off UNUSEDSIGNAL */
    wire [DIM-1:0] mesh_valid;
    /* verilator lint_on UNUSEDSIGNAL */

    // Each column's control is its left neighbour's of the cycle before. Only valid needs a reset.
    reg [DIM-2:0] valid_line;
    reg [DIM-2:0] propagate_line;
    reg [DIM-2:0] dataflow_line;

    assign valid = {valid_line, in_valid};
    assign propagate = {propagate_line, in_propagate};
    assign dataflow = {dataflow_line, in_dataflow};

    always @(posedge clock) begin
        if (reset)
            valid_line <= {(DIM-1){1'b0}};
        else
            valid_line <= valid[DIM-2:0];
    end

    always @(posedge clock) begin
        propagate_line <= propagate[DIM-2:0];
        dataflow_line <= dataflow[DIM-2:0];
    end

    genvar i;
    generate
        for (i = 0; i < DIM; i = i + 1) begin : lane
            wire [7:0] delayed_b;
            wire [7:0] delayed_d;

            Delay #(.WIDTH(8), .CYCLES(i)) skew_a (.clock(clock), .in(in_a[i*8 +: 8]), .out(skewed_a[i*8 +: 8]));
            Delay #(.WIDTH(8), .CYCLES(i)) skew_b (.clock(clock), .in(in_b[i*8 +: 8]), .out(delayed_b));
            Delay #(.WIDTH(8), .CYCLES(i)) skew_d (.clock(clock), .in(entering_d[i*8 +: 8]), .out(delayed_d));
            Delay #(.WIDTH(5), .CYCLES(i)) skew_shift (.clock(clock), .in(in_shift), .out(shift[i*5 +: 5]));

            assign skewed_b[i*20 +: 20] = {{12{delayed_b[7]}}, delayed_b};
            assign skewed_d[i*20 +: 20] = {{12{delayed_d[7]}}, delayed_d};

            Delay #(.WIDTH(20), .CYCLES(DIM-1-i)) align_b
                (.clock(clock), .in(mesh_b[i*20 +: 20]), .out(out_b[i*20 +: 20]));
            Delay #(.WIDTH(20), .CYCLES(DIM-1-i)) align_c
                (.clock(clock), .in(mesh_c[i*20 +: 20]), .out(out_c[i*20 +: 20]));
        end
    endgenerate

    Mesh #(.DIM(DIM)) mesh (
        .clock(clock),
        .reset(reset),
        .in_a(skewed_a),
        .in_b(skewed_b),
        .in_d(skewed_d),
        .in_control_dataflow(dataflow),
        .in_control_propagate(propagate),
        .in_control_shift(shift),
        .in_valid(valid),
        .out_b(mesh_b),
        .out_c(mesh_c),
        .out_valid(mesh_valid)
    );

    assign out_valid = mesh_valid[DIM-1];
endmodule
