// Sets with values, patterns and ranges, as an operator and as a case; signed ranges.
module inside_ranges(input [7:0] a, input signed [7:0] s, output logic x, y, output logic [2:0] z);
  assign x = a inside {8'd3, [8'd10:8'd20], 8'b1111_00??};
  assign y = s inside {[-8'sd5:8'sd5], [8'sd100:$]};
  always_comb
    case (a) inside
      8'd0, [8'd7:8'd9]: z = 1;
      8'b1???_???1: z = 2;
      [8'd8:8'd100]: z = 3;
      default: z = 4;
    endcase
endmodule
