// Arrays as ports, values and parts of each other.
module lanes(input logic [7:0] a [4], input logic [1:0] turn, output logic [7:0] y [4]);
  always_comb for (int i = 0; i < 4; i++) y[i] = a[(i + turn) & 3] + 8'(i);
endmodule
module array_ports(input logic [31:0] a, input logic [1:0] turn, output logic [31:0] y, output logic [15:0] z);
  logic [7:0] x [4], r [4], s [3:0];
  assign x = '{a[31:24], a[23:16], a[15:8], a[7:0]};
  lanes l(.a(x), .turn(turn), .y(r));
  assign s = r;
  assign y = {r[0], r[1], r[2], r[3]};
  assign z = {s[3], s[0]};
endmodule
