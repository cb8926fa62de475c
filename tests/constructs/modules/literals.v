// Numbers: 1364-2005, 3.5.

module literal_wide(input [7:0] a, output [99:0] x, y, output [69:0] z, output w);
  assign x = a + 100'h8_0000_0000_0000_0000_0000_0000;
  assign y = a ^ 100'd1267650600228229401496703205375;
  assign z = 70'o1234567012345670123456 + a;
  assign w = {92'd0, a} == 100'h0_0000_0000_0000_0000_0000_007f;
endmodule

module literal_extension(input [7:0] a, output [15:0] v, w, x, y);
  assign v = a ^ 16'sb1;
  assign w = a ^ 4'sb1000;
  assign x = $signed(a) ^ 4'sb1000;
  assign y = $signed(a) ^ 16'shff;
endmodule

module literal_truncation(input [7:0] a, output [7:0] x, y, z);
  assign x = a ^ 4'd19;
  assign y = a ^ 4'd255;
  assign z = a ^ -3'd9;
endmodule

module literal_bases(input [7:0] a, output [7:0] v, w, x, y);
  assign v = a ^ 8'HA5;
  assign w = a ^ 8'B1010_0101;
  assign x = a ^ 8'O245;
  assign y = a ^ 8'D1_65;
endmodule

module literal_negative(input signed [7:0] a, output [11:0] v, w, x, y);
  assign v = a + -8'd3;
  assign w = a + -8'sd3;
  assign x = a + -3;
  assign y = a - -4'sd8;
endmodule

module literal_unsized(input [39:0] a, output [39:0] v, w, x);
  assign v = a + 'h8000_0000;
  assign w = a + -1;
  assign x = a + 'sh8000_0000;
endmodule

module literal_fill(input [7:0] a, output [7:0] y, output [3:0] z);
  // Digits in front of the written ones are 0, also behind a leading 1.
  assign y = a ^ 8'b11;
  assign z = a[3:0] ^ 4'sb1;
endmodule
