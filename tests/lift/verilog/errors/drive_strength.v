module top(input a, b, output y);
  assign (strong1, weak0) y = a;
  assign (weak1, strong0) y = b;
endmodule
