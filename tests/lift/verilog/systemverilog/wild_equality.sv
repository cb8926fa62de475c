// Wildcard equality and sets.
module wild_equality(input logic [3:0] a, output logic [2:0] y);
  assign y = {a ==? 4'b1?0?, a !=? 4'b??11, a inside {4'd3, 4'd9, 4'd12}};
endmodule
