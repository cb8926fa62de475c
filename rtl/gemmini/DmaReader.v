// Memory to local memory, one row per request: fetches the row's beats, then writes the row under a
// lane mask into the scratchpad or the accumulator. The number of beats depends on the element width
// alone (the columns only mask), so that no operand decides how long a row takes.
module DmaReader #(
    parameter DIM = 16
) (
    input  wire              clock,
    input  wire              reset,
    input  wire              req_valid,
    output wire              req_ready,
    input  wire [39:0]       req_vaddr,
    input  wire [13:0]       req_data,
    input  wire              req_is_acc_addr,
    input  wire              req_accumulate,
    input  wire              req_has_acc_bitwidth,
    input  wire              req_all_zeros,
    input  wire [15:0]       req_cols,
    output wire              resp_valid,
    output wire              mem_req_valid,
    input  wire              mem_req_ready,
    output wire [39:0]       mem_req_addr,
    input  wire              mem_resp_valid,
    input  wire [127:0]      mem_resp_data,
    output wire              sp_write_valid,
    output wire [13:0]       sp_write_addr,
    output wire [DIM-1:0]    sp_write_mask,
    output wire [DIM*8-1:0]  sp_write_data,
    output wire              acc_write_valid,
    output wire [9:0]        acc_write_addr,
    output wire              acc_write_accumulate,
    output wire [DIM-1:0]    acc_write_mask,
    output wire [DIM*32-1:0] acc_write_data
);
    localparam SP_BEATS = (DIM + 15) / 16;
    localparam ACC_BEATS = DIM / 4;
    // verilator lint_off WIDTH
    localparam [3:0] LAST_SP_BEAT = SP_BEATS - 1;  // cut to the counters' width
    localparam [3:0] LAST_ACC_BEAT = ACC_BEATS - 1;
    // verilator lint_on WIDTH

    localparam [1:0] IDLE = 2'd0;
    localparam [1:0] READING = 2'd1;
    localparam [1:0] WRITING_ROW = 2'd2;

    reg [1:0]  state;
    reg [3:0]  sent;
    reg        all_sent;
    reg [3:0]  received;

    reg [39:0] vaddr;
    reg [13:0] local_row;
    reg        is_acc_addr;
    reg        accumulate;
    reg        has_acc_bitwidth;
    reg        all_zeros;
    reg [15:0] cols;

    wire req_fire = req_valid && req_ready;
    wire [3:0] last_beat = has_acc_bitwidth ? LAST_ACC_BEAT : LAST_SP_BEAT;

    assign req_ready     = (state == IDLE);
    assign resp_valid    = (state == WRITING_ROW);
    assign mem_req_valid = (state == READING) && !all_sent;
    assign mem_req_addr  = vaddr + {32'd0, sent, 4'd0};

    always @(posedge clock) begin
        if (reset) begin
            vaddr <= 40'd0;
            local_row <= 14'd0;
            is_acc_addr <= 1'b0;
            accumulate <= 1'b0;
            has_acc_bitwidth <= 1'b0;
            all_zeros <= 1'b0;
            cols <= 16'd0;
        end else if (req_fire) begin
            vaddr <= req_vaddr;
            local_row <= req_data;
            is_acc_addr <= req_is_acc_addr;
            accumulate <= req_accumulate;
            has_acc_bitwidth <= req_has_acc_bitwidth;
            all_zeros <= req_all_zeros;
            cols <= req_cols;
        end
    end

    always @(posedge clock) begin
        if (reset) begin
            state <= IDLE;
            sent <= 4'd0;
            all_sent <= 1'b0;
            received <= 4'd0;
        end else begin
            case (state)
                IDLE: begin
                    if (req_fire) state <= req_all_zeros ? WRITING_ROW : READING;
                end
                READING: begin
                    if (mem_req_valid && mem_req_ready) begin
                        sent <= sent + 4'd1;
                        all_sent <= (sent == last_beat);
                    end
                    if (mem_resp_valid) begin
                        received <= received + 4'd1;
                        if (received == last_beat) state <= WRITING_ROW;
                    end
                end
                WRITING_ROW: begin
                    state <= IDLE;
                    sent <= 4'd0;
                    all_sent <= 1'b0;
                    received <= 4'd0;
                end
                default: state <= IDLE;
            endcase
        end
    end

    // A row of DIM 32-bit elements is a whole number of beats; a row of bytes uses the first ones.
    wire [DIM*32-1:0] row;

    genvar k;
    generate
        for (k = 0; k < ACC_BEATS; k = k + 1) begin : beat
            reg [127:0] bytes;
            always @(posedge clock) begin
                if (state == READING && mem_resp_valid && received == k) bytes <= mem_resp_data;
            end
            assign row[k*128 +: 128] = all_zeros ? 128'd0 : bytes;
        end
    endgenerate

    wire [DIM-1:0] mask;

    genvar i;
    generate
        for (i = 0; i < DIM; i = i + 1) begin : lane
            wire [7:0] narrow = row[i*8 +: 8];
            assign mask[i] = (cols > i);
            assign acc_write_data[i*32 +: 32] = has_acc_bitwidth ? row[i*32 +: 32] : {{24{narrow[7]}}, narrow};
        end
    endgenerate

    assign sp_write_valid       = (state == WRITING_ROW) && !is_acc_addr;
    assign sp_write_addr        = local_row;
    assign sp_write_mask        = mask;
    assign sp_write_data        = row[DIM*8-1:0];
    assign acc_write_valid      = (state == WRITING_ROW) && is_acc_addr;
    assign acc_write_addr       = local_row[9:0];
    assign acc_write_accumulate = accumulate;
    assign acc_write_mask       = mask;
endmodule
