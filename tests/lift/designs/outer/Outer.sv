// Sums of outer products that stay in registers: rows of A, a stride apart, times rows of B; drained last row first, shifted right, rounded half to even
// and saturated, unless they are to be kept.
module Outer #(parameter N = 4) (
  input  logic        clk, rst_n,
  input  logic        cmd_valid,
  output logic        cmd_ready,
  input  logic [1:0]  cmd_op,       // 0 config, 1 run
  input  logic [31:0] cmd_a, cmd_b
);
  localparam OP_CONFIG = 2'd0, OP_RUN = 2'd1;
  typedef enum logic [1:0] {IDLE, FEED, DRAIN} state_t;
  state_t state;
  logic [1:0] k;
  logic [5:0] stride, a, b, c;
  logic [4:0] shift;
  logic keep;
  logic [31:0] rows [0:63];
  logic [31:0] results [0:63];
  logic signed [19:0] sum [0:N-1][0:N-1];
  logic [31:0] x, y, z;
  logic signed [31:0] wide, quotient, rounded, dropped;

  assign cmd_ready = state == IDLE;
  assign x = rows[a + k * stride];
  assign y = rows[b + {4'd0, k}];

  always_comb begin
    z = 32'd0;
    for (int j = 0; j < N; j++) begin
      wide = {{12{sum[N-1][j][19]}}, sum[N-1][j]};
      quotient = wide >>> shift;
      dropped = wide & ~(32'hffffffff << shift);
      rounded = quotient + {31'd0, shift != 5'd0 && (dropped > ((32'd1 << shift) >> 1) || (dropped == ((32'd1 << shift) >> 1) && quotient[0]))};
      z[8*j +: 8] = rounded > 127 ? 8'h7f : rounded < -128 ? 8'h80 : rounded[7:0];
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      state <= IDLE;
      k <= 2'd0;
      stride <= 6'd0;
      shift <= 5'd0;
      keep <= 1'b0;
      for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) sum[i][j] <= '0;
    end else case (state)
      IDLE: if (cmd_valid) begin
        if (cmd_op == OP_CONFIG) begin
          stride <= cmd_a[5:0]; shift <= cmd_a[12:8]; keep <= cmd_a[16];
        end else if (cmd_op == OP_RUN) begin
          a <= cmd_a[5:0]; b <= cmd_a[13:8]; c <= cmd_b[5:0];
          state <= FEED;
        end
      end
      FEED: begin
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) sum[i][j] <= sum[i][j] + $signed(x[8*i +: 8]) * $signed(y[8*j +: 8]);
        k <= k + 2'd1;
        if (k == N - 1) state <= keep ? IDLE : DRAIN;
      end
      default: begin
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) sum[i][j] <= i == 0 ? '0 : sum[i-1][j];
        k <= k + 2'd1;
        if (k == N - 1) state <= IDLE;
      end
    endcase
  end

  always_ff @(posedge clk) if (state == DRAIN) results[c + {4'd0, 2'd3 - k}] <= z;
endmodule
