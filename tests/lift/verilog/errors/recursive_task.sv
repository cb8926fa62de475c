module top(input [3:0] a, output logic [3:0] y);
  task automatic t(input [3:0] x);
    if (x != 0) t(x - 4'd1); else y = x;
  endtask
  always_comb t(a);
endmodule
