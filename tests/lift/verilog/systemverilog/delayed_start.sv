// Generators write a delay of 0 before what an initial block assigns.
module delayed_start(input clk, input [3:0] d, output reg [3:0] state, output reg [3:0] seen);
  initial begin
    #0 state = 4'd1;
    #0;
    seen = 4'd3;
  end
  always @(posedge clk) begin
    state <= {state[2:0], state[3] ^ d[0]};
    seen <= seen + d;
  end
endmodule
