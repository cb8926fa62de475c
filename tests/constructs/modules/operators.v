// Operators, their precedence and associativity: 1364-2005, 5.1.

module reduction_of_each(input [4:0] a, output [5:0] y);
  assign y = {&a, |a, ^a, ~&a, ~|a, ~^a};
endmodule

module reduction_of_one_bit(input a, output [5:0] y);
  assign y = {&a, |a, ^a, ~&a, ~|a, ~^a};
endmodule

module reduction_of_wide(input [99:0] a, output [5:0] y);
  assign y = {&a, |a, ^a, ~&a, ~|a, ~^a};
endmodule

module reduction_of_signed(input signed [3:0] a, b, output [3:0] y);
  assign y = {&(a & b), |(a + b), ^(a - b), ~^(a >>> 1)};
endmodule

module reduction_extended(input [3:0] a, output [3:0] x, y);
  assign x = -(&a);
  assign y = ~^a + 2'd1;
endmodule

module precedence_of_logic(input [7:0] a, b, c, output [7:0] v, w, x, y);
  assign v = a | b & c;
  assign w = a ^ b & c | a;
  assign x = a & b ^ c;
  assign y = a ~^ b | c & a ^ b;
endmodule

module precedence_of_arithmetic(input [7:0] a, b, c, output [7:0] v, w, x, y);
  assign v = a + b * c;
  assign w = a - b - c;
  assign x = a << 1 + b[1:0];
  assign y = a - b << c[1:0];
endmodule

module precedence_of_comparison(input [3:0] a, b, c, output [5:0] y);
  assign y = {a & b == c, a < b == c[0], a == b & c[0], a + b < c, a || b && c, !a == b};
endmodule

module precedence_of_unary(input [3:0] a, b, output [7:0] v, w, x, y);
  assign v = -a + b;
  assign w = ~a & b;
  assign x = -(~a) * b;
  assign y = a - -b;
endmodule

module precedence_of_reduction(input [3:0] a, b, output [3:0] y);
  assign y = {a & &b, a | |b, a ^ ^b, ~&a & b};
endmodule

module precedence_of_ternary(input [1:0] s, input [3:0] a, b, c, output [3:0] x, y, z);
  assign x = s[0] ? a : s[1] ? b : c;
  assign y = s[0] ? s[1] ? a : b : c;
  assign z = s[0] || s[1] ? a + b : c - b;
endmodule

module associativity(input [7:0] a, b, c, output [7:0] v, w, x, y);
  assign v = a - b + c;
  assign w = a * b % 8'd13 * c;
  assign x = a / 8'd7 / 8'd3;
  assign y = a << b[1:0] << c[1:0];
endmodule

module equality_of_each(input [3:0] a, b, output [3:0] y);
  assign y = {a == b, a != b, a === b, a !== b};
endmodule

module logical_of_vectors(input [3:0] a, b, output [4:0] y);
  assign y = {a && b, a || b, !a, !a && !b, !(a || b)};
endmodule

module concatenation_nested(input [3:0] a, b, output [15:0] x, output [23:0] y);
  assign x = {a, {b, {2{a[3], b[1:0]}}}, 2'b10};
  assign y = {2{a, {2{b}}}};
endmodule

module multiply_widths(input [3:0] a, input [6:0] b, input signed [3:0] c, input signed [6:0] d, output [11:0] x, y, z);
  assign x = a * b;
  assign y = c * d;
  assign z = c * b;
endmodule

module power_of_constants(output [15:0] v, w, x, output signed [15:0] y);
  assign v = 3 ** 5;
  assign w = 4'd2 ** 3'd5;
  assign x = (-2) ** 3;
  assign y = -2 ** 2;
endmodule

module power_of_two(input [3:0] n, output [15:0] x, output [7:0] y, output [3:0] z);
  assign x = 2 ** n;
  assign y = 8'd2 ** n;
  assign z = 2 ** (n & 4'd3);
endmodule

module division_signed(input signed [7:0] a, input signed [3:0] b, output signed [8:0] q, r, output signed [7:0] p);
  wire signed [3:0] d = b == 0 ? 4'sd1 : b;
  assign q = a / d;  // towards zero; the remainder has the sign of a
  assign r = a % d;
  assign p = a / -1;  // -128 / -1 wraps
endmodule

module division_unsigned(input [7:0] a, input [3:0] b, output [8:0] q, r, output [3:0] n);
  wire [3:0] d = b ? b : 4'd1;
  assign q = a / d;
  assign r = a % d;
  assign n = a / 3 % 7;
endmodule

module division_mixed(input signed [7:0] a, input [3:0] b, output signed [11:0] q, r);
  wire [3:0] d = b | 4'd1;
  assign q = a / d;  // unsigned: a is a large number when negative
  assign r = a % d;
endmodule

module division_by_constant(input signed [7:0] a, input [7:0] u, output signed [7:0] v, w, output [7:0] x, y);
  assign v = a / 3;
  assign w = a % -3;
  assign x = u / 3;
  assign y = u % 4'd8;
endmodule
