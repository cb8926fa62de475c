module Adder(input clock, input [7:0] a, input [7:0] b, output reg [8:0] sum);
  always @(posedge clock) begin
    sum <= a + ;
  end
endmodule
