// Executes config_st and mvout: one DMA request per row and block of DIM columns.
// Row r of block b is local row rs2[13:0] + r + b * DIM and goes to memory byte
// rs1 + r * stride + b * DIM * element bytes. Needs 1 <= rows <= DIM and 1 <= columns <= 4 * DIM.
//
// With pooling (pool_stride other than 0) the local rows are the pixels of an image of pool_orows x pool_ocols, and a mvout
// walks the porows x pocols outputs, and for each its window of pool_size x pool_size pixels: one DMA request per
// window element. The first starts a maximum, the others join it (pool_en), the last sends it (store_en). An element outside
// the image is zeros. Needs 1 <= porows, pocols, pool_size and 1 <= columns <= DIM; the operand's rows say nothing.
module StoreController #(
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
    output wire        dma_req_read_full_acc_row,
    output wire        dma_req_all_zeros,
    output wire        dma_req_pool_en,
    output wire        dma_req_store_en,
    output wire [1:0]  dma_req_activation,
    output wire [15:0] dma_req_cols,
    input  wire        dma_resp_valid
);
    localparam [6:0] FUNCT_CONFIG = 7'd0;
    localparam [6:0] FUNCT_MVOUT  = 7'd3;
    localparam [1:0] CONFIG_ST    = 2'd2;
    localparam [31:0] ACC_SCALE_KEEP = 32'hffffffff;

    localparam [2:0] WAITING_FOR_CMD           = 3'd0;
    localparam [2:0] WAITING_FOR_DMA_REQ_READY = 3'd1;
    localparam [2:0] WAITING_FOR_DMA_RESP      = 3'd2;
    localparam [2:0] POOLING                   = 3'd3;
    localparam [2:0] WAITING_FOR_POOLED        = 3'd4;

    localparam ROW_BITS = $clog2(DIM);
    // verilator lint_off WIDTH
    localparam [15:0] BLOCK_COLS = DIM;  // the parameter cut to the counters' width
    // verilator lint_on WIDTH

    reg [31:0] stride;
    reg [1:0]  activation;
    // The scale is configured but does not act yet.
    // verilator lint_off UNUSED
    reg [31:0] acc_scale;
    // verilator lint_on UNUSED
    reg [1:0]  pool_stride;
    reg [1:0]  pool_size;
    reg [1:0]  pool_upad;
    reg [1:0]  pool_lpad;
    reg [7:0]  pool_out_dim;
    reg [7:0]  pool_porows;
    reg [7:0]  pool_pocols;
    reg [7:0]  pool_orows;
    reg [7:0]  pool_ocols;

    reg [2:0]          control_state;
    reg [ROW_BITS-1:0] row_counter;
    reg [1:0]          block_counter;
    reg [7:0]          porow_counter;
    reg [7:0]          pocol_counter;
    reg [1:0]          wrow_counter;
    reg [1:0]          wcol_counter;

    // The mvout in flight.
    reg [39:0] vaddr;
    reg [13:0] local_row;
    reg        is_acc_addr;
    reg        read_full_acc_row;
    reg [15:0] cols;
    reg [15:0] rows;

    assign cmd_ready = (control_state == WAITING_FOR_CMD);
    assign busy      = (control_state != WAITING_FOR_CMD);

    wire config_fire = cmd_valid && cmd_ready && (cmd_funct == FUNCT_CONFIG) && (cmd_rs1[1:0] == CONFIG_ST);
    wire mvout_fire  = cmd_valid && cmd_ready && (cmd_funct == FUNCT_MVOUT);

    always @(posedge clock) begin
        if (reset) begin
            stride <= 32'd0;
            activation <= 2'd0;
            acc_scale <= 32'd0;
            pool_stride <= 2'd0;
            pool_size <= 2'd0;
            pool_upad <= 2'd0;
            pool_lpad <= 2'd0;
            pool_out_dim <= 8'd0;
            pool_porows <= 8'd0;
            pool_pocols <= 8'd0;
            pool_orows <= 8'd0;
            pool_ocols <= 8'd0;
        end else if (config_fire) begin
            stride <= cmd_rs2[31:0];
            activation <= cmd_rs1[3:2];
            acc_scale <= (cmd_rs2[63:32] == ACC_SCALE_KEEP) ? acc_scale : cmd_rs2[63:32];
            pool_stride <= cmd_rs1[5:4];
            pool_size <= cmd_rs1[7:6];
            pool_upad <= cmd_rs1[9:8];
            pool_lpad <= cmd_rs1[11:10];
            pool_out_dim <= cmd_rs1[31:24];
            pool_porows <= cmd_rs1[39:32];
            pool_pocols <= cmd_rs1[47:40];
            pool_orows <= cmd_rs1[55:48];
            pool_ocols <= cmd_rs1[63:56];
        end
    end

    wire [39:0] row_wide   = {{(40-ROW_BITS){1'b0}}, row_counter};
    wire [15:0] row_16     = {{(16-ROW_BITS){1'b0}}, row_counter};
    wire [13:0] row_14     = {{(14-ROW_BITS){1'b0}}, row_counter};
    wire [15:0] block_col  = {14'd0, block_counter} * BLOCK_COLS;
    wire [39:0] block_byte = read_full_acc_row ? {22'd0, block_col, 2'd0} : {24'd0, block_col};
    wire [15:0] cols_left  = cols - block_col;

    // The pixel of a window element; beyond the image it is an element of the padding.
    wire        pooling    = (control_state == POOLING) || (control_state == WAITING_FOR_POOLED);
    wire [9:0]  window_row = {2'd0, porow_counter} * {8'd0, pool_stride} + {8'd0, wrow_counter};
    wire [9:0]  window_col = {2'd0, pocol_counter} * {8'd0, pool_stride} + {8'd0, wcol_counter};
    wire [9:0]  orow       = window_row - {8'd0, pool_upad};
    wire [9:0]  ocol       = window_col - {8'd0, pool_lpad};
    wire        padding    = (window_row < {8'd0, pool_upad}) || (orow >= {2'd0, pool_orows})
                           || (window_col < {8'd0, pool_lpad}) || (ocol >= {2'd0, pool_ocols});
    wire [13:0] pixel      = {4'd0, orow} * {6'd0, pool_ocols} + {4'd0, ocol};
    wire [15:0] output_pixel = {8'd0, porow_counter} * {8'd0, pool_out_dim} + {8'd0, pocol_counter};

    wire last_wcol  = (wcol_counter == pool_size - 2'd1);
    wire last_wrow  = (wrow_counter == pool_size - 2'd1);
    wire last_pocol = (pocol_counter == pool_pocols - 8'd1);
    wire last_porow = (porow_counter == pool_porows - 8'd1);

    wire [39:0] row_vaddr  = vaddr + row_wide * {8'd0, stride} + block_byte;
    wire [39:0] pool_vaddr = vaddr + {24'd0, output_pixel} * {8'd0, stride};

    assign dma_req_valid             = (control_state == WAITING_FOR_DMA_REQ_READY) || (control_state == POOLING);
    assign dma_req_vaddr             = pooling ? pool_vaddr : row_vaddr;
    assign dma_req_data              = pooling ? local_row + pixel : local_row + row_14 + block_col[13:0];
    assign dma_req_is_acc_addr       = is_acc_addr;
    assign dma_req_read_full_acc_row = read_full_acc_row && !pooling;
    assign dma_req_all_zeros         = pooling && padding;
    assign dma_req_pool_en           = pooling && (wrow_counter != 2'd0 || wcol_counter != 2'd0);
    assign dma_req_store_en          = !pooling || (last_wrow && last_wcol);
    assign dma_req_activation        = activation;
    assign dma_req_cols              = (cols_left > BLOCK_COLS) ? BLOCK_COLS : cols_left;

    wire last_row   = (row_16 == rows - 16'd1);
    wire last_block = (cols_left <= BLOCK_COLS);

    always @(posedge clock) begin
        if (reset) begin
            vaddr <= 40'd0;
            local_row <= 14'd0;
            is_acc_addr <= 1'b0;
            read_full_acc_row <= 1'b0;
            cols <= 16'd0;
            rows <= 16'd0;
        end else if (mvout_fire) begin
            vaddr <= cmd_rs1[39:0];
            local_row <= cmd_rs2[13:0];
            is_acc_addr <= cmd_rs2[31];
            read_full_acc_row <= cmd_rs2[31] && cmd_rs2[29];
            cols <= cmd_rs2[47:32];
            rows <= cmd_rs2[63:48];
        end
    end

    always @(posedge clock) begin
        if (reset) begin
            control_state <= WAITING_FOR_CMD;
            row_counter <= {ROW_BITS{1'b0}};
            block_counter <= 2'd0;
            porow_counter <= 8'd0;
            pocol_counter <= 8'd0;
            wrow_counter <= 2'd0;
            wcol_counter <= 2'd0;
        end else begin
            case (control_state)
                WAITING_FOR_CMD: begin
                    if (mvout_fire) control_state <= (pool_stride != 2'd0) ? POOLING : WAITING_FOR_DMA_REQ_READY;
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
                POOLING: begin
                    if (dma_req_ready) control_state <= WAITING_FOR_POOLED;
                end
                WAITING_FOR_POOLED: begin
                    if (dma_resp_valid) begin
                        wcol_counter <= last_wcol ? 2'd0 : wcol_counter + 2'd1;
                        if (last_wcol) wrow_counter <= last_wrow ? 2'd0 : wrow_counter + 2'd1;
                        if (last_wcol && last_wrow) pocol_counter <= last_pocol ? 8'd0 : pocol_counter + 8'd1;
                        if (last_wcol && last_wrow && last_pocol) begin
                            porow_counter <= last_porow ? 8'd0 : porow_counter + 8'd1;
                        end
                        control_state <= (last_wcol && last_wrow && last_pocol && last_porow) ? WAITING_FOR_CMD : POOLING;
                    end
                end
                default: control_state <= WAITING_FOR_CMD;
            endcase
        end
    end
endmodule
