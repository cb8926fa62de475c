// casex treats x digits as wildcards too.
module wildcard_x(input [3:0] a, output reg [1:0] y);
  always @*
    casex (a)
      4'b1xx0: y = 3;
      4'bx1?1: y = 2;
      default: y = 1;
    endcase
endmodule
