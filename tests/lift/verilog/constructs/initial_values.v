// Registers with initial values.
module initial_values(input clock, input [3:0] d, output [3:0] y, output reg [3:0] z);
  reg [3:0] q = 4'd9;
  initial z = 4'd6;
  assign y = q;
  always @(posedge clock) begin
    q <= q + d;
    z <= z ^ d;
  end
endmodule
