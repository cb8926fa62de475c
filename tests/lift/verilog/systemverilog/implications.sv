// Logical implication and equivalence; increments in loops; compound assignments of every kind.
module implications(input [7:0] a, b, output x, y, output logic [7:0] z);
  assign x = (a > b) -> a[0];
  assign y = (a[1]) <-> (b[1]);
  always_comb begin
    z = a;
    z += b; z -= 8'd3; z *= 8'd5; z ^= b; z |= 8'h10; z &= 8'hf7; z <<= 1; z >>= 2; z %= 8'd100;
  end
endmodule
