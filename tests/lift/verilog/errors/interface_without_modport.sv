interface bus; logic [3:0] data; endinterface
module inner(bus b, output [3:0] y);
  assign y = b.data;
endmodule
module top(input [3:0] a, output [3:0] y);
  bus b();
  assign b.data = a;
  inner i(.b(b), .y(y));
endmodule
