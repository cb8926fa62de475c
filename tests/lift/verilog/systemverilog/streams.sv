// Streams: bits and bytes in the opposite order, and on the left as a concatenation.
module streams(input [31:0] a, input [7:0] b, output logic [31:0] bytes, output logic [7:0] bits, output logic [15:0] hi, lo, output [31:0] nibbles);
  assign bytes = {<<8{a}};
  assign bits = {<<{b}};
  assign {>>{hi, lo}} = a;
  assign nibbles = {<<4{a[15:0], b, 8'h1f}};
endmodule
