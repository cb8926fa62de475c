// Adds up numbers; what it says is what it said last, and goes into the next sum.
module Echo (
    input             clock, reset,
    input             cmd_valid,
    output            cmd_ready,
    input      [1:0]  cmd_op,
    input      [7:0]  cmd_a,
    output reg        resp_valid,
    input             resp_ready,
    output reg [15:0] resp_data
);
    localparam ADD = 2'd0, SEND = 2'd1, CLEAR = 2'd2;
    reg [15:0] total;
    assign cmd_ready = !resp_valid;
    wire fire = cmd_valid && cmd_ready;
    always @(posedge clock)
        if (reset) begin
            total <= 0;
            resp_valid <= 0;
            resp_data <= 0;
        end
        else begin
            if (resp_valid && resp_ready) resp_valid <= 0;
            if (fire) case (cmd_op)
                ADD: total <= total + cmd_a + resp_data;
                SEND: begin resp_valid <= 1; resp_data <= total; end
                CLEAR: total <= 0;
                default: ;
            endcase
        end
endmodule
