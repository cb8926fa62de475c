// Registers behind a bare strobe.
module StrobeTop (
    input clk, input rst_n, input cfg_wr_en, input [5:0] cfg_wr_addr, input [31:0] cfg_wr_data,
    output mem_req_valid, input mem_req_ready, output mem_req_we, output [31:0] mem_req_addr, output [31:0] mem_req_wdata,
    input mem_resp_valid, input [31:0] mem_resp_rdata
);
    Registers registers (
        .clk(clk), .resetn(rst_n), .write(cfg_wr_en), .address(cfg_wr_addr), .data(cfg_wr_data), .mem_req_valid(mem_req_valid),
        .mem_req_ready(mem_req_ready), .mem_req_we(mem_req_we), .mem_req_addr(mem_req_addr), .mem_req_wdata(mem_req_wdata),
        .mem_resp_valid(mem_resp_valid), .mem_resp_rdata(mem_resp_rdata)
    );
endmodule
