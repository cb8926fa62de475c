// The loop nest of GEMM and ALU: for o < lp_0, for i < lp_1, for each micro-op in [uop_begin, uop_end).
// A loop ends when its counter equals the bound - 1: a bound of 0 (uop_end = uop_begin for the micro-ops) means 2**14
// iterations. After the last iteration all counters are zero again.
module MicroOpLoop (
    input  wire        clock,
    input  wire        reset,
    input  wire        start,
    input  wire        advance,
    input  wire [12:0] uop_begin,
    input  wire [13:0] uop_end,
    input  wire [13:0] lp_0,
    input  wire [13:0] lp_1,
    output reg  [13:0] uop_index,
    output wire        next_i,
    output wire        next_o,
    output wire        last
);
    reg [13:0] cnt_o;
    reg [13:0] cnt_i;

    wire last_uop = (uop_index == uop_end - 14'd1);
    wire last_i   = (cnt_i == lp_1 - 14'd1);
    wire last_o   = (cnt_o == lp_0 - 14'd1);

    assign next_i = advance && last_uop && !last_i;
    assign next_o = advance && last_uop && last_i && !last_o;
    assign last   = last_uop && last_i && last_o;

    always @(posedge clock) begin
        if (reset) begin
            uop_index <= 14'd0;
            cnt_i <= 14'd0;
            cnt_o <= 14'd0;
        end else if (start) begin
            uop_index <= {1'b0, uop_begin};
        end else if (advance) begin
            if (last) begin
                uop_index <= 14'd0;
                cnt_i <= 14'd0;
                cnt_o <= 14'd0;
            end else if (last_uop) begin
                uop_index <= {1'b0, uop_begin};
                cnt_i <= last_i ? 14'd0 : cnt_i + 14'd1;
                if (last_i) cnt_o <= cnt_o + 14'd1;
            end else begin
                uop_index <= uop_index + 14'd1;
            end
        end
    end
endmodule
