// A small micro-coded accelerator: rows of four bytes, sums of four bytes' products, micro-operations in a buffer of their own.
// Commands: LOAD (rows with padding, or micro-operations), ADD (a loop nest over micro-operations), STORE.
module Micro (
    input  wire        clock,
    input  wire        reset,
    input  wire        cmd_valid,
    output wire        cmd_ready,
    input  wire [63:0] cmd_bits,
    output wire        mem_rd_cmd_valid,
    input  wire        mem_rd_cmd_ready,
    output wire [31:0] mem_rd_cmd_addr,
    output wire [ 7:0] mem_rd_cmd_len,
    input  wire        mem_rd_data_valid,
    output wire        mem_rd_data_ready,
    input  wire [31:0] mem_rd_data_bits,
    output wire        mem_wr_cmd_valid,
    input  wire        mem_wr_cmd_ready,
    output wire [31:0] mem_wr_cmd_addr,
    output wire [ 7:0] mem_wr_cmd_len,
    output wire        mem_wr_data_valid,
    input  wire        mem_wr_data_ready,
    output wire [31:0] mem_wr_data_bits,
    input  wire        mem_wr_ack_valid,
    output wire        mem_wr_ack_ready
);
    localparam OP_LOAD = 2'd0, OP_STORE = 2'd1, OP_ADD = 2'd2;
    localparam IDLE = 4'd0, DECIDE = 4'd1, ASK = 4'd2, TAKE = 4'd3, NEXT = 4'd4, UOP = 4'd5, READ = 4'd6, ACCUMULATE = 4'd7, WRITE = 4'd8, STEP = 4'd9,
        FETCH = 4'd10, SEND = 4'd11, WORD = 4'd12, ACK = 4'd13, MORE = 4'd14;

    reg [3:0] state;
    reg [63:0] cmd;
    reg [7:0] x;
    reg [8:0] y;  // rows and both paddings
    reg [5:0] uop, outer, inner;
    reg [5:0] dst_outer, dst_inner, src_outer, src_inner;
    reg [31:0] row;
    reg [15:0] micro;
    reg [63:0] sum;

    reg [31:0] inp[0:63];
    reg [63:0] acc[0:63];
    reg [15:0] uops[0:63];

    // LOAD and STORE: where, the row in memory, rows, rows of zeros before and after them (head, tail); ADD: micro-operations, loops, strides.
    wire [1:0] op = cmd[1:0];
    wire to_uops = cmd[2];
    wire [5:0] sram = cmd[8:3];
    wire [15:0] dram = cmd[24:9];
    wire [7:0] rows = cmd[32:25];
    wire [3:0] head = cmd[36:33];
    wire [3:0] tail = cmd[40:37];
    wire [5:0] uop_begin = cmd[8:3];
    wire [5:0] uop_end = cmd[14:9];
    wire [5:0] outers = cmd[20:15];
    wire [5:0] inners = cmd[26:21];
    wire [5:0] dst_0 = cmd[32:27];
    wire [5:0] dst_1 = cmd[38:33];
    wire [5:0] src_0 = cmd[44:39];
    wire [5:0] src_1 = cmd[50:45];

    wire [8:0] total = {5'd0, head} + {1'b0, rows} + {5'd0, tail};
    wire padding = y < {5'd0, head} || y >= {5'd0, head} + {1'b0, rows};
    wire [8:0] line = y - {5'd0, head};

    assign cmd_ready = state == IDLE;
    assign mem_rd_cmd_valid = state == ASK;
    assign mem_rd_cmd_addr = {14'd0, dram, 2'd0} + {21'd0, line, 2'd0};
    assign mem_rd_cmd_len = 8'd0;
    assign mem_rd_data_ready = state == TAKE;
    assign mem_wr_cmd_valid = state == SEND;
    assign mem_wr_cmd_addr = {13'd0, dram, 3'd0} + {20'd0, y, 3'd0};
    assign mem_wr_cmd_len = 8'd1;
    assign mem_wr_data_valid = state == WORD;
    assign mem_wr_data_bits = x[0] ? sum[63:32] : sum[31:0];
    assign mem_wr_ack_ready = state == ACK;

    wire [5:0] dst = micro[5:0] + dst_inner;
    wire [5:0] src = micro[11:6] + src_inner;

    integer k;
    always @(posedge clock) begin
        if (reset) begin
            state <= IDLE;
            cmd <= 0;
            x <= 0;
            y <= 0;
            uop <= 0;
            outer <= 0;
            inner <= 0;
            dst_outer <= 0;
            dst_inner <= 0;
            src_outer <= 0;
            src_inner <= 0;
            row <= 0;
            micro <= 0;
            sum <= 0;
        end else case (state)
            IDLE: if (cmd_valid) begin
                cmd <= cmd_bits;
                x <= 0;
                y <= 0;
                uop <= cmd_bits[8:3];
                outer <= 0;
                inner <= 0;
                dst_outer <= 0;
                dst_inner <= 0;
                src_outer <= 0;
                src_inner <= 0;
                state <= cmd_bits[1:0] == OP_LOAD ? DECIDE : cmd_bits[1:0] == OP_ADD ? UOP : cmd_bits[1:0] == OP_STORE ? FETCH : IDLE;
            end
            // LOAD
            DECIDE: if (total == 0) state <= IDLE;
            else if (padding) begin
                row <= 0;
                state <= NEXT;
            end else state <= ASK;
            ASK: if (mem_rd_cmd_ready) state <= TAKE;
            TAKE: if (mem_rd_data_valid) begin
                row <= mem_rd_data_bits;
                state <= NEXT;
            end
            NEXT: begin
                if (to_uops) uops[sram + y[5:0]] <= row[15:0];
                else inp[sram + y[5:0]] <= row;
                y <= y + 1;
                state <= y == total - 9'd1 ? IDLE : DECIDE;
            end
            // ADD
            UOP: begin
                micro <= uops[uop];
                state <= READ;
            end
            READ: begin
                row <= inp[src];
                sum <= acc[dst];
                state <= ACCUMULATE;
            end
            ACCUMULATE: begin
                for (k = 0; k < 4; k = k + 1)
                    sum[16*k+:16] <= sum[16*k+:16] + {{8{row[8*k+7]}}, row[8*k+:8]};
                state <= WRITE;
            end
            WRITE: begin
                acc[dst] <= sum;
                state <= STEP;
            end
            STEP: begin
                state <= UOP;
                if (uop == uop_end - 6'd1) begin
                    uop <= uop_begin;
                    if (inner == inners - 6'd1) begin
                        inner <= 0;
                        dst_outer <= dst_outer + dst_0;
                        dst_inner <= dst_outer + dst_0;
                        src_outer <= src_outer + src_0;
                        src_inner <= src_outer + src_0;
                        if (outer == outers - 6'd1) state <= IDLE;
                        else outer <= outer + 1;
                    end else begin
                        inner <= inner + 1;
                        dst_inner <= dst_inner + dst_1;
                        src_inner <= src_inner + src_1;
                    end
                end else uop <= uop + 1;
            end
            // STORE
            FETCH: begin
                sum <= acc[sram + y[5:0]];
                x <= 0;
                state <= SEND;
            end
            SEND: if (mem_wr_cmd_ready) state <= WORD;
            WORD: if (mem_wr_data_ready) begin
                x <= x + 1;
                if (x[0]) state <= ACK;
            end
            ACK: if (mem_wr_ack_valid) state <= MORE;
            MORE: begin
                y <= y + 1;
                state <= y == {1'b0, rows} - 9'd1 ? IDLE : FETCH;
            end
            default: state <= IDLE;
        endcase
    end
endmodule
