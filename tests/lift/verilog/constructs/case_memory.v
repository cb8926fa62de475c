// Overlapping case items decide which memory write happens; labels that the selector never has.
module case_memory(
  input clock,
  input reset,
  input [3:0] s,
  input [3:0] a,
  input [7:0] d,
  output [7:0] q,
  output reg [2:0] n
);
  reg [7:0] m [0:15];
  integer i;
  assign q = m[a];
  always @(posedge clock)
    if (reset) for (i = 0; i < 16; i = i + 1) m[i] <= i;
    else
      casez (s)
        4'b1???: m[a] <= d;
        4'b??1?: m[a] <= ~d;
        4'b1x?1: m[a] <= 0;
        default: m[d[3:0]] <= 8'h77;
      endcase
  always @(posedge clock)
    if (reset) n <= 0;
    else
      case (s[1:0])
        0: n <= 1;
        1: n <= 2;
        2: n <= n;
        7: n <= 4;
      endcase
endmodule
