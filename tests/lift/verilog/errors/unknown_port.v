module top(input a, output y);
 sub s(.b(a), .y(y));
endmodule
module sub(input a, output y);
  assign y = a; endmodule
