// Bit-selects and part-selects: 1364-2005, 5.2.1.  Indices that can lie outside are in undefined.v.

module select_indexed_up(input [31:0] a, input [1:0] i, input [4:0] j, output [7:0] x, output [3:0] y);
  assign x = a[i * 8 +: 8];
  assign y = a[{j[4:2], 2'b0} +: 4];
endmodule

module select_indexed_down(input [31:0] a, input [1:0] i, output [7:0] x, y);
  assign x = a[i * 8 + 7 -: 8];
  assign y = a[31 - i * 8 -: 8];
endmodule

module select_constant_indexed(input [31:0] a, output [7:0] x, y, z);
  localparam P = 8;
  assign x = a[P +: 8];
  assign y = a[P + 7 -: 8];
  assign z = a[2 * P +: P];
endmodule

module select_ascending(input [0:31] a, input [1:0] i, output [7:0] x, y, z, output b);
  assign x = a[i * 8 +: 8];
  assign y = a[i * 8 + 7 -: 8];
  assign z = a[8:15];
  assign b = a[i];
endmodule

module select_offset(input [39:8] a, input [8:39] c, input [1:0] i, output [7:0] x, y, z, output b);
  assign x = a[i * 8 + 8 +: 8];
  assign y = a[39:32];
  assign z = c[i * 8 + 8 +: 8];
  assign b = a[i + 8];
endmodule

module select_negative(input [3:-4] a, input signed [2:0] i, output b, c, output [3:0] x);
  assign b = a[-4];
  assign c = a[i];
  assign x = a[-1:-4];
endmodule

module select_bit(input [7:0] a, input [2:0] i, output x, y, z);
  assign x = a[i];
  assign y = a[~i];
  assign z = a[i ^ 3'd5];
endmodule

module select_of_parameter(input [2:0] i, output x, output [3:0] y, z);
  parameter [31:0] TABLE = 32'h8421_fa73;
  assign x = TABLE[i];
  assign y = TABLE[i * 4 +: 4];
  assign z = TABLE[15:12];
endmodule

module select_of_word(input [63:0] a, input [1:0] i, j, output [3:0] x, output y);
  wire [15:0] w [0:3];
  assign {w[3], w[2], w[1], w[0]} = a;
  assign x = w[i][j * 4 +: 4];
  assign y = w[j][{i, j}];
endmodule

module select_in_left_side(input clock, input [7:0] d, input [1:0] i, input [2:0] j, output reg [31:0] up, down, output reg [7:0] bits);
  always @(posedge clock) begin
    up[i * 8 +: 8] <= d;
    down[i * 8 + 7 -: 8] <= d;
    bits[j] <= d[0];
  end
endmodule

module select_left_concatenation(input [11:0] a, input [1:0] i, output reg [7:0] x, output reg [15:0] y, output reg p);
  always @* begin
    x = 0;
    y = 16'h55aa;
    {p, x[5:2], y[i * 4 +: 4], x[7]} = a;
  end
endmodule

module select_left_ascending(input [7:0] a, input [1:0] i, output reg [0:15] x, output reg [19:4] y);
  always @* begin
    x = 0;
    y = 0;
    x[i * 4 +: 4] = a[3:0];
    y[i * 4 + 4 +: 4] = a[7:4];
    x[15] = a[0];
  end
endmodule

module select_signed_index(input [15:0] a, input signed [3:0] i, output x, y);
  assign x = a[i & 4'sd7];
  assign y = a[i + 8];
endmodule

module select_index_is_wide(input [7:0] a, input [63:0] i, output x);
  assign x = a[i & 64'd7];
endmodule
