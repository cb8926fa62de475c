module top(input [3:0] a, output [3:0] y);
  function automatic [3:0] f(input [3:0] x);
    f = x == 0 ? 4'd1 : x * f(x - 4'd1);
  endfunction
  assign y = f(a);
endmodule
