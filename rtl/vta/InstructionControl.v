// The life of an instruction in its module: it waits for its tokens, takes them and starts; when the module is idle
// again it gives its tokens and leaves the queue. All its effects lie between start and done.
module InstructionControl (
    input  wire clock,
    input  wire reset,
    input  wire inst_valid,
    input  wire pop_prev,
    input  wire pop_next,
    input  wire push_prev,
    input  wire push_next,
    input  wire prev_available,
    input  wire next_available,
    input  wire unit_busy,
    output wire take_prev,
    output wire take_next,
    output wire give_prev,
    output wire give_next,
    output wire start,
    output wire done
);
    localparam IDLE    = 1'd0;
    localparam EXECUTE = 1'd1;

    reg state;

    assign start     = (state == IDLE) && inst_valid && (!pop_prev || prev_available) && (!pop_next || next_available);
    assign done      = (state == EXECUTE) && !unit_busy;
    assign take_prev = start && pop_prev;
    assign take_next = start && pop_next;
    assign give_prev = done && push_prev;
    assign give_next = done && push_next;

    always @(posedge clock) begin
        if (reset) state <= IDLE;
        else if (start) state <= EXECUTE;
        else if (done) state <= IDLE;
    end
endmodule
