interface bus; logic [3:0] data; modport in(input data); endinterface
module inner(bus.in b[2], output [3:0] y);
  assign y = b[0].data + b[1].data;
endmodule
module top(input [3:0] a, output [3:0] y);
  bus b[2]();
  assign b[0].data = a;
  assign b[1].data = ~a;
  inner i(.b(b), .y(y));
endmodule
