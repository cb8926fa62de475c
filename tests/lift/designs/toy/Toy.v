// A small accelerator for tests: rows of four int8, a stationary 2x2 weight that is one row, sums of two int32.
// With the macro CLEAR, config can also clear the weights; with PARTIAL it has two more instructions: one that does nothing, one that waits for an input.
module Toy #(
    parameter ROWS = 16
) (
    input  wire         clock,
    input  wire         reset,
    input  wire         cmd_valid,
    output wire         cmd_ready,
    input  wire [2:0]   cmd_funct,
    input  wire [15:0]  cmd_rs1,
    input  wire [15:0]  cmd_rs2,
    input  wire         go,
    output wire         mem_req_valid,
    input  wire         mem_req_ready,
    output wire         mem_req_write,
    output wire [15:0]  mem_req_addr,
    output wire [127:0] mem_req_data,
    output wire [15:0]  mem_req_mask,
    input  wire         mem_resp_valid,
    input  wire [127:0] mem_resp_data
);
    localparam [2:0] FUNCT_CONFIG  = 3'd0;
    localparam [2:0] FUNCT_LOAD    = 3'd1;
    localparam [2:0] FUNCT_WEIGHTS = 3'd2;
    localparam [2:0] FUNCT_DOT     = 3'd3;
    localparam [2:0] FUNCT_STORE   = 3'd4;
`ifdef PARTIAL
    localparam [2:0] FUNCT_FENCE   = 3'd5;
    localparam [2:0] FUNCT_WAIT    = 3'd6;
`endif

    localparam [2:0] IDLE = 3'd0;
    localparam [2:0] ASKING = 3'd1;
    localparam [2:0] ANSWERED = 3'd2;
    localparam [2:0] READING = 3'd3;
    localparam [2:0] MULTIPLYING = 3'd4;
    localparam [2:0] STORING = 3'd5;
    localparam [2:0] WAITING = 3'd6;

    reg [2:0]  state;
    reg [2:0]  funct;
    reg [15:0] origin;
    reg [15:0] destination;
    reg        relu;

    reg [31:0]  rows [0:ROWS-1];
    reg [63:0]  sums [0:ROWS-1];
    reg [31:0]  row;
    reg [63:0]  sum;

    wire taken = cmd_valid && cmd_ready;
    assign cmd_ready = (state == IDLE);

    always @(posedge clock) begin
        if (reset) begin
            funct <= 3'd0;
            origin <= 16'd0;
            destination <= 16'd0;
            relu <= 1'b0;
        end else if (taken) begin
            funct <= cmd_funct;
            origin <= cmd_rs1;
            destination <= cmd_rs2;
            if (cmd_funct == FUNCT_CONFIG) relu <= cmd_rs1[0];
        end
    end

    always @(posedge clock) begin
        if (reset) state <= IDLE;
        else case (state)
            IDLE: if (cmd_valid) case (cmd_funct)
                FUNCT_LOAD:    state <= ASKING;
                FUNCT_WEIGHTS: state <= READING;
                FUNCT_DOT:     state <= READING;
                FUNCT_STORE:   state <= READING;
`ifdef PARTIAL
                FUNCT_FENCE:   state <= IDLE;
                FUNCT_WAIT:    state <= WAITING;
`endif
                default:       state <= IDLE;
            endcase
            ASKING:      if (mem_req_ready) state <= ANSWERED;
            ANSWERED:    if (mem_resp_valid) state <= IDLE;
            READING:     state <= (funct == FUNCT_STORE) ? STORING : MULTIPLYING;
            MULTIPLYING: state <= IDLE;
            STORING:     if (mem_req_ready) state <= IDLE;
            WAITING:     if (go) state <= IDLE;
            default:     state <= IDLE;
        endcase
    end

    // Reads of the local memories take a cycle.
    always @(posedge clock) begin
        if (state == READING) row <= rows[origin[$clog2(ROWS)-1:0]];
    end

    always @(posedge clock) begin
        if (state == READING) sum <= sums[destination[$clog2(ROWS)-1:0]];
    end

    // config clears the weights before the controller has taken the command, the others after they have read a row.
`ifdef CLEAR
    wire clear = taken && cmd_funct == FUNCT_CONFIG && cmd_rs1[1];
`else
    wire clear = 1'b0;
`endif
    wire [63:0] product;
    Dot2 dot (
        .clock(clock), .reset(reset), .clear(clear),
        .load(state == MULTIPLYING && funct == FUNCT_WEIGHTS), .relu(relu), .a(row), .c(product)
    );

    always @(posedge clock) begin
        if (state == ANSWERED && mem_resp_valid) rows[destination[$clog2(ROWS)-1:0]] <= mem_resp_data[31:0];
    end

    always @(posedge clock) begin
        if (state == MULTIPLYING && funct == FUNCT_DOT) sums[destination[$clog2(ROWS)-1:0]] <= product;
    end

    assign mem_req_valid = (state == ASKING) || (state == STORING);
    assign mem_req_write = (state == STORING);
    assign mem_req_addr = origin;
    assign mem_req_mask = 16'h00ff;
    assign mem_req_data = {64'd0, sum};
endmodule
