// Local memory to memory, one row per request: reads the row, then sends its beats with the bytes of
// the first `cols` elements enabled. As in DmaReader the number of beats depends on the element width
// alone; a beat beyond the columns goes out with an empty mask.
//
// Max pooling: a request with pool_en joins its row of int8 elements to the row kept so far, elementwise by the larger one, and
// a request without store_en keeps the row instead of sending it. With all_zeros the row is zeros.
module DmaWriter #(
    parameter DIM = 16
) (
    input  wire              clock,
    input  wire              reset,
    input  wire              req_valid,
    output wire              req_ready,
    input  wire [39:0]       req_vaddr,
    input  wire [13:0]       req_data,
    input  wire              req_is_acc_addr,
    input  wire              req_read_full_acc_row,
    input  wire              req_all_zeros,
    input  wire              req_pool_en,
    input  wire              req_store_en,
    input  wire [1:0]        req_activation,
    input  wire [15:0]       req_cols,
    output wire              resp_valid,
    output wire              sp_read_valid,
    output wire [13:0]       sp_read_addr,
    input  wire [DIM*8-1:0]  sp_read_data,
    output wire              acc_read_valid,
    output wire [9:0]        acc_read_addr,
    output wire [1:0]        acc_read_activation,
    input  wire [DIM*32-1:0] acc_read_data_full,
    input  wire [DIM*8-1:0]  acc_read_data,
    output wire              mem_req_valid,
    input  wire              mem_req_ready,
    output wire [39:0]       mem_req_addr,
    output wire [127:0]      mem_req_data,
    output wire [15:0]       mem_req_mask
);
    localparam SP_BEATS = (DIM + 15) / 16;
    localparam ACC_BEATS = DIM / 4;
    // verilator lint_off WIDTH
    localparam [3:0] LAST_SP_BEAT = SP_BEATS - 1;  // cut to the counters' width
    localparam [3:0] LAST_ACC_BEAT = ACC_BEATS - 1;
    // verilator lint_on WIDTH

    localparam [1:0] IDLE = 2'd0;
    localparam [1:0] READING_ROW = 2'd1;
    localparam [1:0] TAKING_ROW = 2'd2;
    localparam [1:0] SENDING = 2'd3;

    reg [1:0]  state;
    reg [3:0]  beat_counter;

    reg [39:0] vaddr;
    reg [13:0] local_row;
    reg        is_acc_addr;
    reg        read_full_acc_row;
    reg        all_zeros;
    reg        pool_en;
    reg        store_en;
    reg [1:0]  activation;
    reg [15:0] cols;

    wire req_fire  = req_valid && req_ready;
    wire beat_fire = mem_req_valid && mem_req_ready;
    wire last_beat = (beat_counter == (read_full_acc_row ? LAST_ACC_BEAT : LAST_SP_BEAT));

    assign req_ready           = (state == IDLE);
    assign resp_valid          = (beat_fire && last_beat) || (state == TAKING_ROW && !store_en);
    assign sp_read_valid       = (state == READING_ROW) && !is_acc_addr;
    assign sp_read_addr        = local_row;
    assign acc_read_valid      = (state == READING_ROW) && is_acc_addr;
    assign acc_read_addr       = local_row[9:0];
    assign acc_read_activation = activation;

    always @(posedge clock) begin
        if (reset) begin
            vaddr <= 40'd0;
            local_row <= 14'd0;
            is_acc_addr <= 1'b0;
            read_full_acc_row <= 1'b0;
            all_zeros <= 1'b0;
            pool_en <= 1'b0;
            store_en <= 1'b0;
            activation <= 2'd0;
            cols <= 16'd0;
        end else if (req_fire) begin
            vaddr <= req_vaddr;
            local_row <= req_data;
            is_acc_addr <= req_is_acc_addr;
            read_full_acc_row <= req_read_full_acc_row;
            all_zeros <= req_all_zeros;
            pool_en <= req_pool_en;
            store_en <= req_store_en;
            activation <= req_activation;
            cols <= req_cols;
        end
    end

    always @(posedge clock) begin
        if (reset) begin
            state <= IDLE;
            beat_counter <= 4'd0;
        end else begin
            case (state)
                IDLE: begin
                    if (req_fire) state <= READING_ROW;
                end
                READING_ROW: state <= TAKING_ROW;
                TAKING_ROW: state <= store_en ? SENDING : IDLE;
                SENDING: begin
                    if (beat_fire) begin
                        state <= last_beat ? IDLE : SENDING;
                        beat_counter <= last_beat ? 4'd0 : beat_counter + 4'd1;
                    end
                end
                default: state <= IDLE;
            endcase
        end
    end

    // The row is taken into a shift register that hands out its lowest 16 bytes beat by beat.
    reg  [DIM*32-1:0] row;
    wire [DIM*8-1:0]  narrow_row = all_zeros ? {(DIM*8){1'b0}} : is_acc_addr ? acc_read_data : sp_read_data;
    wire [DIM*8-1:0]  pooled_row;

    genvar i;
    generate
        for (i = 0; i < DIM; i = i + 1) begin : lane
            wire signed [7:0] kept = row[i*8 +: 8];
            wire signed [7:0] read = narrow_row[i*8 +: 8];
            assign pooled_row[i*8 +: 8] = (pool_en && kept > read) ? kept : read;
        end
    endgenerate

    always @(posedge clock) begin
        if (state == TAKING_ROW) row <= read_full_acc_row ? acc_read_data_full : {{(DIM*24){1'b0}}, pooled_row};
        else if (beat_fire) row <= row >> 128;
    end

    wire [15:0] bytes      = read_full_acc_row ? {cols[13:0], 2'd0} : cols;
    wire [15:0] first_byte = {8'd0, beat_counter, 4'd0};

    assign mem_req_valid = (state == SENDING);
    assign mem_req_addr  = vaddr + {24'd0, first_byte};
    assign mem_req_data  = row[127:0];

    genvar k;
    generate
        for (k = 0; k < 16; k = k + 1) begin : byte_lane
            assign mem_req_mask[k] = (bytes > first_byte + k);
        end
    endgenerate
endmodule
