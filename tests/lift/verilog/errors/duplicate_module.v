module top(input c, output y);
  assign y=c; endmodule
module top(input c, output y);
  assign y=~c; endmodule
