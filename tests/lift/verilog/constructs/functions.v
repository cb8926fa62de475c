// Functions with loops, calls of functions and constant arguments.
module functions(input [7:0] a, input signed [3:0] b, output [3:0] n, output signed [7:0] y, output [7:0] m);
  function [3:0] ones;
    input [7:0] x;
    integer i;
    begin
      ones = 0;
      for (i = 0; i < 8; i = i + 1) ones = ones + x[i];
    end
  endfunction
  function signed [7:0] scaled;
    input signed [3:0] x;
    input [1:0] n;
    scaled = n[0] ? x * 3 : -x;
  endfunction
  function [7:0] maximum(input [7:0] x, input [7:0] y);
    maximum = x > y ? x : y;
  endfunction
  assign n = ones(a);
  assign y = scaled(b, a[1:0]);
  assign m = maximum(maximum(a, 8'd100), {2{ones(a)}});
endmodule
