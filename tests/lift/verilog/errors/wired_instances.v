module top(input a, b, output y);
  wor w;
  leaf one(a, w);
  leaf two(b, w);
  assign y = w;
endmodule
module leaf(input i, output o); assign o = i; endmodule
