// Instances with parameters, by name and by position, unused ports and width conversions.
module adder #(parameter W = 4, parameter signed [7:0] K = 1)(
  input [W-1:0] a,
  input signed [3:0] b,
  output [W:0] y,
  output signed [3:0] n
);
  assign y = a + K;
  assign n = -b;
endmodule
module instances(
  input [7:0] a,
  input [3:0] b,
  output [9:0] x,
  output [8:0] y,
  output [15:0] z,
  output signed [7:0] n
);
  wire signed [3:0] m;
  adder #(.W(8), .K(-2)) one(.a(a), .b(b), .y(x), .n());
  adder #(6) two(a, m, y, n);
  adder three(.a(b + a), .b(a), .y(z), .n(m));
endmodule
