// The accumulator: two banks of int32 rows behind one row address space. Writers are the execute
// controller and the DMA (never together, see Scratchpad); the reader is the DMA.
// In the cycle after read_valid, read_data_full is the row as it is, and read_data is the row
// activated (ReLU when read_activation was 1) and saturated to int8.
module AccumulatorMem #(
    parameter DIM = 16,
    parameter ACC_BANK_ROWS = 512
) (
    input  wire              clock,
    input  wire              reset,
    input  wire              read_valid,
    input  wire [9:0]        read_addr,
    input  wire [1:0]        read_activation,
    output wire [DIM*32-1:0] read_data_full,
    output wire [DIM*8-1:0]  read_data,
    input  wire              exec_write_valid,
    input  wire [9:0]        exec_write_addr,
    input  wire              exec_write_accumulate,
    input  wire [DIM-1:0]    exec_write_mask,
    input  wire [DIM*32-1:0] exec_write_data,
    input  wire              dma_write_valid,
    input  wire [9:0]        dma_write_addr,
    input  wire              dma_write_accumulate,
    input  wire [DIM-1:0]    dma_write_mask,
    input  wire [DIM*32-1:0] dma_write_data
);
    localparam ACC_BANKS = 2;
    localparam ROW_BITS = $clog2(ACC_BANK_ROWS);
    localparam W = DIM * 32;
    localparam [1:0] ACTIVATION_RELU = 2'd1;

    wire           write_valid = exec_write_valid | dma_write_valid;
    wire [9:0]     write_addr  = exec_write_valid ? exec_write_addr : dma_write_addr;
    wire           accumulate  = exec_write_valid ? exec_write_accumulate : dma_write_accumulate;
    wire [DIM-1:0] write_mask  = exec_write_valid ? exec_write_mask : dma_write_mask;
    wire [W-1:0]   write_data  = exec_write_valid ? exec_write_data : dma_write_data;

    wire [9-ROW_BITS:0] read_select  = read_addr[9:ROW_BITS];
    wire [9-ROW_BITS:0] write_select = write_addr[9:ROW_BITS];

    wire [ACC_BANKS*W-1:0] bank_read_data;

    genvar b;
    generate
        for (b = 0; b < ACC_BANKS; b = b + 1) begin : bank
            AccumulatorBank #(
                .DIM(DIM), .ROWS(ACC_BANK_ROWS), .ROW_BITS(ROW_BITS)
            ) memory (
                .clock(clock),
                .read_valid(read_valid && (read_select == b)),
                .read_addr(read_addr[ROW_BITS-1:0]),
                .read_data(bank_read_data[b*W +: W]),
                .write_valid(write_valid && (write_select == b)),
                .write_addr(write_addr[ROW_BITS-1:0]),
                .write_accumulate(accumulate),
                .write_mask(write_mask),
                .write_data(write_data)
            );
        end
    endgenerate

    reg [9-ROW_BITS:0] read_bank;
    reg [1:0]          activation;

    always @(posedge clock) begin
        if (reset) begin
            read_bank <= 0;
            activation <= 2'd0;
        end else if (read_valid) begin
            read_bank <= read_select;
            activation <= read_activation;
        end
    end

    assign read_data_full = (read_bank == 0) ? bank_read_data[0*W +: W] : bank_read_data[1*W +: W];

    genvar i;
    generate
        for (i = 0; i < DIM; i = i + 1) begin : lane
            wire signed [31:0] full = read_data_full[i*32 +: 32];
            wire signed [31:0] activated = (activation == ACTIVATION_RELU && full < 0) ? 32'sd0 : full;
            assign read_data[i*8 +: 8] = (activated > 32'sd127) ? 8'h7f
                                       : (activated < -32'sd128) ? 8'h80
                                       : activated[7:0];
        end
    endgenerate
endmodule
