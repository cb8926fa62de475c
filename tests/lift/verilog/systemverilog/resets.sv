// Registers with an asynchronous reset, an enable, a synchronous clear, and no reset at all.
module resets(input clk, input rst_n, input en, clear, input [7:0] d, output logic [7:0] a, s, e, n);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) a <= 8'h80;
    else if (en) a <= a + d;
  always_ff @(posedge clk)
    if (clear) s <= 0;
    else s <= s ^ d;
  always_ff @(posedge clk) if (en) e <= d;
  always @(posedge clk) n <= #1 a - s;
endmodule
