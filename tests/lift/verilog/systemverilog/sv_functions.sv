// Functions of SystemVerilog style.
module sv_functions(input logic [7:0] a, input logic signed [3:0] b, output logic [7:0] m, output logic signed [7:0] y);
  function automatic logic [7:0] largest(input logic [7:0] p, input logic [7:0] q);
    if (p > q) return p;
    return q;
  endfunction
  function automatic logic signed [7:0] clipped(input logic signed [3:0] x);
    logic signed [7:0] wide;
    wide = x * 3;
    if (wide > 8'sd10) return 8'sd10;
    else if (wide < -8'sd10) begin
      wide = -10;
      return wide;
    end
    return wide;
  endfunction
  assign m = largest(a, 8'd77);
  assign y = clipped(b);
endmodule
