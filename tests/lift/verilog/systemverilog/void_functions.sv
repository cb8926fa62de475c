// Void functions, functions whose value is thrown away, tasks with inout arguments.
module void_functions(input [7:0] a, b, output logic [7:0] x, y, z);
  function automatic void order(input [7:0] p, q, output [7:0] low, high);
    if (p < q) begin low = p; high = q; end else begin low = q; high = p; end
  endfunction
  function automatic [7:0] twice(input [7:0] p); return p << 1; endfunction
  task automatic bump(inout [7:0] p); p = p + 3; endtask
  always_comb begin
    order(a, b, x, y);
    void'(twice(a));
    z = a;
    bump(z);
    bump(z);
  end
endmodule
