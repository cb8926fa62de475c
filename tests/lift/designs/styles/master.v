// Commands in capitals; an AXI master that reads and writes as many words as a command says.  BURST = 0: it says that all beats are at one address.
module master #(parameter BURST = 1) (
    input             CLK,
    input             RST,
    input             CMD_VALID,
    output            CMD_READY,
    input      [51:0] CMD,
    output            m_axi_arvalid,
    input             m_axi_arready,
    output     [31:0] m_axi_araddr,
    output     [7:0]  m_axi_arlen,
    output     [1:0]  m_axi_arburst,
    input             m_axi_rvalid,
    output            m_axi_rready,
    input      [1:0]  m_axi_rresp,
    input      [31:0] m_axi_rdata,
    input             m_axi_rlast,
    output            m_axi_awvalid,
    input             m_axi_awready,
    output     [31:0] m_axi_awaddr,
    output     [7:0]  m_axi_awlen,
    output     [1:0]  m_axi_awburst,
    output            m_axi_wvalid,
    input             m_axi_wready,
    output     [31:0] m_axi_wdata,
    output     [3:0]  m_axi_wstrb,
    output            m_axi_wlast,
    input             m_axi_bvalid,
    output            m_axi_bready,
    input      [1:0]  m_axi_bresp
);
    localparam LOAD = 4'd1, STORE = 4'd2, ADD = 4'd3;
    localparam IDLE = 0, AR = 1, R = 2, AW = 3, W = 4, B = 5, SUM = 6;
    reg [31:0] rows [0:255];
    reg [2:0] state;
    reg [7:0] len, row, k;
    reg [31:0] where;
    assign CMD_READY = state == IDLE;
    assign m_axi_arvalid = state == AR;
    assign m_axi_araddr = where;
    assign m_axi_arlen = len;
    assign m_axi_arburst = BURST;
    assign m_axi_rready = state == R;
    assign m_axi_awvalid = state == AW;
    assign m_axi_awaddr = where;
    assign m_axi_awlen = len;
    assign m_axi_awburst = BURST;
    assign m_axi_wvalid = state == W;
    assign m_axi_wdata = rows[row + k];
    assign m_axi_wstrb = 4'hf;
    assign m_axi_wlast = k == len;
    assign m_axi_bready = state == B;
    always @(posedge CLK)
        if (RST) state <= IDLE;
        else case (state)
            IDLE: if (CMD_VALID) begin
                len <= CMD[47:40];
                row <= CMD[39:32];
                where <= CMD[31:0];
                k <= 0;
                case (CMD[51:48])
                    LOAD: state <= AR;
                    STORE: state <= AW;
                    ADD: state <= SUM;
                endcase
            end
            AR: if (m_axi_arready) state <= R;
            R: if (m_axi_rvalid) begin
                rows[row + k] <= m_axi_rdata;
                k <= k + 1;
                if (m_axi_rlast) state <= IDLE;
            end
            AW: if (m_axi_awready) state <= W;
            W: if (m_axi_wready) begin
                k <= k + 1;
                if (m_axi_wlast) state <= B;
            end
            B: if (m_axi_bvalid) state <= IDLE;
            SUM: begin
                rows[row + k] <= rows[row + k] + where;
                k <= k + 1;
                if (k == len) state <= IDLE;
            end
        endcase
endmodule
