module top(input a, input e, output reg y);
 always @* if (e) y = a;
endmodule
