// An array of nets between generated stages.
module wire_array(input [7:0] a, output [7:0] y, output [7:0] z);
  wire [7:0] stage [0:10];
  genvar i;
  assign stage[0] = a;
  generate
    for (i = 0; i < 10; i = i + 1) begin : step
      assign stage[i + 1] = {stage[i][6:0], stage[i][7]} + i;
    end
  endgenerate
  assign y = stage[10];
  assign z = stage[a % 11];
endmodule
