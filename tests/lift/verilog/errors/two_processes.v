module top(input c, input b, output reg y);
 always @(posedge c) y <= b;
 always @(posedge c) y <= 0;
endmodule
