// Assignments in processes: 1364-2005, clause 9.

module blocking_order(input [7:0] a, output reg [7:0] x, y);
  reg [7:0] t;
  always @* begin
    t = a + 1;
    x = t;
    t = t * 3;
    y = t ^ x;
  end
endmodule

module blocking_then_nonblocking(input clock, input reset, input [7:0] a, output reg [7:0] q);
  reg [7:0] t;
  always @(posedge clock) begin
    t = a ^ q;
    t = {t[0], t[7:1]};
    if (reset) q <= 0;
    else q <= t + 1;
  end
endmodule

module nonblocking_swap(input clock, input reset, input [3:0] a, output reg [3:0] x, y);
  always @(posedge clock)
    if (reset) begin
      x <= 1;
      y <= 2;
    end else begin
      x <= y;
      y <= x ^ a;
    end
endmodule

module nonblocking_last_counts(input clock, input [3:0] a, output reg [3:0] q);
  always @(posedge clock) begin
    q <= a;
    if (a[0]) q <= ~a;
    q[3] <= a[1];
  end
endmodule

module nonblocking_reads_old(input clock, input reset, input [3:0] a, output reg [3:0] p, q, r);
  always @(posedge clock) begin
    p <= a;
    q <= p;
    r <= q + p;
    if (reset) {p, q, r} <= 0;
  end
endmodule

module enable_holds(input clock, input reset, input en, input [7:0] d, output reg [7:0] q);
  always @(posedge clock)
    if (reset) q <= 8'h55;
    else if (en) q <= d;
endmodule

module asynchronous_low_reset(input clock, input rst_n, input [7:0] d, output reg [7:0] q);
  always @(posedge clock or negedge rst_n)
    if (!rst_n) q <= 8'ha5;
    else q <= q + d;
endmodule

module asynchronous_high_reset(input clock, input rst, input en, input [7:0] d, output reg [7:0] q);
  always @(posedge clock, posedge rst)
    if (rst) q <= 0;
    else if (en) q <= d;
endmodule

module falling_edge(input clock, input reset, input [7:0] d, output reg [7:0] q);
  always @(negedge clock)
    if (reset) q <= 0;
    else q <= q ^ d;
endmodule

module reset_of_some(input clock, input reset, input [7:0] d, output reg valid, output reg [7:0] q);
  always @(posedge clock) begin
    q <= d;
    valid <= d[0];
    if (reset) valid <= 0;
  end
endmodule

module loop_up(input [7:0] a, output reg [3:0] n);
  integer i;
  always @* begin
    n = 0;
    for (i = 0; i < 8; i = i + 1) if (a[i]) n = n + 1;
  end
endmodule

module loop_down(input [7:0] a, output reg [2:0] n);
  integer i;
  always @* begin
    n = 0;
    for (i = 7; i >= 0; i = i - 1) if (a[i]) n = i;
  end
endmodule

module loop_nested(input [15:0] a, output reg [15:0] y);
  integer r, c;
  always @*
    for (r = 0; r < 4; r = r + 1)
      for (c = 0; c < 4; c = c + 1) y[r * 4 + c] = a[c * 4 + r];
endmodule

module loop_of_narrow_counter(input [7:0] a, output reg [7:0] y);
  reg [3:0] i;
  always @* begin
    y = 0;
    for (i = 0; i < 8; i = i + 2) y[i] = a[i + 1];
  end
endmodule

module loop_in_clocked(input clock, input reset, input d, output reg [7:0] q);
  integer i;
  always @(posedge clock)
    if (reset) q <= 0;
    else begin
      for (i = 7; i > 0; i = i - 1) q[i] <= q[i - 1];
      q[0] <= d;
    end
endmodule

module named_block(input [7:0] a, output reg [7:0] y);
  always @* begin : work
    reg [7:0] t;
    integer i;
    t = 0;
    for (i = 0; i < 8; i = i + 1) t = {t[6:0], a[i]};
    y = t + 1;
  end
endmodule

module parts_by_processes(input clock, input reset, input [7:0] d, output reg [7:0] q);
  always @(posedge clock) if (reset) q[3:0] <= 0; else q[3:0] <= d[7:4];
  always @(posedge clock) if (reset) q[7:4] <= 0; else q[7:4] <= q[3:0];
endmodule

module default_then_override(input [1:0] s, input [7:0] a, output reg [7:0] y, output reg v);
  always @* begin
    y = 0;
    v = 1'b0;
    if (s[0]) y = a;
    if (s[1]) {v, y} = y + a;
  end
endmodule

module null_statements(input [1:0] s, input [7:0] a, output reg [7:0] y);
  always @* begin
    y = a;
    ;
    if (s[0]) ; else y = ~a;
    case (s)
      2'd3: y = 0;
      default: ;
    endcase
  end
endmodule

module sensitivity_lists(input [3:0] a, b, output reg [3:0] x, y, z);
  always @(a or b) x = a & b;
  always @(a, b) y = a | b;
  always @(*) z = a ^ b;
endmodule

module initial_value(input clock, input [3:0] d, output reg [3:0] q, output reg [3:0] p);
  initial begin
    q = 4'd9;
    p = 4'd10;
  end
  always @(posedge clock) begin
    q <= q + d;
    p <= q;
  end
endmodule
