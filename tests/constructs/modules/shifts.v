// Shifts: 1364-2005, 5.1.12.  The amount is unsigned and determines itself.

module shift_by_signed(input [7:0] a, input signed [7:0] s, input signed [2:0] n, output [7:0] l, r, output signed [7:0] q);
  assign l = a << n;  // -1 is 7 here
  assign r = a >> n;
  assign q = s >>> n;
endmodule

module shift_by_wide(input [7:0] a, input signed [7:0] s, input [15:0] n, output [7:0] l, r, output signed [7:0] q);
  assign l = a << n;
  assign r = a >> n;
  assign q = s >>> n;
endmodule

module shift_by_very_wide(input [7:0] a, input signed [7:0] s, input [69:0] n, output [7:0] l, r, output signed [7:0] q);
  wire [69:0] few = n[69] ? n : n[2:0];
  assign l = a << few;
  assign r = a >> few;
  assign q = s >>> few;
endmodule

module shift_arithmetic(input signed [7:0] s, input [7:0] u, input [3:0] n, output [7:0] a, b, c, d);
  assign a = s <<< n;
  assign b = s >>> n;
  assign c = u >>> n;
  assign d = s >> n;
endmodule

module shift_extended(input signed [3:0] s, input [3:0] u, input [2:0] n, output [7:0] a, b, c, d);
  assign a = s >> n;  // extended by its sign, then shifted with zeros
  assign b = s >>> n;
  assign c = u >>> n;
  assign d = (s >>> n) | 8'd0;
endmodule

module shift_of_shift(input [7:0] a, input [2:0] n, m, output [7:0] x, y, output [11:0] z);
  assign x = a << n >> m;
  assign y = a >> n << m;
  assign z = (a << n) >> m;
endmodule

module shift_constant(input [7:0] a, input signed [7:0] s, output [7:0] v, w, x, y, output [15:0] z);
  assign v = a << 3;
  assign w = a >> 9;
  assign x = s >>> 9;
  assign y = a << 8;
  assign z = a << 8;
endmodule

module shift_constant_left(input [2:0] n, output [7:0] x, y, output signed [7:0] z);
  assign x = 8'h81 >> n;
  assign y = 8'sh81 >>> n;
  assign z = 4'sb1000 >>> n;
endmodule

module shift_in_context(input signed [3:0] s, input [7:0] u, input [1:0] n, output [7:0] x, y, output z);
  assign x = u + (s >>> n);  // unsigned because of u
  assign y = (s >>> n) - s;
  assign z = (s >>> n) < 0;
endmodule

module shift_amount_is_sum(input [7:0] a, input signed [3:0] n, input [3:0] m, output [7:0] x, y);
  assign x = a >> n - 1;
  assign y = a >> -m;
endmodule

module shift_amount_is_comparison(input [7:0] a, b, output [7:0] x, y);
  assign x = a << (a < b);
  assign y = a >> !b;
endmodule
