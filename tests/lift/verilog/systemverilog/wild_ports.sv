// Instances connected by name and by wildcard.
module wild_child(input logic [3:0] a, input logic [3:0] b, output logic [4:0] y);
  assign y = a + b;
endmodule
module wild_ports(input logic [3:0] a, input logic [3:0] b, output logic [4:0] y);
  wild_child child(.*);
endmodule
