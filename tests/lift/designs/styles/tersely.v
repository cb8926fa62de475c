// Names of ports without underscores, one-hot states, a reset at low level; requests are acknowledged, data comes later.
module tersely (clk, rstb, ivld, irdy, icode, iarg, areq, aack, aadr, awr, adat, rvld, rdat);
    input clk, rstb;
    input ivld;
    output irdy;
    input [3:0] icode;
    input [27:0] iarg;
    output areq;
    input aack;
    output [15:0] aadr;
    output awr;
    output [15:0] adat;
    input rvld;
    input [15:0] rdat;
    parameter S0 = 4'b0001, S1 = 4'b0010, S2 = 4'b0100, S3 = 4'b1000;
    reg [3:0] cs;
    reg [15:0] acc, adr;
    assign irdy = cs[0];
    assign areq = cs[1] | cs[3];
    assign awr = cs[3];
    assign aadr = adr;
    assign adat = acc;
    always @(posedge clk or negedge rstb)
        if (~rstb) begin
            cs <= S0;
            acc <= 16'd0;
        end else case (1'b1)
            cs[0]: if (ivld) begin
                adr <= iarg[15:0];
                case (icode)
                    4'd1: cs <= S1;
                    4'd2: cs <= S3;
                    4'd4: acc <= 16'd0;
                endcase
            end
            cs[1]: if (aack) cs <= S2;
            cs[2]: if (rvld) begin
                acc <= acc + rdat;
                cs <= S0;
            end
            cs[3]: if (aack) cs <= S0;
        endcase
endmodule
