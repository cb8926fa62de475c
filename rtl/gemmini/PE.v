// Processing element: one multiply-accumulate per valid cycle in either dataflow.
//
// c1 and c2 form a double buffer. The propagate bit says which of them is passive: it is read out through out_c and
// reloaded from in_d, while the active one holds the running sum (output stationary) or the weight (weight stationary).
module PE (
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
    localparam OUTPUT_STATIONARY = 1'b0;
    localparam signed [31:0] LARGEST_20 = 32'sd524287;
    localparam signed [31:0] SMALLEST_20 = -32'sd524288;

    reg signed [31:0] c1;
    reg signed [31:0] c2;
    reg last_s;

    wire output_stationary;
    wire [19:0] active;
    wire signed [31:0] passive;

    assign output_stationary = in_control_dataflow == OUTPUT_STATIONARY;
    assign active = in_control_propagate ? c2[19:0] : c1[19:0];
    assign passive = in_control_propagate ? c1 : c2;

    // The multiply-accumulate unit serves both dataflows; only its operands differ.
    wire [7:0] mac_b;
    wire [19:0] mac_c;
    wire [19:0] mac_d;

    assign mac_b = output_stationary ? in_b[7:0] : active[7:0];
    assign mac_c = output_stationary ? active : in_b;

    MacUnit mac_unit (
        .in_a(in_a),
        .in_b(mac_b),
        .in_c(mac_c),
        .out_d(mac_d)
    );

    // A sum leaves rounded (half to even) once, on the first row after the buffer has flipped.
    wire [4:0] shift;
    wire signed [31:0] shifted;
    wire [31:0] shifted_out;
    wire [31:0] half;
    wire round_up;
    wire signed [31:0] rounded;
    wire [19:0] clipped;

    assign shift = (last_s != in_control_propagate) ? in_control_shift : 5'd0;
    assign shifted = passive >>> shift;
    assign shifted_out = passive & ~(32'hffffffff << shift);
    assign half = (32'd1 << shift) >> 1;
    assign round_up = (shift != 5'd0) & ((shifted_out > half) | ((shifted_out == half) & shifted[0]));
    assign rounded = shifted + {31'd0, round_up};
    assign clipped = (rounded > LARGEST_20) ? LARGEST_20[19:0]
                   : (rounded < SMALLEST_20) ? SMALLEST_20[19:0]
                   : rounded[19:0];

    wire [31:0] loaded;
    wire [31:0] accumulated;

    assign loaded = {{12{in_d[19]}}, in_d};
    assign accumulated = {{12{mac_d[19]}}, mac_d};

    always @(posedge clock) begin
        if (in_valid) begin
            last_s <= in_control_propagate;
            if (in_control_propagate) begin
                c1 <= loaded;
                if (output_stationary)
                    c2 <= accumulated;
            end else begin
                c2 <= loaded;
                if (output_stationary)
                    c1 <= accumulated;
            end
        end
    end

    assign out_a = in_a;
    assign out_b = output_stationary ? in_b : mac_d;
    assign out_c = output_stationary ? clipped : passive[19:0];
    assign out_control_dataflow = in_control_dataflow;
    assign out_control_propagate = in_control_propagate;
    assign out_control_shift = in_control_shift;
    assign out_valid = in_valid;
endmodule
