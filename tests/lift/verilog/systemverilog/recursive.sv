// A function that calls itself with constants, a function with loop bounds from its arguments, and one that reads a memory.
module recursive(input clk, input we, input [3:0] a, input [7:0] d, output [7:0] cube, output logic [7:0] low, output [7:0] next);
  logic [7:0] mem [0:15];
  always_ff @(posedge clk) if (we) mem[a] <= d;
  function automatic [7:0] raise(input [7:0] base, input integer n);
    if (n == 0) raise = 1; else raise = base * raise(base, n - 1);
  endfunction
  function automatic [7:0] ones(input integer n);
    ones = 0;
    for (int i = 0; i < n; i++) ones[i] = 1;
  endfunction
  function [7:0] look(input [3:0] at);
    look = mem[at] + 1;
  endfunction
  assign cube = raise(d, 3);
  always_comb begin
    low = 0;
    for (int n = 0; n < 4; n++) if (a == n) low = ones(n) & d;
  end
  assign next = look(a + 1);
endmodule
