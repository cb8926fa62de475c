// Nonblocking assignments exchange, later ones win.
module nonblocking(
  input clock,
  input reset,
  input [3:0] d,
  output reg [3:0] a,
  output reg [3:0] b,
  output reg [3:0] c
);
  always @(posedge clock) begin
    a <= b;
    b <= a;
    c <= d;
    if (d[0]) c <= c + 1;
    if (reset) begin
      a <= 1;
      b <= 2;
      c <= 0;
    end
  end
endmodule
