// Registers on an AXI4-Lite port: address and data are kept until both are there, the answer until it is taken.
module AxiLiteTop (
    input aclk, input aresetn,
    input s_axi_awvalid, output s_axi_awready, input [5:0] s_axi_awaddr, input [2:0] s_axi_awprot,
    input s_axi_wvalid, output s_axi_wready, input [31:0] s_axi_wdata, input [3:0] s_axi_wstrb,
    output reg s_axi_bvalid, input s_axi_bready, output [1:0] s_axi_bresp,
    input s_axi_arvalid, output s_axi_arready, input [5:0] s_axi_araddr, output reg s_axi_rvalid, input s_axi_rready, output [31:0] s_axi_rdata,
    output mem_req_valid, input mem_req_ready, output mem_req_we, output [31:0] mem_req_addr, output [31:0] mem_req_wdata,
    input mem_resp_valid, input [31:0] mem_resp_rdata
);
    reg has_address, has_data;
    reg [5:0] address;
    reg [31:0] data;
    wire write = has_address && has_data && !s_axi_bvalid;
    assign s_axi_awready = !has_address;
    assign s_axi_wready = !has_data;
    assign s_axi_bresp = 2'b00;
    assign s_axi_arready = !s_axi_rvalid;
    assign s_axi_rdata = 32'd0;
    always @(posedge aclk)
        if (!aresetn) begin has_address <= 0; has_data <= 0; s_axi_bvalid <= 0; s_axi_rvalid <= 0; end
        else begin
            if (s_axi_awvalid && s_axi_awready) begin has_address <= 1; address <= s_axi_awaddr; end
            if (s_axi_wvalid && s_axi_wready) begin has_data <= 1; data <= s_axi_wdata; end
            if (write) begin has_address <= 0; has_data <= 0; s_axi_bvalid <= 1; end
            if (s_axi_bvalid && s_axi_bready) s_axi_bvalid <= 0;
            if (s_axi_arvalid && s_axi_arready) s_axi_rvalid <= 1;
            if (s_axi_rvalid && s_axi_rready) s_axi_rvalid <= 0;
        end
    Registers registers (
        .clk(aclk), .resetn(aresetn), .write(write), .address(address), .data(data), .mem_req_valid(mem_req_valid), .mem_req_ready(mem_req_ready),
        .mem_req_we(mem_req_we), .mem_req_addr(mem_req_addr), .mem_req_wdata(mem_req_wdata), .mem_resp_valid(mem_resp_valid), .mem_resp_rdata(mem_resp_rdata)
    );
endmodule
