module Top(input clock, input [7:0] a, output [7:0] b);
  Missing inner(.clock(clock), .a(a), .b(b));
endmodule
