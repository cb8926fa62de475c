// Two write ports with byte enables, two read ports, one of them registered.
module masked_memory(input clk, input we0, we1, input [3:0] be0, be1, input [3:0] addr, waddr, input [31:0] d0, d1, output [31:0] q0, output logic [31:0] q1);
  logic [3:0][7:0] mem [0:15];
  always_ff @(posedge clk) begin
    if (we0) for (int i = 0; i < 4; i++) if (be0[i]) mem[waddr][i] <= d0[8*i +: 8];
    if (we1) for (int i = 0; i < 4; i++) if (be1[i]) mem[addr][i] <= d1[8*i +: 8];
    q1 <= mem[addr];
  end
  assign q0 = mem[waddr];
endmodule
