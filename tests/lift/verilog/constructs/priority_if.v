// if and else if in a combinational block with defaults.
module priority_if(input [3:0] r, output reg [1:0] g, output reg v);
  always @* begin
    g = 0;
    v = 1;
    if (r[0]) g = 0;
    else if (r[1]) g = 1;
    else if (r[2]) g = 2;
    else if (r[3]) g = 3;
    else v = 0;
  end
endmodule
