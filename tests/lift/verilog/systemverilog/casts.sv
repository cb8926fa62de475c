// Sized casts and sign casts, fill literals.
module casts(input logic [7:0] a, input logic signed [3:0] b, output logic [11:0] x, output logic signed [11:0] y, output logic [7:0] z);
  assign x = 12'(a) << 4;
  assign y = 12'(b) - signed'(a[3:0]);
  assign z = a & '1;
endmodule
