// logic, always_ff, always_comb and enumerated states.
module enum_states(input logic clock, input logic reset, input logic go, output logic [1:0] now, output logic busy);
  typedef enum logic [1:0] {IDLE, RUN, DONE = 2'd3} state_t;
  state_t state, next;
  assign now = state;
  always_comb begin
    next = state;
    busy = 1'b1;
    unique case (state)
      IDLE: begin
        busy = 1'b0;
        if (go) next = RUN;
      end
      RUN: next = DONE;
      default: next = IDLE;
    endcase
  end
  always_ff @(posedge clock)
    if (reset) state <= IDLE;
    else state <= next;
endmodule
