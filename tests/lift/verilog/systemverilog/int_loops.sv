// Loop variables of the loop, compound assignments, increments.
module int_loops(input logic [15:0] a, output logic [4:0] n, output logic [7:0] s);
  always_comb begin
    n = 0;
    for (int i = 0; i < 16; i++) n += a[i];
    s = '1;
    for (int i = 0; i < 4; ++i) s ^= a[4 * i +: 4];
  end
endmodule
