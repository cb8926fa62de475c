// Tasks with inputs and outputs.
module tasks(input logic [7:0] a, input logic [7:0] b, output logic [7:0] less, output logic [7:0] more);
  task automatic order(input logic [7:0] p, input logic [7:0] q, output logic [7:0] lo, output logic [7:0] hi);
    lo = p < q ? p : q;
    hi = p < q ? q : p;
  endtask
  always_comb order(a, b, less, more);
endmodule
