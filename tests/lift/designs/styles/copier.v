// Registers that are called like the words of commands and a memory like the memory port; states are plain integers, ports carry their direction.
module copier (
    input             clk_i,
    input             rst_ni,
    input             cmd_vld_i,
    output            cmd_rdy_o,
    input      [1:0]  cmd_op_i,
    input      [7:0]  cmd_len_i,
    input      [31:0] cmd_addr_i,
    output            mem_req_o,
    input             mem_gnt_i,
    output            mem_we_o,
    output     [31:0] mem_addr_o,
    output     [7:0]  mem_wdata_o,
    input             mem_rvalid_i,
    input      [7:0]  mem_rdata_i
);
    localparam FILL = 0, SPILL = 1, SCALE = 2, AGAIN = 3;
    localparam IDLE = 0, ASK = 1, WAIT = 2, WRITE = 3;
    reg [7:0] mem [0:255];
    reg [1:0] state, op;
    reg [7:0] len, pos, scale;
    reg [31:0] addr;
    assign cmd_rdy_o = state == IDLE;
    assign mem_req_o = state == ASK || state == WRITE;
    assign mem_we_o = state == WRITE;
    assign mem_addr_o = addr + pos;
    assign mem_wdata_o = mem[pos] + scale;
    always @(posedge clk_i or negedge rst_ni)
        if (!rst_ni) state <= IDLE;
        else case (state)
            IDLE: if (cmd_vld_i) begin
                op <= cmd_op_i;
                pos <= 0;
                case (cmd_op_i)
                    FILL, SPILL: begin
                        len <= cmd_len_i;
                        addr <= cmd_addr_i;
                        state <= cmd_len_i == 0 ? IDLE : cmd_op_i == FILL ? ASK : WRITE;
                    end
                    SCALE: scale <= cmd_len_i;
                    AGAIN: state <= len == 0 ? IDLE : WRITE;
                endcase
            end
            ASK: if (mem_gnt_i) state <= WAIT;
            WAIT: if (mem_rvalid_i) begin
                mem[pos] <= mem_rdata_i;
                pos <= pos + 1;
                state <= (pos + 8'd1 == len) ? IDLE : ASK;
            end
            WRITE: if (mem_gnt_i) begin
                pos <= pos + 1;
                state <= (pos + 8'd1 == len) ? IDLE : WRITE;
            end
        endcase
endmodule
