// Registers on a Wishbone bus, acknowledged a cycle later; an address is one of words.
module WishboneTop (
    input wb_clk_i, input wb_rst_i,
    input wb_cyc_i, input wb_stb_i, input wb_we_i, input [3:0] wb_adr_i, input [31:0] wb_dat_i, input [3:0] wb_sel_i, output reg wb_ack_o, output [31:0] wb_dat_o,
    output mem_req_valid, input mem_req_ready, output mem_req_we, output [31:0] mem_req_addr, output [31:0] mem_req_wdata,
    input mem_resp_valid, input [31:0] mem_resp_rdata
);
    wire taken = wb_cyc_i && wb_stb_i && !wb_ack_o;
    assign wb_dat_o = 32'd0;
    always @(posedge wb_clk_i)
        if (wb_rst_i) wb_ack_o <= 0;
        else wb_ack_o <= taken;
    Registers registers (
        .clk(wb_clk_i), .resetn(!wb_rst_i), .write(taken && wb_we_i), .address({wb_adr_i, 2'b00}), .data(wb_dat_i), .mem_req_valid(mem_req_valid),
        .mem_req_ready(mem_req_ready), .mem_req_we(mem_req_we), .mem_req_addr(mem_req_addr), .mem_req_wdata(mem_req_wdata),
        .mem_resp_valid(mem_resp_valid), .mem_resp_rdata(mem_resp_rdata)
    );
endmodule
