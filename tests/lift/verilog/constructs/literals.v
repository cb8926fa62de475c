// Literals of all bases, signed ones, truncation and underscores.
module literals(input [7:0] a, output [15:0] x, output [7:0] y, output signed [7:0] z, output [39:0] w);
  assign x = a + 16'hab_cd + 8'o17 + 4'b1_01;
  assign y = a ^ 300;
  assign z = 4'shf + 3'sb101;
  assign w = 40'hff_0000_0000 + a;
endmodule
