// What has been read wrongly once, or was a crash; the comment says how.

module found_function_of_memory(input clock, input reset, input we, input [3:0] i, j, input [7:0] d, output reg [7:0] y);
  // A function that reads a memory: a crash.
  reg [7:0] m [0:15];
  integer k;
  function [7:0] next;
    input [3:0] at;
    next = m[at] + 1;
  endfunction
  always @(posedge clock) begin
    y <= next(j);
    if (we) m[i] <= d;
    if (reset) for (k = 0; k < 16; k = k + 1) m[k] <= k;
  end
endmodule

module found_function_beside_local(input [3:0] a, output reg [3:0] y);
  // The names in a function are those where it stands, not those where it is called.
  wire [3:0] v = ~a;
  function [3:0] mixed;
    input x;
    mixed = v ^ {4{x}};
  endfunction
  always @(a or v) begin : work
    reg [3:0] v;
    v = a;
    y = mixed(v[0]);
  end
endmodule

module found_call_in_argument(input [3:0] a, b, output [3:0] y);
  // A call as argument of the same function is no recursion.
  function [3:0] more;
    input [3:0] p, q;
    more = p > q ? p : q;
  endfunction
  assign y = more(a, more(b, 4'd5));
endmodule

module found_integer_function(input [3:0] a, output [39:0] y, output z);
  // An integer function is signed; pyverilog forgets it.
  function integer down;
    input [3:0] v;
    down = v - 20;
  endfunction
  assign y = down(a);
  assign z = down(a) < 0;
endmodule

module found_integer_parameter(input signed [3:0] a, output signed [39:0] y, output z);
  // pyverilog forgets the type of a parameter too.
  parameter integer P = 8'hff;
  localparam integer Q = 4'd15 + 4'd1;
  assign y = a + P + Q;
  assign z = a < P - 256;
endmodule

module found_inherited_ports(input signed [3:0] a, b, output wire signed [7:0] y, z, output reg signed [1:0] p, q);
  // b, z and q inherit sign, type and width; pyverilog forgets some.
  assign y = a + b;
  assign z = b >>> 1;
  always @* begin
    p = a;
    q = b;
  end
endmodule

module found_attributes((* keep *) input [1:0] a, output reg y);
  (* keep = 1, mark *) wire t = ^a;
  always @(*) (* full_case, parallel_case *)
    case (a)
      2'd0: y = t;
      default: y = ~t;
    endcase
endmodule

module found_xnor_spelling(input [3:0] a, b, output [3:0] x, output y);
  assign x = a ^~ b;
  assign y = ^~a;
endmodule

module found_generate_without_keyword #(parameter P = 2) (input [3:0] a, output [3:0] y, z);
  genvar i;
  for (i = 0; i < 4; i = i + 1) begin : lane
    if (i % P == 0) assign y[i] = a[3 - i];
    else begin : odd
      wire t = ~a[i];
      assign y[i] = t;
    end
  end
  case (P)
    1: assign z = a;
    2, 3: begin : two
      assign z = a + P;
    end
    default: ;
  endcase
endmodule

module found_tasks(input clock, input reset, input [3:0] a, b, output reg [3:0] less, more, output reg [3:0] count);
  task order;
    input [3:0] p, q;
    output [3:0] low, high;
    begin
      low = p < q ? p : q;
      high = p < q ? q : p;
    end
  endtask
  task step(input [3:0] by);
    count <= count + by;
  endtask
  always @* order(a, b, less, more);
  always @(posedge clock) if (reset) count <= 0; else if (a[0]) step(b); else step(4'd1);
endmodule

module found_repeat(input [7:0] a, output reg [7:0] y);
  always @* begin
    y = a;
    repeat (3) y = {y[0], y[7:1]} ^ 8'h11;
  end
endmodule

module found_several_assignments(input a, b, output x, y);
  wire p = a & b, q = a | b;
  assign x = p ^ q, y = p ~^ b;
endmodule

module found_signed_function(input signed [3:0] a, output signed [7:0] y, output z);
  function signed [4:0] doubled(input signed [3:0] v);
    doubled = v + v;
  endfunction
  assign y = doubled(a);
  assign z = doubled(a) < -3;
endmodule

module found_default_without_colon(input [1:0] s, input [3:0] a, output reg [3:0] y);
  always @*
    case (s)
      2'd1: y = a;
      default y = ~a;
    endcase
endmodule
