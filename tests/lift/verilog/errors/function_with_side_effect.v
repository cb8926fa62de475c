module top(input [3:0] a, output [3:0] y, output reg [3:0] z);
  function [3:0] f(input [3:0] x);
    begin
      z = x;
      f = ~x;
    end
  endfunction
  assign y = f(a);
endmodule
