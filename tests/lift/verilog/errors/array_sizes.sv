module top(input logic [3:0] a [4], output logic [3:0] y [3]);
  assign y = a;
endmodule
