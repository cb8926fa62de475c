// Signed case selectors and labels.
module case_signed(input signed [3:0] a, output reg [1:0] y);
  always @*
    case (a)
      -1: y = 1;
      -4'sd8: y = 2;
      3: y = 3;
      default: y = 0;
    endcase
endmodule
