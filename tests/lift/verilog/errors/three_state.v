module top(input a, input e, output y);
 assign y = e ? a : 1'bz;
endmodule
