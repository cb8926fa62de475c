// Commands wait in a queue; rows of a buffer are addressed by bits side by side; a stage behind the buffer is clear between commands; functions that
// nobody lists move a row.
module queue (input clk, input rst, input in_valid, output in_ready, input [47:0] in_data, output out_valid, input out_ready, output [47:0] out_data);
    reg [47:0] slots [0:3];
    reg [2:0] wp, rp;
    assign in_ready = (wp - rp) != 4;
    assign out_valid = wp != rp;
    assign out_data = slots[rp[1:0]];
    always @(posedge clk)
        if (rst) begin wp <= 0; rp <= 0; end
        else begin
            if (in_valid && in_ready) begin slots[wp[1:0]] <= in_data; wp <= wp + 1'b1; end
            if (out_valid && out_ready) rp <= rp + 1'b1;
        end
endmodule

module queued (
    input clk, input rst, input cmd_valid, output cmd_ready, input [47:0] cmd_data,
    output mem_req_valid, input mem_req_ready, output mem_req_write, output [31:0] mem_req_addr, output [31:0] mem_req_wdata,
    input mem_resp_valid, input [31:0] mem_resp_rdata
);
    localparam OP_LOAD = 2'd0, OP_RUN = 2'd1, OP_STORE = 2'd2;
    localparam IDLE = 0, ASK = 1, WAIT = 2, RUN = 3, PUT = 4;
    wire valid;
    wire [47:0] command;
    reg [2:0] state;
    queue waiting (clk, rst, cmd_valid, cmd_ready, cmd_data, valid, state == IDLE, command);
    reg [31:0] rows [0:31];
    reg [47:0] now;
    reg [2:0] count;
    reg [31:0] staged;  // a pipeline stage that ends empty
    wire [1:0] op = now[47:46];
    wire [2:0] funct = now[45:43], from = now[42:40], to = now[39:37];
    reg [31:0] result;
    integer n;
    always @* begin
        result = 0;
        for (n = 0; n < 4; n = n + 1)
            case (funct)
                3'd0: result[8*n +: 8] = staged[8*n +: 8] + 8'd1;
                3'd1: result[8*n +: 8] = $signed(staged[8*n +: 8]) < 0 ? 8'd0 : staged[8*n +: 8];
                default: result[8*n +: 8] = staged[8*n +: 8];
            endcase
    end
    assign mem_req_valid = state == ASK || state == PUT;
    assign mem_req_write = state == PUT;
    assign mem_req_addr = now[31:0] + {count, 2'b00};
    assign mem_req_wdata = rows[{from, count[1:0]}];
    always @(posedge clk)
        if (rst) begin state <= IDLE; staged <= 0; end
        else case (state)
            IDLE: begin
                count <= 0;
                if (valid) begin
                    now <= command;
                    case (command[47:46])
                        OP_LOAD: state <= ASK;
                        OP_RUN: state <= RUN;
                        OP_STORE: state <= PUT;
                        default: ;
                    endcase
                end
            end
            ASK: if (mem_req_ready) state <= WAIT;
            WAIT: if (mem_resp_valid) begin
                rows[{to, count[1:0]}] <= mem_resp_rdata;
                count <= count + 1;
                state <= count == 3 ? IDLE : ASK;
            end
            RUN: begin
                staged <= count < 4 ? rows[{from, count[1:0]}] : 0;
                if (count != 0) rows[{to, count[1:0] - 2'd1}] <= result;
                count <= count + 1;
                if (count == 4) state <= IDLE;
            end
            PUT: if (mem_req_ready) begin
                count <= count + 1;
                if (count == 3) state <= IDLE;
            end
            default: state <= IDLE;
        endcase
endmodule
