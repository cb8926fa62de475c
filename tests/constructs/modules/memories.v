// Arrays: 1364-2005, 4.9 and 5.2.2.

module memory_synchronous(input clock, input reset, input we, input [3:0] waddr, raddr, input [7:0] d, output reg [7:0] q);
  reg [7:0] m [0:15];
  integer i;
  always @(posedge clock) begin
    q <= m[raddr];  // the word before the write
    if (we) m[waddr] <= d;
    if (reset) for (i = 0; i < 16; i = i + 1) m[i] <= 0;
    if (reset) q <= 0;
  end
endmodule

module memory_asynchronous(input clock, input reset, input we, input [3:0] addr, input [7:0] d, output [7:0] q);
  reg [7:0] m [0:15];
  integer i;
  assign q = m[addr] ^ m[addr ^ 4'd1];
  always @(posedge clock)
    if (reset) for (i = 0; i < 16; i = i + 1) m[i] <= i;
    else if (we) m[addr] <= d;
endmodule

module memory_two_writes(input clock, input reset, input a, b, input [3:0] aaddr, baddr, input [7:0] c, d, output [7:0] q);
  reg [7:0] m [0:15];
  integer i;
  assign q = m[aaddr];
  always @(posedge clock) begin
    if (a) m[aaddr] <= c;
    if (b) m[baddr] <= d;  // the later one counts
    if (reset) for (i = 0; i < 16; i = i + 1) m[i] <= 0;
  end
endmodule

module memory_parts(input clock, input reset, input [1:0] we, input [3:0] addr, input [15:0] d, output [15:0] q);
  reg [15:0] m [0:15];
  integer i;
  assign q = m[addr];
  always @(posedge clock)
    if (reset) for (i = 0; i < 16; i = i + 1) m[i] <= 0;
    else begin
      if (we[0]) m[addr][7:0] <= d[7:0];
      if (we[1]) m[addr][15:8] <= d[15:8];
    end
endmodule

module memory_dynamic_part(input clock, input reset, input [3:0] addr, input [1:0] lane, input [3:0] d, output [15:0] q, output b);
  reg [15:0] m [0:15];
  integer i;
  assign q = m[addr];
  assign b = m[addr][{lane, 2'd1}];
  always @(posedge clock)
    if (reset) for (i = 0; i < 16; i = i + 1) m[i] <= 0;
    else m[addr][lane * 4 +: 4] <= d;
endmodule

module memory_of_offset(input clock, input reset, input we, input [3:0] addr, input [7:0] d, output [7:0] q);
  reg [7:0] m [8:23];
  integer i;
  assign q = m[addr + 8];
  always @(posedge clock)
    if (reset) for (i = 8; i < 24; i = i + 1) m[i] <= i;
    else if (we) m[addr + 8] <= d;
endmodule

module memory_descending(input clock, input reset, input we, input [3:0] addr, input [7:0] d, output [7:0] q);
  reg [7:0] m [15:0];
  integer i;
  assign q = m[addr];
  always @(posedge clock)
    if (reset) for (i = 0; i < 16; i = i + 1) m[i] <= 0;
    else if (we) m[addr] <= d + m[addr];
endmodule

module memory_signed(input clock, input reset, input we, input [3:0] addr, input signed [3:0] d, output [7:0] q);
  reg signed [3:0] m [0:15];
  integer i;
  assign q = m[addr] + d;
  always @(posedge clock)
    if (reset) for (i = 0; i < 16; i = i + 1) m[i] <= 0;
    else if (we) m[addr] <= d;
endmodule

module memory_of_rows(input clock, input reset, input we, input [1:0] raddr, caddr, input [7:0] d, output [7:0] q);
  reg [7:0] m [0:3][0:3];
  integer i, j;
  assign q = m[raddr][caddr] + m[caddr][raddr];
  always @(posedge clock)
    if (reset) for (i = 0; i < 4; i = i + 1) for (j = 0; j < 4; j = j + 1) m[i][j] <= 0;
    else if (we) m[raddr][caddr] <= d;
endmodule

module registers_small(input clock, input reset, input we, input [1:0] waddr, raddr, input [7:0] d, output [7:0] q, output [7:0] first);
  reg [7:0] m [0:3];
  integer i;
  assign q = m[raddr];
  assign first = m[0];
  always @(posedge clock)
    if (reset) for (i = 0; i < 4; i = i + 1) m[i] <= i * 3;
    else if (we) m[waddr] <= d;
endmodule

module shift_register(input clock, input reset, input [7:0] d, output [7:0] q);
  reg [7:0] m [0:3];
  integer i;
  assign q = m[3];
  always @(posedge clock) begin
    for (i = 1; i < 4; i = i + 1) m[i] <= reset ? 8'd0 : m[i - 1];
    m[0] <= reset ? 8'd0 : d;
  end
endmodule

module lookup_in_function(input [3:0] a, output [7:0] y);
  function [7:0] squared;
    input [3:0] v;
    case (v)
      4'd0: squared = 0;
      4'd1: squared = 1;
      4'd2: squared = 4;
      4'd3: squared = 9;
      default: squared = v * v;
    endcase
  endfunction
  assign y = squared(a);
endmodule
