// Case items that are expressions: the one-hot idiom.
module case_true(input [3:0] a, input [3:0] b, output reg [2:0] y);
  always @*
    case (1'b1)
      a[0]: y = 1;
      b[1] & a[1]: y = 2;
      a < b: y = 3;
      default: y = 0;
    endcase
endmodule
