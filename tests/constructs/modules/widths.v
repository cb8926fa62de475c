// Sizes of expressions: 1364-2005, 5.4.

module width_of_context(input [3:0] a, b, output [3:0] n, output [4:0] w, output [3:0] half, whole);
  assign n = a + b;
  assign w = a + b;  // the carry is kept
  assign half = (a + b) >> 1;  // and lost
  assign whole = (a + b + 0) >> 1;  // 0 has 32 bits
endmodule

module width_of_self(input [3:0] a, b, output [7:0] x, y, z, output c);
  // Operands of concatenations, replications and selects determine themselves.
  assign x = {a + b};
  assign y = {2{a + b}};
  assign z = {a * b, b};
  assign c = |(a + b);
endmodule

module width_of_comparison(input [3:0] a, b, input [4:0] s, output [3:0] y);
  // Operands of a comparison take the size of the wider one, no more.
  assign y = {a + b == s, a + b == s[3:0], a + b > 4'd15, a + b > 15};
endmodule

module width_of_logical(input [3:0] a, b, output [3:0] y);
  assign y = {a + b && 1'b1, !(a + b), a - b || 1'b0, (a + b + 5'd0) && 1'b1};
endmodule

module width_of_shift(input [3:0] a, input [2:0] n, output [7:0] x, y, z, output [3:0] w);
  assign x = a << n;  // the left operand has the size of the context
  assign y = {a << n};
  assign z = 1 << n;
  assign w = 1'b1 << n;
endmodule

module width_of_amount(input [7:0] a, input [3:0] n, m, output [7:0] x, y, z);
  // The amount determines itself: n + m wraps at four bits.
  assign x = a << n + m;
  assign y = a >> (n + m);
  assign z = a >> (n + m + 5'd0);
endmodule

module width_of_ternary(input c, input [3:0] a, input [6:0] b, output [9:0] x, y, output z);
  assign x = c ? a : b;
  assign y = (c ? a + 4'd9 : b) + 1'b1;
  assign z = (c ? a : b) == 7'd99;
endmodule

module width_of_condition(input [3:0] a, b, output x, y, z);
  // A condition is true when any bit is.
  assign x = a ? 1'b1 : 1'b0;
  assign y = a & b ? 1'b1 : 1'b0;
  assign z = a + b ? 1'b1 : 1'b0;
endmodule

module width_of_one_bit(input [3:0] a, b, output [7:0] x, y, z);
  assign x = (a < b) + (a > b) + 1'b1;
  assign y = -(a == b);
  assign z = ~(a != b);
endmodule

module width_of_not(input [3:0] a, output [7:0] x, output [3:0] y, output z, w);
  assign x = ~a;  // the upper bits become ones
  assign y = ~a;
  assign z = ~a == 4'd3;
  assign w = ~a == 3;
endmodule

module width_of_truncation(input [15:0] a, input [7:0] b, output [3:0] x, y, output z);
  assign x = a;
  assign y = a * b;
  assign z = a + b;
endmodule

module width_of_assignment(input [7:0] a, b, output reg [3:0] n, output reg [11:0] w, output reg [3:0] h, l);
  always @* begin
    n = a + b;
    w = a + b;
    {h, l} = a + b;
  end
endmodule

module width_of_carry(input [7:0] a, b, input c, output [7:0] s, output k, output [7:0] d, output l);
  assign {k, s} = a + b + c;
  assign {l, d} = a - b;
endmodule

module width_of_power(input [2:0] n, output [9:0] x, output [3:0] y);
  assign x = 2 ** n;
  assign y = 2 ** n >> 1;
endmodule

module width_of_parameters(input [3:0] a, output [7:0] x, y, z);
  parameter [2:0] P = 4'd9;
  localparam Q = 4'd9 + 4'd9;
  localparam R = 9 + 4'd9;
  assign x = a + P;
  assign y = a + Q;
  assign z = a + R;
endmodule

module width_of_wide(input [99:0] a, b, input [6:0] n, output [99:0] s, p, r, output [127:0] t, output c);
  assign s = a + b;
  assign p = a * b;
  assign r = a >> n;
  assign t = {a, b} >> n;
  assign c = a < b;
endmodule

module width_of_narrow(input a, b, output x, y, z, output [1:0] w);
  assign x = a + b;
  assign y = a * b;
  assign z = -a;
  assign w = a + b;
endmodule

module width_of_multiply(input [7:0] a, b, output [7:0] n, output [15:0] w, output [7:0] high);
  assign n = a * b;
  assign w = a * b;
  assign high = a * b >> 8;  // computed with 8 bits: nothing is left
endmodule

module width_of_division(input [7:0] a, output [7:0] x, y);
  assign x = (a + 8'd200) / 8'd3;
  assign y = (a + 200) % 3;
endmodule
