// Assignments to variable bits and parts.
module dynamic_write(
  input [15:0] a,
  input [3:0] i,
  input [1:0] j,
  input b,
  input [3:0] d,
  output reg [15:0] y,
  output reg [15:0] z,
  output reg [15:0] w
);
  always @* begin
    y = a;
    y[i] = b;
    z = a;
    z[j * 4 +: 4] = d;
    w = a;
    w[i -: 4] = d;
  end
endmodule
