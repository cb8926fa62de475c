// Names of variables inside instances and generate blocks.
module counter8(input clk, input [7:0] d);
  logic [7:0] total = 0;
  always_ff @(posedge clk) total <= total + d;
endmodule
module inner_names(input clk, input [7:0] d, output [7:0] x, output [3:0] y);
  for (genvar i = 0; i < 2; i++) begin : g
    logic [7:0] own;
    assign own = d << i;
    counter8 c(.clk(clk), .d(own));
  end
  assign x = g[1].c.total + g[1].own;
  assign y = g[0].c.total[5:2];
endmodule
