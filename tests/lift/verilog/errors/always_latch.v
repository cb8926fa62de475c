module top(input e, input a, output logic y);
 always_latch if (e) y = a;
endmodule
