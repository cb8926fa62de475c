// A loop with a carry through a vector.
module ripple(input [7:0] a, input [7:0] b, output reg [7:0] s, output reg k);
  integer i;
  reg [8:0] c;
  always @* begin
    c = 0;
    for (i = 0; i < 8; i = i + 1) begin
      s[i] = a[i] ^ b[i] ^ c[i];
      c[i + 1] = (a[i] & b[i]) | (c[i] & (a[i] ^ b[i]));
    end
    k = c[8];
  end
endmodule
