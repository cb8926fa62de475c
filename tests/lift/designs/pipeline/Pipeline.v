// Z[a + i] += X[b + i] * Y[c + i], one a cycle: indices, words, products, sums and writes are in different cycles, several iterations under way at once.
module Pipeline (
    input clock, input reset,
    input cmd_valid, output cmd_ready,
    input [1:0] cmd_op, input [5:0] cmd_a, input [5:0] cmd_b, input [5:0] cmd_c, input [6:0] cmd_n, input [31:0] cmd_addr,
    output mem_req_valid, input mem_req_ready, output mem_req_write, output [31:0] mem_req_addr, output [31:0] mem_req_data,
    input mem_resp_valid, input [31:0] mem_resp_data
);
    localparam LOAD_X = 2'd0, LOAD_Y = 2'd1, STORE_Z = 2'd2, MULTIPLY = 2'd3;
    localparam IDLE = 3'd0, ASK = 3'd1, ANSWER = 3'd2, SAY = 3'd3, RUN = 3'd4, DRAIN = 3'd5;
    reg [7:0] x [0:63];
    reg [7:0] y [0:63];
    reg [31:0] z [0:63];
    reg [2:0] state;
    reg [1:0] op;
    reg [5:0] a, b, c;
    reg [6:0] n, i;
    reg [31:0] addr;

    wire [5:0] at_z = a + i[5:0], at_x = b + i[5:0], at_y = c + i[5:0];

    // The iterations under way: issued and not yet written.
    reg [2:0] inflight;
    wire issue = state == RUN;
    wire last = i == n - 7'd1;

    // Cycle 1: words of x and y.  Cycle 2: the product, and the word of z.  Cycle 3: the sum is written.
    reg valid1, valid2;
    reg [7:0] word_x, word_y;
    reg [5:0] at1, at2;
    reg signed [15:0] product;
    reg [31:0] word_z;
    reg valid3;
    reg [5:0] at3;
    reg [31:0] sum3;
    wire bypass = valid3 && valid2 && at3 == at2;
    wire [31:0] sum = {{16{product[15]}}, product} + (bypass ? sum3 : word_z);

    assign cmd_ready = state == IDLE;
    assign mem_req_valid = state == ASK || state == SAY;
    assign mem_req_write = state == SAY;
    assign mem_req_addr = addr + {23'd0, i, 2'b00};
    assign mem_req_data = z[at_z];

    always @(posedge clock) begin
        valid1 <= issue;
        valid2 <= valid1;
        valid3 <= valid2;
        word_x <= x[at_x];
        word_y <= y[at_y];
        at1 <= at_z;
        if (valid1) begin
            product <= $signed(word_x) * $signed(word_y);
            word_z <= z[at1];
            at2 <= at1;
        end
        if (valid2) begin
            z[at2] <= sum;
            at3 <= at2;
            sum3 <= sum;
        end
        if (issue && !valid2) inflight <= inflight + 3'd1;
        else if (!issue && valid2) inflight <= inflight - 3'd1;

        case (state)
            IDLE: if (cmd_valid && cmd_n != 0) begin
                op <= cmd_op;
                a <= cmd_a;
                b <= cmd_b;
                c <= cmd_c;
                n <= cmd_n;
                addr <= cmd_addr;
                i <= 7'd0;
                state <= cmd_op == MULTIPLY ? RUN : cmd_op == STORE_Z ? SAY : ASK;
            end
            ASK: if (mem_req_ready) state <= ANSWER;
            ANSWER: if (mem_resp_valid) begin
                if (op == LOAD_X) x[at_x] <= mem_resp_data[7:0];
                else y[at_y] <= mem_resp_data[7:0];
                i <= i + 7'd1;
                state <= last ? IDLE : ASK;
            end
            SAY: if (mem_req_ready) begin
                i <= i + 7'd1;
                if (last) state <= IDLE;
            end
            RUN: begin
                i <= i + 7'd1;
                if (last) state <= DRAIN;
            end
            DRAIN: if (inflight == 0) state <= IDLE;
        endcase

        if (reset) begin
            state <= IDLE;
            inflight <= 3'd0;
            valid1 <= 1'b0;
            valid2 <= 1'b0;
            valid3 <= 1'b0;
        end
    end
endmodule
