// OUT buffer to memory: executes STORE, one element after the other: read it, send its command and its beats, wait for
// the acknowledge. STORE knows no padding. xsize = 0 or ysize = 0: nothing to do.
module TensorStore #(
    parameter ELEMENT_BYTES = 16,
    parameter INDEX_BITS = 11,
    parameter BEAT_BITS = 64,
    parameter [31:0] DRAM_BASE = 32'd0
) (
    input  wire                       clock,
    input  wire                       reset,
    input  wire                       start,
    // verilator lint_off UNUSED
    input  wire [127:0]               inst,  // stable until not busy
    // verilator lint_on UNUSED
    output wire                       busy,
    output wire                       read_valid,
    output wire [INDEX_BITS-1:0]      read_index,
    input  wire [ELEMENT_BYTES*8-1:0] read_data,
    output wire                       cmd_valid,
    input  wire                       cmd_ready,
    output wire [31:0]                cmd_addr,
    output wire [7:0]                 cmd_len,
    output wire                       data_valid,
    input  wire                       data_ready,
    output wire [BEAT_BITS-1:0]       data_bits,
    input  wire                       ack_valid,
    output wire                       ack_ready
);
    localparam BEAT_BYTES = BEAT_BITS / 8;
    localparam BEATS      = ELEMENT_BYTES / BEAT_BYTES;
    // verilator lint_off WIDTH
    localparam [7:0] LAST_BEAT = BEATS - 1;  // cut to the counter's width
    // verilator lint_on WIDTH

    localparam [2:0] IDLE    = 3'd0;
    localparam [2:0] READ    = 3'd1;
    localparam [2:0] COMMAND = 3'd2;
    localparam [2:0] SEND    = 3'd3;
    localparam [2:0] ACK     = 3'd4;
    localparam [2:0] NEXT    = 3'd5;

    reg [2:0] state;
    reg [7:0] beat;

    wire [15:0] ysize = inst[79:64];
    wire [15:0] xsize = inst[95:80];
    wire        nothing_to_do = (ysize == 16'd0) || (xsize == 16'd0);
    wire        last;

    // verilator lint_off PINCONNECTEMPTY
    GenVMECmd #(
        .ELEMENT_BYTES(ELEMENT_BYTES), .BEAT_BYTES(BEAT_BYTES), .BURST_BEATS(BEATS), .INDEX_BITS(INDEX_BITS),
        .DRAM_BASE(DRAM_BASE)
    ) gen_cmd (
        .clock(clock), .reset(reset),
        .sram_offset(inst[25:10]), .dram_offset(inst[57:26]), .ysize(ysize), .xsize(xsize), .xstride(inst[111:96]),
        .ypad_0(4'd0), .ypad_1(4'd0), .xpad_0(4'd0), .xpad_1(4'd0),
        .advance(state == NEXT), .burst(8'd0),
        .padding(), .last(last), .index(read_index), .cmd_addr(cmd_addr), .cmd_len(cmd_len)
    );
    // verilator lint_on PINCONNECTEMPTY

    assign busy       = (state != IDLE);
    assign read_valid = (state == READ);
    assign cmd_valid  = (state == COMMAND);
    assign data_valid = (state == SEND);
    assign ack_ready  = (state == ACK);

    // verilator lint_off WIDTH
    assign data_bits = read_data >> (beat * BEAT_BITS);
    // verilator lint_on WIDTH

    always @(posedge clock) begin
        if (reset) begin
            state <= IDLE;
            beat <= 8'd0;
        end else begin
            case (state)
                IDLE: begin
                    if (start && !nothing_to_do) state <= READ;
                end
                READ: state <= COMMAND;
                COMMAND: begin
                    if (cmd_ready) state <= SEND;
                end
                SEND: begin
                    if (data_ready) begin
                        beat <= (beat == LAST_BEAT) ? 8'd0 : beat + 8'd1;
                        if (beat == LAST_BEAT) state <= ACK;
                    end
                end
                ACK: begin
                    if (ack_valid) state <= NEXT;
                end
                NEXT: begin
                    state <= last ? IDLE : READ;
                end
                default: state <= IDLE;
            endcase
        end
    end
endmodule
