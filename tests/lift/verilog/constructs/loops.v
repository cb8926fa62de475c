// Nested loops, downwards and by other steps, with block variables.
module loops(input [15:0] a, output reg [4:0] ones, output reg [15:0] reversed);
  integer i, j;
  always @* begin : count
    reg [4:0] n;
    n = 0;
    for (i = 0; i < 4; i = i + 1)
      for (j = 3; j >= 0; j = j - 1)
        n = n + a[4 * i + j];
    ones = n;
    for (i = 0; i < 16; i = i + 1) reversed[15 - i] = a[i];
  end
endmodule
