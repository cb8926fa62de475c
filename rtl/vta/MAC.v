// The multiplier of a dot product: registered int8 operands, a 16-bit product with a sign bit more for the adder tree.
module MAC (
    input  wire        clock,
    input  wire        reset,
    input  wire [7:0]  in_a,
    input  wire [7:0]  in_b,
    output wire [16:0] out_y
);
    reg [7:0] r_a;
    reg [7:0] r_b;

    always @(posedge clock) begin
        if (reset) begin
            r_a <= 8'd0;
            r_b <= 8'd0;
        end else begin
            r_a <= in_a;
            r_b <= in_b;
        end
    end

    wire signed [15:0] product = $signed(r_a) * $signed(r_b);

    assign out_y = {product[15], product};
endmodule
