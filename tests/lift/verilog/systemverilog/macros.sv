// Macros with arguments, conditional text, and the macro that readers define.
`define MAX(p, q) ((p) > (q) ? (p) : (q))
`define WIDTH 8
`ifdef SYNTHESIS
`define EXTRA 8'd1
`else
`define EXTRA 8'd2
`endif
module macros(input [`WIDTH-1:0] a, b, output [`WIDTH-1:0] y);
`ifndef NEVER
  assign y = `MAX(a, b) + `EXTRA;
`else
  this is no Verilog
`endif
endmodule
