// Signed only if all operands are (1364-2005, 5.5.1).

module sign_of_sum(input signed [3:0] a, b, input [3:0] u, output [8:0] ss, su, us, sss, ssu);
  assign ss = a + b;
  assign su = a + u;
  assign us = u - b;
  assign sss = a + b + a;
  assign ssu = a + b + u;  // the unsigned operand reaches the whole sum
endmodule

module sign_of_product(input signed [4:0] a, input signed [2:0] b, input [2:0] u, output [9:0] ss, su, output signed [9:0] sl);
  assign ss = a * b;
  assign su = a * u;
  assign sl = a * 3'd5;
endmodule

module sign_of_comparison(input signed [4:0] a, input signed [2:0] b, input [2:0] u, output [7:0] y);
  assign y = {a < b, a < u, a >= b, a >= u, a == b, a == u, a < 3'd2, a < 2};
endmodule

module sign_in_comparison_of_sums(input signed [3:0] a, b, input [3:0] u, output [3:0] y);
  // The operands of a comparison do not see what stands outside of it.
  assign y = {a + b < 0, a + u < 0, (a < b) + u > 4'd3, -a > b - 1};
endmodule

module sign_of_ternary(input c, input signed [3:0] a, b, input [2:0] u, output [7:0] ss, su, nested);
  assign ss = c ? a : b;
  assign su = c ? a : u;
  assign nested = c ? a : (u[0] ? b : u);
endmodule

module sign_of_selects(input signed [7:0] a, input [2:0] i, output [11:0] part, whole, bit_, indexed, element);
  // Selects and concatenations are unsigned, also those of the whole.
  assign part = a[7:4];
  assign whole = a[7:0];
  assign bit_ = a[7];
  assign indexed = a[i[0] * 4 +: 4];
  assign element = {a};
endmodule

module sign_of_unary(input signed [3:0] a, input [3:0] u, output [7:0] n, m, p, q, r);
  assign n = -a;
  assign m = -u;
  assign p = ~a;
  assign q = +a;
  assign r = -a + u;
endmodule

module sign_of_bitwise(input signed [3:0] a, input signed [5:0] b, input [4:0] u, output [7:0] x, y, z, w);
  assign x = a & b;
  assign y = a | u;
  assign z = a ~^ b;
  assign w = ~(a ^ b);
endmodule

module sign_of_parameters(input signed [3:0] a, input [3:0] u, output [7:0] v, w, x, y, z);
  parameter P = -3;
  parameter [3:0] Q = -3;
  parameter signed [3:0] R = -3;
  localparam S = 4'd13;
  localparam signed T = 4'b1101;
  assign v = a + P;
  assign w = a + Q;
  assign x = a + R;
  assign y = a + S;
  assign z = a + T;
endmodule

module sign_of_casts(input signed [3:0] a, input [3:0] u, output [7:0] v, w, x, y);
  assign v = $signed(u);
  assign w = $unsigned(a);
  assign x = $signed(u) + a;
  assign y = $signed({1'b0, u}) * a;
endmodule

module sign_of_literals(input signed [3:0] a, output [7:0] v, w, x, y, z);
  assign v = a + 4'd1;
  assign w = a + 4'sd1;
  assign x = a + 1;
  assign y = a + 'd1;
  assign z = a + 4'shf;
endmodule

module sign_of_output(input signed [3:0] a, input [3:0] u, output signed [3:0] s, output [7:0] x, y);
  // A port is what it is declared as, inside and outside.
  sign_of_output_part one(a, x);
  sign_of_output_part two(u, y);
  assign s = u;
endmodule

module sign_of_output_part(input signed [3:0] a, output signed [7:0] y);
  assign y = a;
endmodule

module sign_of_ports(input signed [3:0] a, input [3:0] u, output [7:0] x, y);
  // Connections are assignments: the expression's own sign extends it.
  sign_of_ports_part one(.a(a), .y(x));
  sign_of_ports_part two(.a(u), .y(y));
endmodule

module size_of_connection(input [3:0] a, u, output [7:0] y);
  sign_of_ports_part part(.a(a + u), .y(y));  // the sum has the eight bits of the port
endmodule

module sign_of_ports_part(input [7:0] a, output [7:0] y);
  assign y = a;
endmodule

module sign_of_old_ports(a, b, y, z);
  input signed [3:0] a;
  input [3:0] b;
  output [7:0] y;
  output signed [7:0] z;
  wire signed [3:0] b;  // signed where it is declared as a net
  reg [7:0] y;
  assign z = b;
  always @* y = a + b;
endmodule

module sign_of_integer(input [7:0] a, input signed [7:0] b, output reg [39:0] y, z);
  integer i, j;
  always @* begin
    i = a;
    j = b;
    y = i + j;
    z = i - 200 < j ? j : i;
  end
endmodule

module sign_of_shift(input signed [7:0] a, input [7:0] u, input [2:0] n, output [11:0] v, w, x, y, z);
  // The shift amount has no say in the sign of the result; the context has.
  assign v = a >>> n;
  assign w = (a >>> n) + u;
  assign x = u >>> n;
  assign y = a >>> n + 1'b1;
  assign z = $signed(a >>> n) + u;
endmodule

module sign_of_division(input signed [7:0] a, input signed [3:0] b, input [3:0] u, output [11:0] q, r, v, w);
  assign q = a / b;
  assign r = a % b;
  assign v = a / u;
  assign w = a % (u + 4'sd1);
endmodule

module sign_of_case(input signed [3:0] a, input [3:0] u, output reg [2:0] x, y);
  // Selector and items are extended to one size, signed only if all of them are.
  always @* begin
    case (a)
      5'sd7: x = 1;
      -5'sd1: x = 2;
      3'sb100: x = 3;
      default: x = 0;
    endcase
    case (a)
      5'd7: y = 1;
      5'b11111: y = 2;
      4'b1111: y = 4;
      3'sb100: y = 3;
      default: y = 0;
    endcase
  end
endmodule

module sign_of_functions(input signed [3:0] a, input [3:0] u, output [7:0] x, y);
  function [7:0] widened;
    input signed [7:0] v;
    widened = v >>> 1;
  endfunction
  assign x = widened(a);
  assign y = widened(u);
endmodule

module sign_of_replication(input signed [1:0] a, input signed [3:0] b, output [9:0] x, y);
  assign x = {3{a}} + b;
  assign y = $signed({3{a}}) + b;
endmodule
