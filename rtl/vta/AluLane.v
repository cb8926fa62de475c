// One lane of the ALU: MIN, MAX, ADD (wrapping) and shifts of signed 32-bit numbers. Shifts look at five bits of the amount;
// to the left it is the negated b that counts, as b is then a negative amount.
module AluLane (
    input  wire [1:0]  op,
    input  wire        shift_left,
    input  wire [31:0] a,
    input  wire [31:0] b,
    output reg  [31:0] y
);
    localparam [1:0] ALU_MIN = 2'd0;
    localparam [1:0] ALU_MAX = 2'd1;
    localparam [1:0] ALU_ADD = 2'd2;
    localparam [1:0] ALU_SHR = 2'd3;

    wire               a_less = ($signed(a) < $signed(b));
    wire [4:0]         left   = ~b[4:0] + 5'd1;
    wire signed [31:0] right  = $signed(a) >>> b[4:0];

    always @* begin
        case (op)
            ALU_MIN: y = a_less ? a : b;
            ALU_MAX: y = a_less ? b : a;
            ALU_ADD: y = a + b;
            ALU_SHR: y = shift_left ? a << left : right;
        endcase
    end
endmodule
