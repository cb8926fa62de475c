// The scratchpad: four banks of int8 rows behind one row address space.
// The two clients (execute and DMA) share one read and one write port; as one command is in
// flight at a time they never ask together, and the execute controller would win if they did.
module Scratchpad #(
    parameter DIM = 16,
    parameter SP_BANK_ROWS = 4096
) (
    input  wire             clock,
    input  wire             reset,
    input  wire             exec_read_valid,
    input  wire [13:0]      exec_read_addr,
    input  wire             dma_read_valid,
    input  wire [13:0]      dma_read_addr,
    output wire [DIM*8-1:0] read_data,
    input  wire             exec_write_valid,
    input  wire [13:0]      exec_write_addr,
    input  wire [DIM-1:0]   exec_write_mask,
    input  wire [DIM*8-1:0] exec_write_data,
    input  wire             dma_write_valid,
    input  wire [13:0]      dma_write_addr,
    input  wire [DIM-1:0]   dma_write_mask,
    input  wire [DIM*8-1:0] dma_write_data
);
    localparam SP_BANKS = 4;
    localparam ROW_BITS = $clog2(SP_BANK_ROWS);
    localparam W = DIM * 8;

    wire             read_valid  = exec_read_valid | dma_read_valid;
    wire [13:0]      read_addr   = exec_read_valid ? exec_read_addr : dma_read_addr;
    wire             write_valid = exec_write_valid | dma_write_valid;
    wire [13:0]      write_addr  = exec_write_valid ? exec_write_addr : dma_write_addr;
    wire [DIM-1:0]   write_mask  = exec_write_valid ? exec_write_mask : dma_write_mask;
    wire [W-1:0]     write_data  = exec_write_valid ? exec_write_data : dma_write_data;

    // The row address is split only here: the high bits choose the bank.
    wire [13-ROW_BITS:0] read_select  = read_addr[13:ROW_BITS];
    wire [13-ROW_BITS:0] write_select = write_addr[13:ROW_BITS];

    wire [SP_BANKS*W-1:0] bank_read_data;

    genvar b;
    generate
        for (b = 0; b < SP_BANKS; b = b + 1) begin : bank
            ScratchpadBank #(
                .DIM(DIM), .ROWS(SP_BANK_ROWS), .ROW_BITS(ROW_BITS)
            ) memory (
                .clock(clock),
                .read_valid(read_valid && (read_select == b)),
                .read_addr(read_addr[ROW_BITS-1:0]),
                .read_data(bank_read_data[b*W +: W]),
                .write_valid(write_valid && (write_select == b)),
                .write_addr(write_addr[ROW_BITS-1:0]),
                .write_mask(write_mask),
                .write_data(write_data)
            );
        end
    endgenerate

    reg [13-ROW_BITS:0] read_bank;

    always @(posedge clock) begin
        if (reset) read_bank <= 0;
        else if (read_valid) read_bank <= read_select;
    end

    assign read_data = (read_bank == 0) ? bank_read_data[0*W +: W]
                     : (read_bank == 1) ? bank_read_data[1*W +: W]
                     : (read_bank == 2) ? bank_read_data[2*W +: W]
                     :                    bank_read_data[3*W +: W];
endmodule
