// Packed structures: members, whole values and writes of members.
module packed_struct(input logic clock, input logic reset, input logic [15:0] a, output logic [15:0] q, output logic [3:0] tag);
  typedef struct packed {
    logic [3:0] tag;
    logic valid;
    logic [10:0] data;
  } entry_t;
  entry_t in, held;
  assign in = a;
  assign tag = in.tag ^ held.tag;
  assign q = held;
  always_ff @(posedge clock)
    if (reset) held <= '0;
    else if (in.valid) held <= in;
    else held.data <= held.data + in.data[3:0];
endmodule
