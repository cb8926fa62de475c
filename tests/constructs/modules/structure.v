// Hierarchy, parameters and generate: 1364-2005, clause 12.

module instance_ports(input [7:0] a, input [3:0] b, output [7:0] x, output [3:0] y, output z);
  adder #(8) one(a, b, x);  // b is extended
  adder #(.W(4)) two(.b(b), .a(a[3:0]), .y(y));
  adder #(.W(1)) three(.a(a), .b(1'b1), .y(z));  // a is cut
endmodule

module adder #(parameter W = 2) (input [W-1:0] a, b, output [W-1:0] y);
  assign y = a + b;
endmodule

module output_to_parts(input [7:0] a, output [7:0] y, output [3:0] z);
  wire [15:0] w;
  adder #(4) low(a[3:0], 4'd1, w[3:0]);
  adder #(4) high(a[7:4], 4'd2, {w[12], w[6:4]});
  adder #(8) wide(a, 8'd9, z);  // cut
  assign y = {w[12], w[6:4], w[3:0]};
endmodule

module parameters_derived #(parameter W = 4, parameter N = W * 2, parameter [7:0] K = N - 3) (input [N-1:0] a, output [N-1:0] y);
  localparam M = K << 1;
  assign y = a + M;
endmodule

module parameters_of_parameters(input [5:0] a, output [5:0] x, output [7:0] y);
  parameters_derived #(.W(3)) one(a, x);
  parameters_derived #(.N(8), .K(8'hf0)) two({2'b01, a}, y);
endmodule

module parameter_takes_type_of_value(input signed [7:0] a, output x, y, z);
  less_than #(.K(-1)) one(a, x);
  less_than #(.K(8'd255)) two(a, y);
  less_than #(.K(4'sb1111)) three(a, z);
endmodule

module less_than #(parameter K = 0) (input signed [7:0] a, output y);
  assign y = a < K;
endmodule

module parameter_keeps_its_type(input signed [7:0] a, output x, y);
  less_than_byte #(.K(-1)) one(a, x);
  less_than_byte #(.K(255)) two(a, y);
endmodule

module less_than_byte #(parameter signed [7:0] K = 0) (input signed [7:0] a, output y);
  assign y = a < K;
endmodule

module generate_for_nested(input [15:0] a, output [15:0] y);
  genvar r, c;
  generate
    for (r = 0; r < 4; r = r + 1) begin : row
      for (c = 0; c < 4; c = c + 1) begin : col
        wire t;
        assign t = a[c * 4 + r];
        assign y[r * 4 + c] = t ^ (r == c);
      end
    end
  endgenerate
endmodule

module generate_if_in_for(input [7:0] a, output [7:0] y);
  genvar i;
  generate
    for (i = 0; i < 8; i = i + 1) begin : lane
      if (i % 3 == 0) begin : three
        assign y[i] = ~a[i];
      end else if (i > 4) assign y[i] = a[i] & a[0];
      else begin
        assign y[i] = a[i] | a[7];
      end
    end
  endgenerate
endmodule

module generate_down(input [3:0] a, output [3:0] y);
  genvar i;
  generate
    for (i = 3; i >= 0; i = i - 1) begin : lane
      assign y[i] = a[3 - i];
    end
  endgenerate
endmodule

module generate_instances(input [15:0] a, output [15:0] y);
  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : lane
      localparam K = i * i;
      adder #(.W(4)) add(.a(a[i * 4 +: 4]), .b(K[3:0]), .y(y[i * 4 +: 4]));
    end
  endgenerate
endmodule

module generate_chain(input [7:0] a, input c, output [7:0] s, output k);
  wire [8:0] carry;
  genvar i;
  assign carry[0] = c;
  assign k = carry[8];
  generate
    for (i = 0; i < 8; i = i + 1) begin : bit_
      assign {carry[i + 1], s[i]} = a[i] + carry[i];
    end
  endgenerate
endmodule

module generate_registers(input clock, input reset, input [3:0] d, output [3:0] q);
  genvar i;
  generate
    for (i = 0; i < 4; i = i + 1) begin : stage
      reg [3:0] r;
      if (i == 0) begin : first
        always @(posedge clock) if (reset) r <= 0; else r <= d;
      end else begin : later
        always @(posedge clock) if (reset) r <= i; else r <= r + d;
      end
      assign q[i] = ^r;
    end
  endgenerate
endmodule

module constant_function(input [9:0] a, output [3:0] y);
  function integer bits;
    input integer n;
    begin
      bits = 0;
      while (n > 0) begin
        n = n >> 1;
        bits = bits + 1;
      end
    end
  endfunction
  localparam W = bits(9);
  wire [W-1:0] t = a[W-1:0];
  assign y = t + W;
endmodule

module function_with_locals(input [7:0] a, b, output [7:0] x, output [8:0] y);
  function [8:0] blend;
    input [7:0] p, q;
    input mode;
    reg [8:0] t;
    begin
      t = p + q;
      if (mode) t = t >> 1;
      blend = t ^ 9'h100;
    end
  endfunction
  assign x = blend(a, b, a[0]);
  assign y = blend(b, blend(a, 8'd3, 1'b1), 1'b0);
endmodule

module function_reads_module(input clock, input [7:0] a, b, output reg [7:0] y);
  function [7:0] masked;
    input [7:0] v;
    masked = v & b;
  endfunction
  always @(posedge clock) y <= masked(a) | masked(~a >> 1);
endmodule

module function_of_narrow_argument(input [7:0] a, output [7:0] x, y);
  function [7:0] twice;
    input [3:0] v;
    twice = v + v;
  endfunction
  assign x = twice(a);  // a is cut
  assign y = {twice(a[7:4])} + 8'd1;
endmodule

module clog2_of_parameter(input [7:0] a, output [7:0] w, x, y, z);
  parameter N = 20;
  assign w = a + $clog2(N);
  assign x = a + $clog2(1);
  assign y = a + $clog2(16);
  assign z = a + $clog2(17);
endmodule
