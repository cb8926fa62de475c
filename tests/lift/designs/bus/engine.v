// Words of memory through a local buffer: loaded, scaled and offset in place, stored.
module Engine (
    input clk, input resetn,
    input load, input start, input store, input relu,
    input [31:0] source, input [31:0] target, input [6:0] count, input signed [15:0] scale, input signed [31:0] offset,
    output busy,
    output mem_req_valid, input mem_req_ready, output mem_req_we, output [31:0] mem_req_addr, output [31:0] mem_req_wdata,
    input mem_resp_valid, input [31:0] mem_resp_rdata
);
    localparam IDLE = 3'd0, READ = 3'd1, WAIT = 3'd2, COMPUTE = 3'd3, WRITE = 3'd4;
    reg [2:0] state;
    reg [6:0] index;
    reg clip;
    reg signed [31:0] words [0:63];
    wire signed [31:0] word = words[index[5:0]];
    wire signed [31:0] scaled = $signed(word[15:0]) * scale + offset;
    wire [6:0] next = index + 7'd1;
    assign busy = state != IDLE;
    assign mem_req_valid = state == READ || state == WRITE;
    assign mem_req_we = state == WRITE;
    assign mem_req_addr = (state == WRITE ? target : source) + {index, 2'b00};
    assign mem_req_wdata = word;
    always @(posedge clk)
        if (!resetn) state <= IDLE;
        else case (state)
            IDLE: if ((load || start || store) && count != 0) begin
                index <= 0;
                clip <= relu;
                state <= load ? READ : start ? COMPUTE : WRITE;
            end
            READ: if (mem_req_ready) state <= WAIT;
            WAIT: if (mem_resp_valid) begin words[index[5:0]] <= mem_resp_rdata; index <= next; state <= next == count ? IDLE : READ; end
            COMPUTE: begin words[index[5:0]] <= clip && scaled < 0 ? 0 : scaled; index <= next; if (next == count) state <= IDLE; end
            WRITE: if (mem_req_ready) begin index <= next; if (next == count) state <= IDLE; end
            default: state <= IDLE;
        endcase
endmodule

// The registers behind every bus: writes to LOAD, START and STORE begin something.
module Registers (
    input clk, input resetn, input write, input [5:0] address, input [31:0] data,
    output mem_req_valid, input mem_req_ready, output mem_req_we, output [31:0] mem_req_addr, output [31:0] mem_req_wdata,
    input mem_resp_valid, input [31:0] mem_resp_rdata
);
    localparam SOURCE = 6'h00, TARGET = 6'h04, COUNT = 6'h08, SCALE = 6'h0c, OFFSET = 6'h10, LOAD = 6'h14, START = 6'h18, STORE = 6'h1c;
    reg [31:0] source, target, offset;
    reg [15:0] scale;
    reg [6:0] count;
    wire busy;
    always @(posedge clk)
        if (!resetn) begin source <= 0; target <= 0; offset <= 0; scale <= 0; count <= 0; end
        else if (write && !busy) case (address)
            SOURCE: source <= data;
            TARGET: target <= data;
            COUNT: count <= data[6:0] > 7'd64 ? 7'd64 : data[6:0];
            SCALE: scale <= data[15:0];
            OFFSET: offset <= data;
            default: ;
        endcase
    Engine engine (
        .clk(clk), .resetn(resetn), .load(write && address == LOAD), .start(write && address == START), .store(write && address == STORE), .relu(data[0]),
        .source(source), .target(target), .count(count), .scale(scale), .offset(offset),
        .busy(busy), .mem_req_valid(mem_req_valid), .mem_req_ready(mem_req_ready), .mem_req_we(mem_req_we), .mem_req_addr(mem_req_addr),
        .mem_req_wdata(mem_req_wdata), .mem_resp_valid(mem_resp_valid), .mem_resp_rdata(mem_resp_rdata)
    );
endmodule
