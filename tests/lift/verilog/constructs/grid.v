// Nested generate blocks with conditions; lanes of vectors feed each other.
module cell_of_grid(
  input clock,
  input reset,
  input [3:0] west,
  input [3:0] north,
  output [3:0] east,
  output reg [3:0] south
);
  assign east = west + 1;
  always @(posedge clock) south <= reset ? 4'd0 : north ^ west;
endmodule
module grid(
  input clock,
  input reset,
  input [7:0] west,
  input [11:0] north,
  output [7:0] east,
  output [11:0] south
);
  wire [31:0] h;
  wire [35:0] v;
  genvar r, c;
  generate
    for (r = 0; r < 2; r = r + 1) begin : row
      assign h[r * 16 +: 4] = west[r * 4 +: 4];
      for (c = 0; c < 3; c = c + 1) begin : col
        if (r == 0) begin : first
          assign v[c * 4 +: 4] = north[c * 4 +: 4];
        end
        cell_of_grid node(clock, reset, h[r * 16 + c * 4 +: 4], v[r * 12 + c * 4 +: 4], h[r * 16 + c * 4 + 4 +: 4], v[(r + 1) * 12 + c * 4 +: 4]);
      end
      assign east[r * 4 +: 4] = h[r * 16 + 12 +: 4];
    end
  endgenerate
  assign south = v[35:24];
endmodule
