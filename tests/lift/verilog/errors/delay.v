module top(input a, output reg y);
 always @* begin #1 y = a; end
endmodule
