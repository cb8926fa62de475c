// Eight lanes of bytes in 64 vector registers: elementwise operations, an immediate, reductions.
module Vector #(parameter LANES = 8) (
    input clock, input reset,
    input io_cmd_valid, output io_cmd_ready,
    input [3:0] io_cmd_bits_op, input [5:0] io_cmd_bits_vd, input [5:0] io_cmd_bits_vs1, input [5:0] io_cmd_bits_vs2,
    input [31:0] io_cmd_bits_addr,
    output io_mem_req_valid, input io_mem_req_ready, output io_mem_req_bits_we, output [31:0] io_mem_req_bits_addr,
    output [8*LANES-1:0] io_mem_req_bits_data,
    input io_mem_resp_valid, input [8*LANES-1:0] io_mem_resp_bits_data
);
    localparam VADD = 4'd0, VMAX = 4'd1, VRELU = 4'd2, VLOAD = 4'd3, VSTORE = 4'd4, VREDMAX = 4'd5, VMINU = 4'd6, VAND = 4'd7, VADDI = 4'd8,
               VSRA = 4'd9, VSEL = 4'd10, VSUM = 4'd11, VREVERSE = 4'd12, VMULI = 4'd13, VSPLAT = 4'd14, VLEAKY = 4'd15;
    reg [8*LANES-1:0] regs [0:63];
    reg [1:0] state;
    reg [3:0] op;
    reg [5:0] vd, vs1, vs2;
    reg [31:0] addr;
    wire [8*LANES-1:0] x = regs[vs1];
    wire [8*LANES-1:0] y = regs[vs2];
    wire [7:0] immediate = addr[7:0];
    reg [8*LANES-1:0] z;
    integer i;
    reg signed [7:0] p, q, m;
    reg signed [8:0] s;
    reg [7:0] total;
    always @* begin
        z = 0;
        m = -8'sd128;
        total = 8'd0;
        for (i = 0; i < LANES; i = i + 1) begin
            p = x[8*i +: 8];
            if (p > m) m = p;
            total = total + p;
        end
        for (i = 0; i < LANES; i = i + 1) begin
            p = x[8*i +: 8];
            q = y[8*i +: 8];
            s = p + q;
            case (op)
                VADD: z[8*i +: 8] = s > 127 ? 8'sd127 : s < -128 ? -8'sd128 : s[7:0];
                VMAX: z[8*i +: 8] = p > q ? p : q;
                VRELU: z[8*i +: 8] = p < 0 ? 8'd0 : p;
                VREDMAX: z[8*i +: 8] = m;
                VMINU: z[8*i +: 8] = x[8*i +: 8] < y[8*i +: 8] ? x[8*i +: 8] : y[8*i +: 8];
                VAND: z[8*i +: 8] = p & ~q;
                VADDI: z[8*i +: 8] = p + immediate;
                VSRA: z[8*i +: 8] = p >>> 3;
                VSEL: z[8*i +: 8] = p != q && q > 8'sd10 ? p : 8'd7;
                VSUM: z[8*i +: 8] = total;
                VREVERSE: z[8*i +: 8] = x[8*(LANES-1-i) +: 8];
                VMULI: z[8*i +: 8] = x[8*i +: 8] * immediate;
                VSPLAT: z[8*i +: 8] = immediate;
                VLEAKY: z[8*i +: 8] = p < 0 ? p >>> 2 : p;
                default: z[8*i +: 8] = 8'd0;
            endcase
        end
    end
    assign io_cmd_ready = state == 0;
    assign io_mem_req_valid = state == 1;
    assign io_mem_req_bits_we = op == VSTORE;
    assign io_mem_req_bits_addr = addr;
    assign io_mem_req_bits_data = x;
    always @(posedge clock) begin
        if (reset) state <= 0;
        else case (state)
            0: if (io_cmd_valid) begin
                op <= io_cmd_bits_op;
                vd <= io_cmd_bits_vd;
                vs1 <= io_cmd_bits_vs1;
                vs2 <= io_cmd_bits_vs2;
                addr <= io_cmd_bits_addr;
                state <= (io_cmd_bits_op == VLOAD || io_cmd_bits_op == VSTORE) ? 1 : 3;
            end
            1: if (io_mem_req_ready) state <= op == VSTORE ? 0 : 2;
            2: if (io_mem_resp_valid) begin regs[vd] <= io_mem_resp_bits_data; state <= 0; end
            default: begin regs[vd] <= z; state <= 0; end
        endcase
    end
endmodule
