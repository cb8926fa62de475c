// Executes GEMM, one micro-op at a time: read the micro-op; read its inp, wgt and acc elements; two stages of the
// matrix-vector unit; write acc and out. With reset the same happens, but zeros are written to acc and nothing to out.
// A micro-op is over before the next one reads, so that no result in flight has to be forwarded.
module TensorGemm #(
    parameter BLOCK_IN = 16,
    parameter BLOCK_OUT = 16,
    parameter LOG_UOP_DEPTH = 11,
    parameter LOG_INP_DEPTH = 11,
    parameter LOG_WGT_DEPTH = 10,
    parameter LOG_ACC_DEPTH = 11
) (
    input  wire                            clock,
    input  wire                            reset,
    input  wire                            start,
    // verilator lint_off UNUSED
    input  wire [127:0]                    inst,  // stable until not busy; small buffers' indices drop bits
    // verilator lint_on UNUSED
    output wire                            busy,
    output wire                            uop_read_valid,
    output wire [LOG_UOP_DEPTH-1:0]        uop_read_index,
    // verilator lint_off UNUSED
    input  wire [31:0]                     uop_read_data,
    // verilator lint_on UNUSED
    output wire                            inp_read_valid,
    output wire [LOG_INP_DEPTH-1:0]        inp_read_index,
    input  wire [BLOCK_IN*8-1:0]           inp_read_data,
    output wire                            wgt_read_valid,
    output wire [LOG_WGT_DEPTH-1:0]        wgt_read_index,
    input  wire [BLOCK_OUT*BLOCK_IN*8-1:0] wgt_read_data,
    output wire                            acc_read_valid,
    output wire [LOG_ACC_DEPTH-1:0]        acc_index,
    input  wire [BLOCK_OUT*32-1:0]         acc_read_data,
    output wire                            acc_write_valid,
    output wire [BLOCK_OUT*32-1:0]         acc_write_data,
    output wire                            out_write_valid
);
    localparam [2:0] IDLE      = 3'd0;
    localparam [2:0] READ_UOP  = 3'd1;
    localparam [2:0] READ_ROWS = 3'd2;
    localparam [2:0] MULTIPLY  = 3'd3;
    localparam [2:0] REDUCE    = 3'd4;
    localparam [2:0] WRITE     = 3'd5;

    reg [2:0] state;

    wire acc_reset = inst[7];
    wire advance   = (state == WRITE);
    wire next_i, next_o, last;
    // verilator lint_off UNUSED
    wire [13:0] uop_index;
    // verilator lint_on UNUSED

    MicroOpLoop loop (
        .clock(clock), .reset(reset), .start(start), .advance(advance),
        .uop_begin(inst[20:8]), .uop_end(inst[34:21]), .lp_0(inst[48:35]), .lp_1(inst[62:49]),
        .uop_index(uop_index), .next_i(next_i), .next_o(next_o), .last(last)
    );

    wire [LOG_ACC_DEPTH-1:0] acc_offset;
    wire [LOG_INP_DEPTH-1:0] inp_offset;
    wire [LOG_WGT_DEPTH-1:0] wgt_offset;

    AffineIndex #(.WIDTH(LOG_ACC_DEPTH)) acc_affine (
        .clock(clock), .reset(reset), .clear(advance && last), .next_i(next_i), .next_o(next_o),
        .factor_0(inst[64 +: LOG_ACC_DEPTH]), .factor_1(inst[75 +: LOG_ACC_DEPTH]), .offset(acc_offset)
    );

    AffineIndex #(.WIDTH(LOG_INP_DEPTH)) inp_affine (
        .clock(clock), .reset(reset), .clear(advance && last), .next_i(next_i), .next_o(next_o),
        .factor_0(inst[86 +: LOG_INP_DEPTH]), .factor_1(inst[97 +: LOG_INP_DEPTH]), .offset(inp_offset)
    );

    AffineIndex #(.WIDTH(LOG_WGT_DEPTH)) wgt_affine (
        .clock(clock), .reset(reset), .clear(advance && last), .next_i(next_i), .next_o(next_o),
        .factor_0(inst[108 +: LOG_WGT_DEPTH]), .factor_1(inst[118 +: LOG_WGT_DEPTH]), .offset(wgt_offset)
    );

    // The micro-op stays in its memory's output register until the next one is read, and so do the rows.
    assign uop_read_valid = (state == READ_UOP);
    assign uop_read_index = uop_index[LOG_UOP_DEPTH-1:0];
    assign acc_read_valid = (state == READ_ROWS);
    assign acc_index      = uop_read_data[0 +: LOG_ACC_DEPTH] + acc_offset;
    assign inp_read_valid = (state == READ_ROWS);
    assign inp_read_index = uop_read_data[11 +: LOG_INP_DEPTH] + inp_offset;
    assign wgt_read_valid = (state == READ_ROWS);
    assign wgt_read_index = uop_read_data[22 +: LOG_WGT_DEPTH] + wgt_offset;

    wire [BLOCK_OUT*32-1:0] result;

    MatrixVectorUnit #(.BLOCK_IN(BLOCK_IN), .BLOCK_OUT(BLOCK_OUT)) mvu (
        .clock(clock), .reset(reset),
        .inp(inp_read_data), .wgt(wgt_read_data), .acc(acc_read_data), .result(result)
    );

    assign acc_write_valid = (state == WRITE);
    assign acc_write_data  = acc_reset ? {(BLOCK_OUT*32){1'b0}} : result;
    assign out_write_valid = (state == WRITE) && !acc_reset;
    assign busy            = (state != IDLE);

    always @(posedge clock) begin
        if (reset) begin
            state <= IDLE;
        end else begin
            case (state)
                IDLE: begin
                    if (start) state <= READ_UOP;
                end
                READ_UOP:  state <= READ_ROWS;
                READ_ROWS: state <= MULTIPLY;
                MULTIPLY:  state <= REDUCE;
                REDUCE:    state <= WRITE;
                WRITE:     state <= last ? IDLE : READ_UOP;
                default:   state <= IDLE;
            endcase
        end
    end
endmodule
