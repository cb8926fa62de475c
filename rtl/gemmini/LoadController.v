// Executes config_ld and the three mvin instructions: one DMA request per row and block of DIM columns.
// Row r of block b comes from memory byte rs1 + r * stride + b * DIM * element bytes and goes to
// local row rs2[13:0] + r + b * block_stride. Needs 1 <= rows <= DIM and 1 <= columns <= 4 * DIM.
module LoadController #(
    parameter DIM = 16
) (
    input  wire        clock,
    input  wire        reset,
    input  wire        cmd_valid,
    output wire        cmd_ready,
    input  wire [6:0]  cmd_funct,
    // verilator lint_off UNUSED
    // Some operand bits mean nothing to this controller.
    input  wire [63:0] cmd_rs1,
    input  wire [63:0] cmd_rs2,
    // verilator lint_on UNUSED
    output wire        busy,
    output wire        dma_req_valid,
    input  wire        dma_req_ready,
    output wire [39:0] dma_req_vaddr,
    output wire [13:0] dma_req_data,
    output wire        dma_req_is_acc_addr,
    output wire        dma_req_accumulate,
    output wire        dma_req_has_acc_bitwidth,
    output wire        dma_req_all_zeros,
    output wire [15:0] dma_req_cols,
    input  wire        dma_resp_valid
);
    localparam [6:0] FUNCT_CONFIG = 7'd0;
    localparam [6:0] FUNCT_MVIN2  = 7'd1;
    localparam [6:0] FUNCT_MVIN   = 7'd2;
    localparam [6:0] FUNCT_MVIN3  = 7'd14;
    localparam [1:0] CONFIG_LD    = 2'd1;

    localparam [1:0] WAITING_FOR_CMD           = 2'd0;
    localparam [1:0] WAITING_FOR_DMA_REQ_READY = 2'd1;
    localparam [1:0] WAITING_FOR_DMA_RESP      = 2'd2;

    localparam ROW_BITS = $clog2(DIM);
    // verilator lint_off WIDTH
    localparam [15:0] BLOCK_COLS = DIM;  // the parameter cut to the counters' width
    // verilator lint_on WIDTH

    // The configuration of the three load banks. Scale and pixel repeats are kept but do not act yet.
    reg [39:0] strides_0, strides_1, strides_2;
    reg        shrinks_0, shrinks_1, shrinks_2;
    reg [13:0] block_strides_0, block_strides_1, block_strides_2;
    // verilator lint_off UNUSED
    reg [31:0] scales_0, scales_1, scales_2;
    reg [4:0]  pixel_repeats_0, pixel_repeats_1, pixel_repeats_2;
    // verilator lint_on UNUSED

    reg [1:0]          control_state;
    reg [ROW_BITS-1:0] row_counter;
    reg [1:0]          block_counter;

    // The mvin in flight.
    reg [1:0]  load_id;
    reg [39:0] vaddr;
    reg        all_zeros;
    reg [13:0] local_row;
    reg        is_acc_addr;
    reg        accumulate;
    reg [15:0] cols;
    reg [15:0] rows;

    wire is_config = (cmd_funct == FUNCT_CONFIG) && (cmd_rs1[1:0] == CONFIG_LD);
    wire is_mvin   = (cmd_funct == FUNCT_MVIN) || (cmd_funct == FUNCT_MVIN2) || (cmd_funct == FUNCT_MVIN3);

    assign cmd_ready = (control_state == WAITING_FOR_CMD);
    assign busy      = (control_state != WAITING_FOR_CMD);

    wire config_fire = cmd_valid && cmd_ready && is_config;
    wire mvin_fire   = cmd_valid && cmd_ready && is_mvin;

    wire [1:0]  config_id           = cmd_rs1[4:3];
    wire        config_shrink       = cmd_rs1[2];
    wire [4:0]  config_repeats      = (cmd_rs1[15:8] == 8'd0) ? 5'd1 : cmd_rs1[12:8];
    wire [13:0] config_block_stride = cmd_rs1[29:16];
    wire [31:0] config_scale        = cmd_rs1[63:32];
    wire [39:0] config_stride       = cmd_rs2[39:0];

    always @(posedge clock) begin
        if (reset) begin
            strides_0 <= 40'd0;
            scales_0 <= 32'd0;
            shrinks_0 <= 1'b0;
            block_strides_0 <= 14'd0;
            pixel_repeats_0 <= 5'd0;
        end else if (config_fire && config_id == 2'd0) begin
            strides_0 <= config_stride;
            scales_0 <= config_scale;
            shrinks_0 <= config_shrink;
            block_strides_0 <= config_block_stride;
            pixel_repeats_0 <= config_repeats;
        end
    end

    always @(posedge clock) begin
        if (reset) begin
            strides_1 <= 40'd0;
            scales_1 <= 32'd0;
            shrinks_1 <= 1'b0;
            block_strides_1 <= 14'd0;
            pixel_repeats_1 <= 5'd0;
        end else if (config_fire && config_id == 2'd1) begin
            strides_1 <= config_stride;
            scales_1 <= config_scale;
            shrinks_1 <= config_shrink;
            block_strides_1 <= config_block_stride;
            pixel_repeats_1 <= config_repeats;
        end
    end

    always @(posedge clock) begin
        if (reset) begin
            strides_2 <= 40'd0;
            scales_2 <= 32'd0;
            shrinks_2 <= 1'b0;
            block_strides_2 <= 14'd0;
            pixel_repeats_2 <= 5'd0;
        end else if (config_fire && config_id == 2'd2) begin
            strides_2 <= config_stride;
            scales_2 <= config_scale;
            shrinks_2 <= config_shrink;
            block_strides_2 <= config_block_stride;
            pixel_repeats_2 <= config_repeats;
        end
    end

    wire [39:0] stride       = (load_id == 2'd0) ? strides_0 : (load_id == 2'd1) ? strides_1 : strides_2;
    wire        shrink       = (load_id == 2'd0) ? shrinks_0 : (load_id == 2'd1) ? shrinks_1 : shrinks_2;
    wire [13:0] block_stride = (load_id == 2'd0) ? block_strides_0
                             : (load_id == 2'd1) ? block_strides_1 : block_strides_2;

    // Addresses are base + counter * stride, so that a request is a function of the counters alone.
    wire [39:0] row_wide   = {{(40-ROW_BITS){1'b0}}, row_counter};
    wire [15:0] row_16     = {{(16-ROW_BITS){1'b0}}, row_counter};
    wire [13:0] row_14     = {{(14-ROW_BITS){1'b0}}, row_counter};
    wire [15:0] block_col  = {14'd0, block_counter} * BLOCK_COLS;
    wire [39:0] block_byte = dma_req_has_acc_bitwidth ? {22'd0, block_col, 2'd0} : {24'd0, block_col};
    wire [15:0] cols_left  = cols - block_col;

    assign dma_req_valid            = (control_state == WAITING_FOR_DMA_REQ_READY);
    assign dma_req_vaddr            = vaddr + row_wide * stride + block_byte;
    assign dma_req_data             = local_row + row_14 + {12'd0, block_counter} * block_stride;
    assign dma_req_is_acc_addr      = is_acc_addr;
    assign dma_req_accumulate       = accumulate;
    assign dma_req_has_acc_bitwidth = is_acc_addr && !shrink;
    assign dma_req_all_zeros        = all_zeros;
    assign dma_req_cols             = (cols_left > BLOCK_COLS) ? BLOCK_COLS : cols_left;

    wire last_row   = (row_16 == rows - 16'd1);
    wire last_block = (cols_left <= BLOCK_COLS);

    always @(posedge clock) begin
        if (reset) begin
            load_id <= 2'd0;
            vaddr <= 40'd0;
            all_zeros <= 1'b0;
            local_row <= 14'd0;
            is_acc_addr <= 1'b0;
            accumulate <= 1'b0;
            cols <= 16'd0;
            rows <= 16'd0;
        end else if (mvin_fire) begin
            load_id <= (cmd_funct == FUNCT_MVIN2) ? 2'd1 : (cmd_funct == FUNCT_MVIN3) ? 2'd2 : 2'd0;
            vaddr <= cmd_rs1[39:0];
            all_zeros <= (cmd_rs1 == 64'd0);
            local_row <= cmd_rs2[13:0];
            is_acc_addr <= cmd_rs2[31];
            accumulate <= cmd_rs2[30];
            cols <= cmd_rs2[47:32];
            rows <= cmd_rs2[63:48];
        end
    end

    always @(posedge clock) begin
        if (reset) begin
            control_state <= WAITING_FOR_CMD;
            row_counter <= {ROW_BITS{1'b0}};
            block_counter <= 2'd0;
        end else begin
            case (control_state)
                WAITING_FOR_CMD: begin
                    if (mvin_fire) control_state <= WAITING_FOR_DMA_REQ_READY;
                end
                WAITING_FOR_DMA_REQ_READY: begin
                    if (dma_req_ready) control_state <= WAITING_FOR_DMA_RESP;
                end
                WAITING_FOR_DMA_RESP: begin
                    if (dma_resp_valid) begin
                        if (last_row && last_block) begin
                            control_state <= WAITING_FOR_CMD;
                            row_counter <= {ROW_BITS{1'b0}};
                            block_counter <= 2'd0;
                        end else begin
                            control_state <= WAITING_FOR_DMA_REQ_READY;
                            row_counter <= last_row ? {ROW_BITS{1'b0}} : row_counter + 1'b1;
                            block_counter <= last_row ? block_counter + 2'd1 : block_counter;
                        end
                    end
                end
                default: control_state <= WAITING_FOR_CMD;
            endcase
        end
    end
endmodule
