// Patterns by name, by order and with a default; a packed union.
module struct_patterns(input [7:0] a, b, output logic [15:0] x, y, z, output [3:0] u);
  typedef struct packed { logic [3:0] op; logic [3:0] size; logic [7:0] data; } word;
  typedef union packed { logic [15:0] all; word parts; } either;
  either e;
  word p, q, r;
  always_comb begin
    p = '{op: a[3:0], size: 4'd5, data: b};
    q = '{a[7:4], b[3:0], a};
    r = '{data: b, default: 4'hc};
    e.all = {a, b};
  end
  assign x = p, y = q, z = r, u = e.parts.size;
endmodule
