module top(input a, output y);
  link l(a, y);
endmodule
module link(input a, output y);
  link inner(a, y);
endmodule
