// Indexed part-selects upwards and downwards.
module indexed(
  input [31:0] a,
  input [1:0] i,
  input [4:0] j,
  input [0:15] c,
  output [7:0] up,
  output [7:0] down,
  output [3:0] tail,
  output [3:0] ascending
);
  assign up = a[i*8 +: 8];
  assign down = a[31 - i*8 -: 8];
  assign tail = a[(j & 15) + 3 -: 4];
  assign ascending = c[i +: 4];
endmodule
