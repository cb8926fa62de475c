// while and repeat with constant counts.
module while_repeat(input [7:0] a, output reg [7:0] y, output reg [7:0] z);
  integer i;
  always @* begin
    i = 0;
    y = 0;
    while (i < 8) begin
      y = {y[6:0], a[i]};
      i = i + 1;
    end
    z = a;
    repeat (3) z = {z[0], z[7:1]};
  end
endmodule
