// Registers on an APB, without wait states.
module ApbTop (
    input PCLK, input PRESETn,
    input PSEL, input PENABLE, input PWRITE, input [5:0] PADDR, input [31:0] PWDATA, input [3:0] PSTRB, output PREADY, output [31:0] PRDATA, output PSLVERR,
    output mem_req_valid, input mem_req_ready, output mem_req_we, output [31:0] mem_req_addr, output [31:0] mem_req_wdata,
    input mem_resp_valid, input [31:0] mem_resp_rdata
);
    assign PREADY = 1'b1;
    assign PSLVERR = 1'b0;
    assign PRDATA = 32'd0;
    Registers registers (
        .clk(PCLK), .resetn(PRESETn), .write(PSEL && PENABLE && PWRITE), .address(PADDR), .data(PWDATA), .mem_req_valid(mem_req_valid),
        .mem_req_ready(mem_req_ready), .mem_req_we(mem_req_we), .mem_req_addr(mem_req_addr), .mem_req_wdata(mem_req_wdata),
        .mem_resp_valid(mem_resp_valid), .mem_resp_rdata(mem_resp_rdata)
    );
endmodule
