// unique and priority change nothing but what a tool may assume; the first match counts.
module priority_unique(input [3:0] a, input [7:0] d, output logic [7:0] x, y, z);
  always_comb begin
    x = d; y = d; z = d;
    priority casez (a)
      4'b1???: x = d + 1;
      4'b?1??: x = d + 2;
      4'b0000: x = d + 3;
      default: x = 0;
    endcase
    unique case (a[1:0])
      2'd0: y = d ^ 8'h55;
      2'd1: y = ~d;
      2'd2, 2'd3: y = -d;
    endcase
    priority if (a[0]) z = 1;
    else if (a[1]) z = 2;
    else z = 3;
  end
endmodule
