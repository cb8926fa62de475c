module top(input a, output y);
 always @* zz = a;
endmodule
