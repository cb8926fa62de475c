// Executes ALU, one micro-op at a time: read the micro-op; read the src element, then the dst element; compute; write acc
// and out at dst. The operands are a = dst, b = src, and with an immediate a = src, b = immediate; both elements
// are read either way, so that every micro-op takes the same cycles.
//
// The direction of a shift is the sign bit of the immediate field, also when the amount comes from src.
module TensorAlu #(
    parameter BLOCK_OUT = 16,
    parameter LOG_UOP_DEPTH = 11,
    parameter LOG_ACC_DEPTH = 11
) (
    input  wire                     clock,
    input  wire                     reset,
    input  wire                     start,
    // verilator lint_off UNUSED
    input  wire [127:0]             inst,  // stable until not busy; small buffers' indices drop bits
    // verilator lint_on UNUSED
    output wire                     busy,
    output wire                     uop_read_valid,
    output wire [LOG_UOP_DEPTH-1:0] uop_read_index,
    // verilator lint_off UNUSED
    input  wire [31:0]              uop_read_data,
    // verilator lint_on UNUSED
    output wire                     acc_read_valid,
    output wire [LOG_ACC_DEPTH-1:0] acc_read_index,
    input  wire [BLOCK_OUT*32-1:0]  acc_read_data,
    output wire                     write_valid,
    output wire [LOG_ACC_DEPTH-1:0] write_index,
    output wire [BLOCK_OUT*32-1:0]  write_data
);
    localparam [2:0] IDLE     = 3'd0;
    localparam [2:0] READ_UOP = 3'd1;
    localparam [2:0] READ_SRC = 3'd2;
    localparam [2:0] READ_DST = 3'd3;
    localparam [2:0] COMPUTE  = 3'd4;
    localparam [2:0] WRITE    = 3'd5;

    reg [2:0] state;

    wire [1:0]  op         = inst[109:108];
    wire        use_imm    = inst[111];
    wire [31:0] imm        = {{16{inst[127]}}, inst[127:112]};
    wire        shift_left = inst[127];
    wire        advance    = (state == WRITE);
    wire next_i, next_o, last;
    // verilator lint_off UNUSED
    wire [13:0] uop_index;
    // verilator lint_on UNUSED

    MicroOpLoop loop (
        .clock(clock), .reset(reset), .start(start), .advance(advance),
        .uop_begin(inst[20:8]), .uop_end(inst[34:21]), .lp_0(inst[48:35]), .lp_1(inst[62:49]),
        .uop_index(uop_index), .next_i(next_i), .next_o(next_o), .last(last)
    );

    wire [LOG_ACC_DEPTH-1:0] dst_offset;
    wire [LOG_ACC_DEPTH-1:0] src_offset;

    AffineIndex #(.WIDTH(LOG_ACC_DEPTH)) dst_affine (
        .clock(clock), .reset(reset), .clear(advance && last), .next_i(next_i), .next_o(next_o),
        .factor_0(inst[64 +: LOG_ACC_DEPTH]), .factor_1(inst[75 +: LOG_ACC_DEPTH]), .offset(dst_offset)
    );

    AffineIndex #(.WIDTH(LOG_ACC_DEPTH)) src_affine (
        .clock(clock), .reset(reset), .clear(advance && last), .next_i(next_i), .next_o(next_o),
        .factor_0(inst[86 +: LOG_ACC_DEPTH]), .factor_1(inst[97 +: LOG_ACC_DEPTH]), .offset(src_offset)
    );

    wire [LOG_ACC_DEPTH-1:0] src_index = uop_read_data[11 +: LOG_ACC_DEPTH] + src_offset;

    assign uop_read_valid = (state == READ_UOP);
    assign uop_read_index = uop_index[LOG_UOP_DEPTH-1:0];
    assign acc_read_valid = (state == READ_SRC) || (state == READ_DST);
    assign acc_read_index = (state == READ_SRC) ? src_index : write_index;
    assign write_valid    = (state == WRITE);
    assign write_index    = uop_read_data[0 +: LOG_ACC_DEPTH] + dst_offset;
    assign busy           = (state != IDLE);

    // The src element comes first and waits here for the dst element.
    reg [BLOCK_OUT*32-1:0] src;

    always @(posedge clock) begin
        if (reset) src <= {(BLOCK_OUT*32){1'b0}};
        else if (state == READ_DST) src <= acc_read_data;
    end

    genvar j;
    generate
        for (j = 0; j < BLOCK_OUT; j = j + 1) begin : lane
            wire [31:0] y;
            reg  [31:0] result;

            AluLane alu (
                .op(op), .shift_left(shift_left),
                .a(use_imm ? src[j*32 +: 32] : acc_read_data[j*32 +: 32]),
                .b(use_imm ? imm : src[j*32 +: 32]),
                .y(y)
            );

            always @(posedge clock) begin
                if (reset) result <= 32'd0;
                else if (state == COMPUTE) result <= y;
            end

            assign write_data[j*32 +: 32] = result;
        end
    endgenerate

    always @(posedge clock) begin
        if (reset) begin
            state <= IDLE;
        end else begin
            case (state)
                IDLE: begin
                    if (start) state <= READ_UOP;
                end
                READ_UOP: state <= READ_SRC;
                READ_SRC: state <= READ_DST;
                READ_DST: state <= COMPUTE;
                COMPUTE:  state <= WRITE;
                WRITE:    state <= last ? IDLE : READ_UOP;
                default:  state <= IDLE;
            endcase
        end
    end
endmodule
