// What the standard leaves undefined: such bits are undefined in the netlist too, never 0, and all other bits are defined.

module undefined_digits(input [3:0] a, output [7:0] x, y, z);
  assign x = {4'b1x0x, a};
  assign y = {a, 4'hx};
  assign z = 8'bx1x0_xx01;
endmodule

module undefined_wide(input [3:0] a, output [99:0] x, y);
  assign x = {a, 96'hx};
  assign y = {96'h1x, a};
endmodule

module undefined_branch(input s, input [3:0] a, output [3:0] x, output reg [3:0] y);
  assign x = s ? a : 4'bx;
  always @*
    if (s) y = 4'bxx01;
    else y = a;
endmodule

module undefined_default(input [1:0] s, input [3:0] a, output reg [3:0] y);
  always @*
    case (s)
      2'd0: y = a;
      2'd1: y = ~a;
      default: y = 4'bx;
    endcase
endmodule

module undefined_quotient(input [3:0] a, b, output [3:0] q, r);
  assign q = a / b;
  assign r = a % b;
endmodule

module undefined_signed_quotient(input signed [3:0] a, b, output signed [3:0] q, r);
  assign q = a / b;
  assign r = a % b;
endmodule

module undefined_constant_quotient(input [3:0] a, output [3:0] q, r);
  assign q = a / 4'd0;
  assign r = a % 4'd0;
endmodule

module undefined_bit(input [4:0] a, input [2:0] i, output y);
  assign y = a[i];
endmodule

module undefined_part(input [9:0] a, input [1:0] i, output [3:0] up, down);
  assign up = a[i * 4 +: 4];
  assign down = a[i * 4 -: 4];
endmodule

module undefined_constant_part(input [7:0] a, output [3:0] x, y);
  assign x = a[6 +: 4];
  assign y = a[1 -: 4];
endmodule

module undefined_bit_of_ascending(input [2:6] a, input [2:0] i, output y);
  assign y = a[i];
endmodule

module undefined_word(input clock, input reset, input [1:0] i, input [3:0] d, output [3:0] y);
  reg [3:0] m [0:2];
  assign y = m[i];
  always @(posedge clock)
    if (reset) begin
      m[0] <= 1;
      m[1] <= 2;
      m[2] <= 3;
    end else m[i] <= d;  // an index beyond the array writes nothing
endmodule

module undefined_word_of_memory(input clock, input reset, input [3:0] i, input [3:0] d, output [3:0] y);
  reg [3:0] m [0:11];
  integer k;
  assign y = m[i];
  always @(posedge clock)
    if (reset) for (k = 0; k < 12; k = k + 1) m[k] <= k;
    else m[i] <= d;
endmodule

module undefined_net(input [3:0] a, output [3:0] y, z);
  wire [3:0] w;
  wire [3:0] part;
  assign part[1:0] = a[1:0];
  assign y = w;
  assign z = part;
endmodule

module undefined_register(input clock, input [3:0] a, output reg [3:0] q);
  always @(posedge clock) q <= q;
endmodule

module undefined_port(input [3:0] a, output [3:0] y);
  undefined_port_part part(.a(a), .y(y));
endmodule

module undefined_port_part(input [3:0] a, b, output [3:0] y);
  assign y = a + b;
endmodule

module undefined_is_no_match(input [3:0] a, output reg [1:0] y);
  always @*
    case (a)
      4'b1x00: y = 1;  // no value of a
      4'bxxxx: y = 2;
      4'b1000: y = 3;
      default: y = 0;
    endcase
endmodule

module undefined_case_equality(input [3:0] a, output x, y);
  assign x = a === 4'b1x00;
  assign y = a !== 4'bxx00;
endmodule

module undefined_masked(input [3:0] a, output [3:0] x, y, output z);
  // Known whatever the undefined bits are.
  assign x = {2'b00, a[1:0]} & 4'bxx11;
  assign y = {2'b11, a[1:0]} | 4'bxx00;
  assign z = 4'b1xx0 == 4'b0000;
endmodule

module undefined_unsized(input s, input [3:0] a, output [39:0] x, y, output [7:0] z);
  // A number without size whose first digit is x is x up to the size of the expression (3.5.1).
  assign x = s ? 'bx : a;
  assign y = s ? 'hx5 : a;
  assign z = s ? 'bx : a;
endmodule
