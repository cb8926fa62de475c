// Accumulators in registers: four of one name, and one by itself, that a rectifier works on.
module summing (
    input clk, input rst, input start, input [2:0] opcode, input [1:0] index, input [31:0] a, input [31:0] b, output reg busy, output reg done, output reg [31:0] value
);
    parameter MAC = 3'd0, CLEAR = 3'd1, READ = 3'd2, RECTIFY = 3'd3, TOTAL = 3'd4;
    reg [31:0] acc_0, acc_1, acc_2, acc_3, total;
    function [31:0] dot;
        input [31:0] p, q;
        reg signed [7:0] x, y;
        reg signed [31:0] s;
        integer k;
        begin
            s = 0;
            for (k = 0; k < 4; k = k + 1) begin
                x = p >> (8 * k);
                y = q >> (8 * k);
                s = s + x * y;
            end
            dot = s;
        end
    endfunction
    always @(posedge clk)
        if (rst) begin
            busy <= 0;
            done <= 0;
        end else begin
            done <= busy;
            busy <= start & ~busy;
            if (start & ~busy)
                case (opcode)
                    MAC: case (index)
                        0: acc_0 <= acc_0 + dot(a, b);
                        1: acc_1 <= acc_1 + dot(a, b);
                        2: acc_2 <= acc_2 + dot(a, b);
                        3: acc_3 <= acc_3 + dot(a, b);
                    endcase
                    CLEAR: case (index)
                        0: acc_0 <= 0;
                        1: acc_1 <= 0;
                        2: acc_2 <= 0;
                        3: acc_3 <= 0;
                    endcase
                    READ: case (index)
                        0: value <= acc_0;
                        1: value <= acc_1;
                        2: value <= acc_2;
                        3: value <= acc_3;
                    endcase
                    RECTIFY: if (total[31]) total <= 0;
                    TOTAL: begin
                        total <= total + dot(a, b);
                        value <= total;
                    end
                endcase
        end
endmodule
