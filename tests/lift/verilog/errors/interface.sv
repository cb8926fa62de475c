interface bus; logic [3:0] data; endinterface
module top(input [3:0] a, output [3:0] y);
  bus b();
  assign b.data = a;
  assign y = b.data;
endmodule
