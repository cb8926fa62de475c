// Interfaces with parameters, ports, logic of their own and arrays of words, passed on through a module, and one as a variable only.
interface link #(parameter W = 4) (input logic [W-1:0] offset, output logic [W-1:0] seen);
  logic [W-1:0] ask, answer;
  logic [W-1:0] words [2];
  logic odd;
  assign odd = ^ask;
  assign seen = answer;
  modport user (output ask, input answer, input odd, output words);
  modport server (input ask, input words, input offset, output answer);
endinterface
module server #(parameter W = 4) (link.server l);
  assign l.answer = l.ask + l.offset + l.words[0] - l.words[1];
endmodule
module user #(parameter W = 4) (input logic [W-1:0] a, b, link.user l, output logic odd);
  assign l.ask = a;
  always_comb begin l.words[0] = b; l.words[1] = a & b; end
  assign odd = l.odd;
endmodule
module hidden (link.user l, input logic [7:0] a, b, output logic odd);
  user #(8) inner (.a, .b, .l, .odd);
endmodule
interface plain; logic [3:0] x; endinterface
module interfaces (input [3:0] a, b, input [7:0] c, d, output [3:0] x, output [7:0] y, output [1:0] odd);
  plain p();
  link narrow (.offset(p.x), .seen(x));
  link #(8) wide (.offset(8'd3), .seen(y));
  assign p.x = a ^ b;
  user u (.a, .b, .l(narrow.user), .odd(odd[0]));
  hidden h (.a(c), .b(d), .l(wide.user), .odd(odd[1]));
  server s (.l(narrow.server));
  server #(8) t (wide.server);
endmodule
