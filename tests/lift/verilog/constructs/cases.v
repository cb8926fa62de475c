// case with several labels, a default and selectors of another width.
module cases(input [2:0] s, input [7:0] a, output reg [7:0] y, output reg [3:0] z);
  localparam [2:0] FIRST = 3'd1, SECOND = 3'd5;
  always @(*) begin
    case (s)
      FIRST: y = a;
      SECOND, 3'd6: y = ~a;
      7: y = a + 1;
      default: y = 8'h5a;
    endcase
    case (a[1:0])
      0: z = 1;
      1: z = 2;
      2: z = 4;
      3: z = 8;
    endcase
  end
endmodule
