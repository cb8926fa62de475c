module top(input [3:0] a, output logic [3:0] y);
  always_comb begin
    y = 0;
    while (1) begin
      y = y + 4'd1;
      if (y == a) break;
    end
  end
endmodule
