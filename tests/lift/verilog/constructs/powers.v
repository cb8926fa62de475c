// Constant powers and powers of two.
module powers(input [2:0] n, output [7:0] y, output [15:0] z);
  localparam K = 3 ** 4;
  assign y = 2 ** n;
  assign z = K + 2 ** 10;
endmodule
