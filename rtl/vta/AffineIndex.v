// o * factor_0 + i * factor_1 for the loop counters o and i, as two running sums that wrap at the buffer's index width.
module AffineIndex #(
    parameter WIDTH = 11
) (
    input  wire             clock,
    input  wire             reset,
    input  wire             clear,
    input  wire             next_i,
    input  wire             next_o,
    input  wire [WIDTH-1:0] factor_0,
    input  wire [WIDTH-1:0] factor_1,
    output wire [WIDTH-1:0] offset
);
    reg [WIDTH-1:0] sum_o;
    reg [WIDTH-1:0] sum_i;

    assign offset = sum_o + sum_i;

    always @(posedge clock) begin
        if (reset || clear) begin
            sum_o <= {WIDTH{1'b0}};
            sum_i <= {WIDTH{1'b0}};
        end else if (next_o) begin
            sum_o <= sum_o + factor_0;
            sum_i <= {WIDTH{1'b0}};
        end else if (next_i) begin
            sum_i <= sum_i + factor_1;
        end
    end
endmodule
