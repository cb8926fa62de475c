module top(input a, b, output y);
  and #2 g(y, a, b);
endmodule
