// Loops downwards, parts of their variables.
module first_one(input logic [7:0] a, output logic [3:0] n, output logic [3:0] odd);
  always_comb begin
    n = 8;
    for (int i = 7; i >= 0; i--) if (a[i]) n = i[3:0];
    odd = 0;
    for (int i = 0; i < 8; i++) odd += {3'b0, a[i] & i[0]};
  end
endmodule
