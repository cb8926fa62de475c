// A structure that is not packed, with an array inside, as a register.
module unpacked_struct(input clk, input [1:0] i, input [7:0] d, output [7:0] first, output [15:0] rest);
  typedef struct { logic [7:0] head; logic [7:0] tail [0:2]; logic valid; } entry;
  entry e;
  always_ff @(posedge clk) begin
    e.head <= d;
    e.tail[i] <= e.head;
    e.valid <= ^d;
  end
  assign first = e.valid ? e.head : 8'd0;
  assign rest = {e.tail[0], e.tail[2]};
endmodule
