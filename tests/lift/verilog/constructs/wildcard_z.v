// casez with overlapping patterns; the first counts.
module wildcard_z(input [3:0] a, output reg [2:0] y);
  always @*
    casez (a)
      4'b1???: y = 4;
      4'b01??: y = 3;
      4'b0?1?: y = 2;
      4'bx??0: y = 5;
      4'b???1: y = 1;
      default: y = 0;
    endcase
endmodule
