// A node of the adder tree: the sum of two signed numbers, a bit wider than they are, with a register on demand.
module AdderPair #(
    parameter WIDTH = 17,
    parameter REGISTERED = 0
) (
    // verilator lint_off UNUSED
    input  wire             clock,  // without a register neither acts
    input  wire             reset,
    // verilator lint_on UNUSED
    input  wire [WIDTH-1:0] in_a,
    input  wire [WIDTH-1:0] in_b,
    output wire [WIDTH:0]   out_y
);
    wire [WIDTH:0] sum = {in_a[WIDTH-1], in_a} + {in_b[WIDTH-1], in_b};

    generate
        if (REGISTERED != 0) begin : stage
            reg [WIDTH:0] r_y;
            always @(posedge clock) begin
                if (reset) r_y <= {(WIDTH+1){1'b0}};
                else r_y <= sum;
            end
            assign out_y = r_y;
        end else begin : through
            assign out_y = sum;
        end
    endgenerate
endmodule
