module top(input a, output y);
 sub s(.a(a), .y(y));
endmodule
