module top(inout a, output y);
 assign y = a;
endmodule
