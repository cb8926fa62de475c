// The accelerator: issue stage, three controllers, the two local memories and the DMA on one memory
// port. README.md in this folder describes the command port and the memory port.
module Gemmini #(
    parameter DIM = 16,
    parameter SP_BANK_ROWS = 4096,
    parameter ACC_BANK_ROWS = 512
) (
    input  wire         clock,
    input  wire         reset,
    input  wire         cmd_valid,
    output wire         cmd_ready,
    input  wire [6:0]   cmd_funct,
    input  wire [63:0]  cmd_rs1,
    input  wire [63:0]  cmd_rs2,
    output wire         busy,
    output wire         mem_req_valid,
    input  wire         mem_req_ready,
    output wire         mem_req_write,
    output wire [39:0]  mem_req_addr,
    output wire [127:0] mem_req_data,
    output wire [15:0]  mem_req_mask,
    input  wire         mem_resp_valid,
    input  wire [127:0] mem_resp_data
);
    wire [6:0]  issue_funct;
    wire [63:0] issue_rs1;
    wire [63:0] issue_rs2;
    wire        load_valid, load_ready, load_busy;
    wire        store_valid, store_ready, store_busy;
    wire        execute_valid, execute_ready, execute_busy;

    Issue issue (
        .clock(clock), .reset(reset),
        .cmd_valid(cmd_valid), .cmd_ready(cmd_ready),
        .cmd_funct(cmd_funct), .cmd_rs1(cmd_rs1), .cmd_rs2(cmd_rs2),
        .busy(busy),
        .issue_funct(issue_funct), .issue_rs1(issue_rs1), .issue_rs2(issue_rs2),
        .load_valid(load_valid), .load_ready(load_ready), .load_busy(load_busy),
        .store_valid(store_valid), .store_ready(store_ready), .store_busy(store_busy),
        .execute_valid(execute_valid), .execute_ready(execute_ready), .execute_busy(execute_busy)
    );

    // Loads: controller, then the reader, which writes the local memories.
    wire        read_req_valid, read_req_ready, read_resp_valid;
    wire [39:0] read_req_vaddr;
    wire [13:0] read_req_data;
    wire        read_req_is_acc_addr, read_req_accumulate, read_req_has_acc_bitwidth, read_req_all_zeros;
    wire [15:0] read_req_cols;

    LoadController #(.DIM(DIM)) load_controller (
        .clock(clock), .reset(reset),
        .cmd_valid(load_valid), .cmd_ready(load_ready),
        .cmd_funct(issue_funct), .cmd_rs1(issue_rs1), .cmd_rs2(issue_rs2),
        .busy(load_busy),
        .dma_req_valid(read_req_valid), .dma_req_ready(read_req_ready),
        .dma_req_vaddr(read_req_vaddr), .dma_req_data(read_req_data),
        .dma_req_is_acc_addr(read_req_is_acc_addr), .dma_req_accumulate(read_req_accumulate),
        .dma_req_has_acc_bitwidth(read_req_has_acc_bitwidth), .dma_req_all_zeros(read_req_all_zeros),
        .dma_req_cols(read_req_cols), .dma_resp_valid(read_resp_valid)
    );

    wire              read_mem_valid;
    wire [39:0]       read_mem_addr;
    wire              load_sp_valid;
    wire [13:0]       load_sp_addr;
    wire [DIM-1:0]    load_sp_mask;
    wire [DIM*8-1:0]  load_sp_data;
    wire              load_acc_valid;
    wire [9:0]        load_acc_addr;
    wire              load_acc_accumulate;
    wire [DIM-1:0]    load_acc_mask;
    wire [DIM*32-1:0] load_acc_data;

    DmaReader #(.DIM(DIM)) dma_reader (
        .clock(clock), .reset(reset),
        .req_valid(read_req_valid), .req_ready(read_req_ready),
        .req_vaddr(read_req_vaddr), .req_data(read_req_data),
        .req_is_acc_addr(read_req_is_acc_addr), .req_accumulate(read_req_accumulate),
        .req_has_acc_bitwidth(read_req_has_acc_bitwidth), .req_all_zeros(read_req_all_zeros),
        .req_cols(read_req_cols), .resp_valid(read_resp_valid),
        .mem_req_valid(read_mem_valid), .mem_req_ready(mem_req_ready), .mem_req_addr(read_mem_addr),
        .mem_resp_valid(mem_resp_valid), .mem_resp_data(mem_resp_data),
        .sp_write_valid(load_sp_valid), .sp_write_addr(load_sp_addr),
        .sp_write_mask(load_sp_mask), .sp_write_data(load_sp_data),
        .acc_write_valid(load_acc_valid), .acc_write_addr(load_acc_addr),
        .acc_write_accumulate(load_acc_accumulate),
        .acc_write_mask(load_acc_mask), .acc_write_data(load_acc_data)
    );

    // Stores: controller, then the writer, which reads the local memories.
    wire        write_req_valid, write_req_ready, write_resp_valid;
    wire [39:0] write_req_vaddr;
    wire [13:0] write_req_data;
    wire        write_req_is_acc_addr, write_req_read_full_acc_row;
    wire        write_req_all_zeros, write_req_pool_en, write_req_store_en;
    wire [1:0]  write_req_activation;
    wire [15:0] write_req_cols;

    StoreController #(.DIM(DIM)) store_controller (
        .clock(clock), .reset(reset),
        .cmd_valid(store_valid), .cmd_ready(store_ready),
        .cmd_funct(issue_funct), .cmd_rs1(issue_rs1), .cmd_rs2(issue_rs2),
        .busy(store_busy),
        .dma_req_valid(write_req_valid), .dma_req_ready(write_req_ready),
        .dma_req_vaddr(write_req_vaddr), .dma_req_data(write_req_data),
        .dma_req_is_acc_addr(write_req_is_acc_addr),
        .dma_req_read_full_acc_row(write_req_read_full_acc_row),
        .dma_req_all_zeros(write_req_all_zeros),
        .dma_req_pool_en(write_req_pool_en), .dma_req_store_en(write_req_store_en),
        .dma_req_activation(write_req_activation), .dma_req_cols(write_req_cols),
        .dma_resp_valid(write_resp_valid)
    );

    wire              write_mem_valid;
    wire [39:0]       write_mem_addr;
    wire              store_sp_valid;
    wire [13:0]       store_sp_addr;
    wire              store_acc_valid;
    wire [9:0]        store_acc_addr;
    wire [1:0]        store_acc_activation;
    wire [DIM*8-1:0]  sp_read_data;
    wire [DIM*32-1:0] acc_read_data_full;
    wire [DIM*8-1:0]  acc_read_data;

    DmaWriter #(.DIM(DIM)) dma_writer (
        .clock(clock), .reset(reset),
        .req_valid(write_req_valid), .req_ready(write_req_ready),
        .req_vaddr(write_req_vaddr), .req_data(write_req_data),
        .req_is_acc_addr(write_req_is_acc_addr), .req_read_full_acc_row(write_req_read_full_acc_row),
        .req_all_zeros(write_req_all_zeros), .req_pool_en(write_req_pool_en), .req_store_en(write_req_store_en),
        .req_activation(write_req_activation), .req_cols(write_req_cols),
        .resp_valid(write_resp_valid),
        .sp_read_valid(store_sp_valid), .sp_read_addr(store_sp_addr), .sp_read_data(sp_read_data),
        .acc_read_valid(store_acc_valid), .acc_read_addr(store_acc_addr),
        .acc_read_activation(store_acc_activation),
        .acc_read_data_full(acc_read_data_full), .acc_read_data(acc_read_data),
        .mem_req_valid(write_mem_valid), .mem_req_ready(mem_req_ready), .mem_req_addr(write_mem_addr),
        .mem_req_data(mem_req_data), .mem_req_mask(mem_req_mask)
    );

    // One command in flight: reader and writer never ask together.
    assign mem_req_valid = read_mem_valid || write_mem_valid;
    assign mem_req_write = write_mem_valid;
    assign mem_req_addr  = write_mem_valid ? write_mem_addr : read_mem_addr;

    wire              exec_read_valid;
    wire [13:0]       exec_read_addr;
    wire              exec_sp_valid;
    wire [13:0]       exec_sp_addr;
    wire [DIM-1:0]    exec_sp_mask;
    wire [DIM*8-1:0]  exec_sp_data;
    wire              exec_acc_valid;
    wire [9:0]        exec_acc_addr;
    wire              exec_acc_accumulate;
    wire [DIM-1:0]    exec_acc_mask;
    wire [DIM*32-1:0] exec_acc_data;

    ExecuteController #(.DIM(DIM)) execute_controller (
        .clock(clock), .reset(reset),
        .cmd_valid(execute_valid), .cmd_ready(execute_ready),
        .cmd_funct(issue_funct), .cmd_rs1(issue_rs1), .cmd_rs2(issue_rs2),
        .busy(execute_busy),
        .sp_read_valid(exec_read_valid), .sp_read_addr(exec_read_addr), .sp_read_data(sp_read_data),
        .sp_write_valid(exec_sp_valid), .sp_write_addr(exec_sp_addr),
        .sp_write_mask(exec_sp_mask), .sp_write_data(exec_sp_data),
        .acc_write_valid(exec_acc_valid), .acc_write_addr(exec_acc_addr),
        .acc_write_accumulate(exec_acc_accumulate),
        .acc_write_mask(exec_acc_mask), .acc_write_data(exec_acc_data)
    );

    Scratchpad #(.DIM(DIM), .SP_BANK_ROWS(SP_BANK_ROWS)) scratchpad (
        .clock(clock), .reset(reset),
        .exec_read_valid(exec_read_valid), .exec_read_addr(exec_read_addr),
        .dma_read_valid(store_sp_valid), .dma_read_addr(store_sp_addr),
        .read_data(sp_read_data),
        .exec_write_valid(exec_sp_valid), .exec_write_addr(exec_sp_addr),
        .exec_write_mask(exec_sp_mask), .exec_write_data(exec_sp_data),
        .dma_write_valid(load_sp_valid), .dma_write_addr(load_sp_addr),
        .dma_write_mask(load_sp_mask), .dma_write_data(load_sp_data)
    );

    AccumulatorMem #(.DIM(DIM), .ACC_BANK_ROWS(ACC_BANK_ROWS)) accumulator (
        .clock(clock), .reset(reset),
        .read_valid(store_acc_valid), .read_addr(store_acc_addr), .read_activation(store_acc_activation),
        .read_data_full(acc_read_data_full), .read_data(acc_read_data),
        .exec_write_valid(exec_acc_valid), .exec_write_addr(exec_acc_addr),
        .exec_write_accumulate(exec_acc_accumulate),
        .exec_write_mask(exec_acc_mask), .exec_write_data(exec_acc_data),
        .dma_write_valid(load_acc_valid), .dma_write_addr(load_acc_addr),
        .dma_write_accumulate(load_acc_accumulate),
        .dma_write_mask(load_acc_mask), .dma_write_data(load_acc_data)
    );
endmodule
