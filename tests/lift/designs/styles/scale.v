// In the style of high-level synthesis: ap_start and ap_done, operands in memories that are asked for a word and answer in the next cycle.
`timescale 1 ns / 1 ps
module scale (ap_clk, ap_rst, ap_start, ap_done, ap_idle, ap_ready, a_address0, a_ce0, a_q0, factor, ap_return);
    parameter ap_ST_fsm_state1 = 3'd1;
    parameter ap_ST_fsm_state2 = 3'd2;
    parameter ap_ST_fsm_state3 = 3'd4;
    input ap_clk, ap_rst, ap_start;
    output ap_done, ap_idle, ap_ready;
    output [7:0] a_address0;
    output a_ce0;
    input [31:0] a_q0;
    input [31:0] factor;
    output [31:0] ap_return;
    (* fsm_encoding = "none" *) reg [2:0] ap_CS_fsm;
    reg [2:0] ap_NS_fsm;
    reg [31:0] mul_reg_61;
    wire ap_CS_fsm_state1 = ap_CS_fsm[32'd0];
    wire ap_CS_fsm_state2 = ap_CS_fsm[32'd1];
    wire ap_CS_fsm_state3 = ap_CS_fsm[32'd2];
    initial begin
        #0 ap_CS_fsm = 3'd1;
    end
    always @(posedge ap_clk) if (ap_rst == 1'b1) ap_CS_fsm <= ap_ST_fsm_state1; else ap_CS_fsm <= ap_NS_fsm;
    always @(posedge ap_clk) if (1'b1 == ap_CS_fsm_state2) mul_reg_61 <= $signed(a_q0) * $signed(factor);
    always @(*) begin
        case (ap_CS_fsm)
            ap_ST_fsm_state1: ap_NS_fsm = (ap_start == 1'b1) ? ap_ST_fsm_state2 : ap_ST_fsm_state1;
            ap_ST_fsm_state2: ap_NS_fsm = ap_ST_fsm_state3;
            ap_ST_fsm_state3: ap_NS_fsm = ap_ST_fsm_state1;
            default: ap_NS_fsm = 'bx;
        endcase
    end
    assign a_ce0 = ap_CS_fsm_state1 & ap_start;
    assign a_address0 = factor[15:8];
    assign ap_done = ap_CS_fsm_state3;
    assign ap_ready = ap_CS_fsm_state3;
    assign ap_idle = ~ap_start & ap_CS_fsm_state1;
    assign ap_return = mul_reg_61;
endmodule
