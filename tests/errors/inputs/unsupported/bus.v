module Bus(input clock, input enable, input [7:0] value, inout [7:0] bus);
  assign bus = enable ? value : 8'bz;
endmodule
