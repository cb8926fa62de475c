// Words shifted together from bytes over four cycles, and shifted out again; sums shifted to the right and rounded, a shift of 0 being a case apart; bytes
// put into a ring, from where its counter stands.
module Packing (
    input clock, input reset,
    input cmd_valid, output cmd_ready,
    input [1:0] cmd_op, input [31:0] cmd_a, input [31:0] cmd_b
);
    localparam PACK = 2'd0, UNPACK = 2'd1, ROUND = 2'd2, ENTER = 2'd3;
    reg [7:0] bytes [0:255];
    reg [31:0] words [0:63];
    reg [31:0] sums [0:63];
    reg [15:0] results [0:63];
    reg [7:0] ring [0:15];
    reg [1:0] op, k;
    reg busy;
    reg [7:0] place;
    reg [5:0] word, count, i;
    reg [3:0] turn;
    reg [4:0] shift;
    reg [23:0] part;
    wire [7:0] at = op == ENTER ? place + {2'd0, i} : place + {i, k};
    wire [5:0] to = word + i;
    wire [7:0] element = bytes[at];
    wire [31:0] whole = words[to];
    wire signed [31:0] sum = sums[to];
    wire signed [31:0] rounded = shift == 5'd0 ? sum : (sum + (32'sd1 <<< (shift - 5'd1))) >>> shift;
    wire [5:0] last = count - 6'd1;
    wire step = k == 2'd3 || op == ROUND || op == ENTER;
    assign cmd_ready = !busy;

    always @(posedge clock) begin
        if (reset) begin
            busy <= 1'b0;
            i <= 6'd0;
            k <= 2'd0;
        end else if (!busy) begin
            if (cmd_valid) begin
                op <= cmd_op;
                place <= cmd_a[7:0];
                count <= cmd_a[21:16];
                word <= cmd_b[5:0];
                turn <= cmd_b[11:8];
                shift <= cmd_b[20:16];
                busy <= cmd_a[21:16] != 6'd0;
            end
        end else begin
            turn <= turn + 4'd1;
            k <= step ? 2'd0 : k + 2'd1;
            if (step) i <= i == last ? 6'd0 : i + 6'd1;
            if (step && i == last) busy <= 1'b0;
        end
    end

    always @(posedge clock) if (busy) case (op)
        PACK: begin
            part <= {element, part[23:8]};
            if (k == 2'd3) words[to] <= {element, part};
        end
        UNPACK: begin
            part <= k == 2'd0 ? whole[31:8] : {8'd0, part[23:8]};
            bytes[at] <= k == 2'd0 ? whole[7:0] : part[7:0];
        end
        ROUND: results[to] <= rounded[15:0];
        default: ring[turn] <= element;
    endcase
endmodule
