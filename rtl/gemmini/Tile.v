// A tile of 1 x 1 processing elements: combinational from in to out, the mesh puts registers between tiles.
module Tile (
    input  wire        clock,
    input  wire [7:0]  in_a,
    input  wire [19:0] in_b,
    input  wire [19:0] in_d,
    input  wire        in_control_dataflow,
    input  wire        in_control_propagate,
    input  wire [4:0]  in_control_shift,
    input  wire        in_valid,
    output wire [7:0]  out_a,
    output wire [19:0] out_b,
    output wire [19:0] out_c,
    output wire        out_control_dataflow,
    output wire        out_control_propagate,
    output wire [4:0]  out_control_shift,
    output wire        out_valid
);
    PE pe (
        .clock(clock),
        .in_a(in_a),
        .in_b(in_b),
        .in_d(in_d),
        .in_control_dataflow(in_control_dataflow),
        .in_control_propagate(in_control_propagate),
        .in_control_shift(in_control_shift),
        .in_valid(in_valid),
        .out_a(out_a),
        .out_b(out_b),
        .out_c(out_c),
        .out_control_dataflow(out_control_dataflow),
        .out_control_propagate(out_control_propagate),
        .out_control_shift(out_control_shift),
        .out_valid(out_valid)
    );
endmodule
