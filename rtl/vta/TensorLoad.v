// Memory to one buffer: executes the LOAD of one kind of element. Each element of the padded rectangle is either
// fetched, in bursts of a number that only the kind decides, or padding, a zero without a request; both are written in
// the one state WRITE, where the walk goes on. xsize = 0 or ysize = 0: nothing to do, whatever the pads.
module TensorLoad #(
    parameter ELEMENT_BYTES = 16,
    parameter INDEX_BITS = 11,
    parameter BEAT_BITS = 64,
    parameter [31:0] DRAM_BASE = 32'd0
) (
    input  wire                       clock,
    input  wire                       reset,
    input  wire                       start,
    // verilator lint_off UNUSED
    input  wire [127:0]               inst,  // whoever starts has looked at the low bits; stable until not busy
    // verilator lint_on UNUSED
    output wire                       busy,
    output wire                       cmd_valid,
    input  wire                       cmd_ready,
    output wire [31:0]                cmd_addr,
    output wire [7:0]                 cmd_len,
    input  wire                       data_valid,
    output wire                       data_ready,
    input  wire [BEAT_BITS-1:0]       data_bits,
    output wire                       write_valid,
    output wire [INDEX_BITS-1:0]      write_index,
    output wire [ELEMENT_BYTES*8-1:0] write_data
);
    localparam BEAT_BYTES   = BEAT_BITS / 8;
    localparam MAX_BEATS    = 128 / BEAT_BYTES;
    localparam BEATS        = (ELEMENT_BYTES < BEAT_BYTES) ? 1 : ELEMENT_BYTES / BEAT_BYTES;
    localparam BURST_BEATS  = (BEATS < MAX_BEATS) ? BEATS : MAX_BEATS;
    localparam BURSTS       = BEATS / BURST_BEATS;
    // verilator lint_off WIDTH
    localparam [7:0] LAST_BEAT  = BURST_BEATS - 1;  // cut to the counters' width
    localparam [7:0] LAST_BURST = BURSTS - 1;
    // verilator lint_on WIDTH

    localparam [2:0] IDLE    = 3'd0;
    localparam [2:0] ELEMENT = 3'd1;
    localparam [2:0] COMMAND = 3'd2;
    localparam [2:0] RECEIVE = 3'd3;
    localparam [2:0] WRITE   = 3'd4;

    reg [2:0] state;
    reg [7:0] beat;
    reg [7:0] burst;

    wire [15:0] ysize = inst[79:64];
    wire [15:0] xsize = inst[95:80];
    wire        nothing_to_do = (ysize == 16'd0) || (xsize == 16'd0);
    wire        padding;
    wire        last;

    GenVMECmd #(
        .ELEMENT_BYTES(ELEMENT_BYTES), .BEAT_BYTES(BEAT_BYTES), .BURST_BEATS(BURST_BEATS), .INDEX_BITS(INDEX_BITS),
        .DRAM_BASE(DRAM_BASE)
    ) gen_cmd (
        .clock(clock), .reset(reset),
        .sram_offset(inst[25:10]), .dram_offset(inst[57:26]), .ysize(ysize), .xsize(xsize), .xstride(inst[111:96]),
        .ypad_0(inst[115:112]), .ypad_1(inst[119:116]), .xpad_0(inst[123:120]), .xpad_1(inst[127:124]),
        .advance(state == WRITE), .burst(burst),
        .padding(padding), .last(last), .index(write_index), .cmd_addr(cmd_addr), .cmd_len(cmd_len)
    );

    assign busy        = (state != IDLE);
    assign cmd_valid   = (state == COMMAND);
    assign data_ready  = (state == RECEIVE);
    assign write_valid = (state == WRITE);

    always @(posedge clock) begin
        if (reset) begin
            state <= IDLE;
            beat <= 8'd0;
            burst <= 8'd0;
        end else begin
            case (state)
                IDLE: begin
                    if (start && !nothing_to_do) state <= ELEMENT;
                end
                ELEMENT: begin
                    state <= padding ? WRITE : COMMAND;
                end
                COMMAND: begin
                    if (cmd_ready) state <= RECEIVE;
                end
                RECEIVE: begin
                    if (data_valid) begin
                        beat <= (beat == LAST_BEAT) ? 8'd0 : beat + 8'd1;
                        if (beat == LAST_BEAT) begin
                            burst <= (burst == LAST_BURST) ? 8'd0 : burst + 8'd1;
                            state <= (burst == LAST_BURST) ? WRITE : COMMAND;
                        end
                    end
                end
                WRITE: begin
                    state <= last ? IDLE : ELEMENT;
                end
                default: state <= IDLE;
            endcase
        end
    end

    // The beats of an element wait until the last has come: an element is written whole.
    // verilator lint_off UNUSED
    wire [BEATS*BEAT_BITS-1:0] received;  // an element may be shorter than a beat
    // verilator lint_on UNUSED

    genvar k;
    generate
        for (k = 0; k < BEATS; k = k + 1) begin : part
            // verilator lint_off WIDTH
            localparam [7:0] BURST = k / BURST_BEATS;  // cut to the counters' width
            localparam [7:0] BEAT = k % BURST_BEATS;
            // verilator lint_on WIDTH
            reg [BEAT_BITS-1:0] bits;
            always @(posedge clock) begin
                if (reset) bits <= {BEAT_BITS{1'b0}};
                else if (state == RECEIVE && data_valid && burst == BURST && beat == BEAT) bits <= data_bits;
            end
            assign received[k*BEAT_BITS +: BEAT_BITS] = bits;
        end
    endgenerate

    assign write_data = padding ? {(ELEMENT_BYTES*8){1'b0}} : received[ELEMENT_BYTES*8-1:0];
endmodule
