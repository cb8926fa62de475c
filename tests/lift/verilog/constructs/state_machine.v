// A state machine with localparam states, decoded outputs.
module state_machine(input clock, input reset, input go, input [1:0] n, output busy, output reg [3:0] done);
  localparam [1:0] IDLE = 0, RUN = 1, LAST = 2;
  reg [1:0] state;
  reg [1:0] left;
  assign busy = state != IDLE;
  always @(posedge clock)
    if (reset) begin
      state <= IDLE;
      left <= 0;
      done <= 0;
    end else
      case (state)
        IDLE: if (go) begin
          state <= RUN;
          left <= n;
        end
        RUN: begin
          left <= left - 1;
          if (left == 0) state <= LAST;
        end
        LAST: begin
          state <= IDLE;
          done <= done + 1;
        end
      endcase
endmodule
