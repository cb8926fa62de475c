// Variables of loops and of blocks without a name are others than those of the module that they are called like.
module shadows(input clk, input [7:0] i, input [31:0] a, output reg [31:0] q, output logic [31:0] s);
  logic [15:0] y;
  assign y = a[15:0] + 16'd1;
  always_comb begin
    s = 0;
    for (int y = 0; y < 4; y++)
      for (int i = 0; i < 2; i++)
        s = s + a[8*y +: 8];
    s = s + y + i;
  end
  always @(posedge clk) begin
    for (int y = 0; y < 3; y++) begin
      int a;
      a = y + 1;
      if (y == 2) q <= a + i;
    end
  end
endmodule
