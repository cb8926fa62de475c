// Blocking assignments are read back, in order.
module blocking(input [7:0] a, input [7:0] b, output reg [7:0] y, output reg [7:0] z);
  reg [7:0] t;
  always @* begin
    t = a ^ b;
    y = t + 1;
    t = t & a;
    if (t > b) t = t - b;
    z = t;
  end
endmodule
