// Executes config_ex, preload and the two compute instructions, weight or output stationary.
//
// Every pass over the mesh feeds exactly DIM rows and yields DIM result rows, whatever the sizes of the operands: lanes
// and rows beyond an operand's size, and garbage operands, are zeros; results beyond C's size, and garbage C, are not
// written. A preload feeds B or D through the passive buffer, last row first, so that row i of the mesh ends up with its
// row i. B may be transposed (weight stationary): its rows then fill the transposer before they enter the mesh as columns.
// A command is one pass; output stationary, a compute whose C is not garbage is two: the second, of zeros, with
// the buffers flipped, lets the sums leave, last row first.
module ExecuteController #(
    parameter DIM = 16
) (
    input  wire              clock,
    input  wire              reset,
    input  wire              cmd_valid,
    output wire              cmd_ready,
    input  wire [6:0]        cmd_funct,
    // verilator lint_off UNUSED
    // Some operand bits mean nothing to this controller.
    input  wire [63:0]       cmd_rs1,
    input  wire [63:0]       cmd_rs2,
    // verilator lint_on UNUSED
    output wire              busy,
    output wire              sp_read_valid,
    output wire [13:0]       sp_read_addr,
    input  wire [DIM*8-1:0]  sp_read_data,
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
    localparam [6:0] FUNCT_CONFIG              = 7'd0;
    localparam [6:0] FUNCT_COMPUTE_PRELOADED   = 7'd4;
    localparam [6:0] FUNCT_COMPUTE_ACCUMULATED = 7'd5;
    localparam [6:0] FUNCT_PRELOAD             = 7'd6;
    localparam [1:0] CONFIG_EX                 = 2'd0;

    localparam [2:0] WAITING_FOR_CMD = 3'd0;
    localparam [2:0] READING_A       = 3'd1;
    localparam [2:0] READING_BD      = 3'd2;
    localparam [2:0] DRAINING        = 3'd3;
    localparam [2:0] FLUSHING        = 3'd4;
    localparam [2:0] FILLING         = 3'd5;  // the transposer
    localparam [2:0] FEEDING         = 3'd6;  // the mesh from it

    localparam OUTPUT_STATIONARY = 1'b0;
    localparam WEIGHT_STATIONARY = 1'b1;
    localparam [1:0] RELU = 2'd1;
    localparam [31:0] GARBAGE = 32'hffffffff;

    localparam ROW_BITS = $clog2(DIM);
    // verilator lint_off WIDTH
    localparam [ROW_BITS-1:0] LAST_ROW = DIM - 1;  // the parameter cut to the counters' width
    // verilator lint_on WIDTH

    // Configuration. The transposer serves B alone: A's bit is kept but does not act, nor B's output stationary.
    // verilator lint_off UNUSED
    reg a_transpose;
    reg config_initialized;
    reg [15:0] a_addr_stride;  // only the 14 bits of a row's address count
    reg [15:0] c_addr_stride;
    // verilator lint_on UNUSED
    reg bd_transpose;
    reg current_dataflow;
    reg [1:0] activation;
    reg [4:0] in_shift;

    // The command in flight; C and in_prop stay for the computes to come.
    reg is_preload;
    reg in_prop;
    reg [31:0] a_addr, bd_addr, c_addr;
    reg [15:0] a_rows, bd_rows, c_rows;
    reg [15:0] a_cols, bd_cols, c_cols;

    reg [2:0] control_state;
    reg [ROW_BITS-1:0] row_counter;
    reg [ROW_BITS-1:0] result_counter;
    reg result_pass;  // 1 for results of the second pass

    assign cmd_ready = (control_state == WAITING_FOR_CMD);
    assign busy      = (control_state != WAITING_FOR_CMD);

    wire fire              = cmd_valid && cmd_ready;
    wire config_fire       = fire && (cmd_funct == FUNCT_CONFIG) && (cmd_rs1[1:0] == CONFIG_EX);
    wire preload_fire      = fire && (cmd_funct == FUNCT_PRELOAD);
    wire flip_fire         = fire && (cmd_funct == FUNCT_COMPUTE_PRELOADED);
    wire compute_fire      = flip_fire || (fire && (cmd_funct == FUNCT_COMPUTE_ACCUMULATED));
    wire set_only_strides  = cmd_rs1[7];

    always @(posedge clock) begin
        if (reset) begin
            a_addr_stride <= 16'd0;
            c_addr_stride <= 16'd0;
            config_initialized <= 1'b0;
        end else if (config_fire) begin
            a_addr_stride <= cmd_rs1[31:16];
            c_addr_stride <= cmd_rs2[63:48];
            config_initialized <= 1'b1;
        end
    end

    always @(posedge clock) begin
        if (reset) begin
            current_dataflow <= WEIGHT_STATIONARY;
            activation <= 2'd0;
            in_shift <= 5'd0;
            a_transpose <= 1'b0;
            bd_transpose <= 1'b0;
        end else if (config_fire && !set_only_strides) begin
            current_dataflow <= cmd_rs1[2];
            activation <= cmd_rs1[4:3];
            in_shift <= cmd_rs2[4:0];
            a_transpose <= cmd_rs1[8];
            bd_transpose <= cmd_rs1[9];
        end
    end

    wire output_stationary = (current_dataflow == OUTPUT_STATIONARY);
    wire transposes        = !output_stationary && bd_transpose;  // of a preload

    // What a preload brings in and the second operand of a compute share registers: no command has both.
    always @(posedge clock) begin
        if (reset) begin
            is_preload <= 1'b0;
            in_prop <= 1'b0;
            {a_rows, a_cols, a_addr} <= 64'd0;
            {bd_rows, bd_cols, bd_addr} <= 64'd0;
            {c_rows, c_cols, c_addr} <= 64'd0;
        end else if (preload_fire) begin
            is_preload <= 1'b1;
            // Rows and columns are those of the tile in the array: what is read has them the other way round.
            {bd_rows, bd_cols, bd_addr} <= transposes ? {cmd_rs1[47:32], cmd_rs1[63:48], cmd_rs1[31:0]} : cmd_rs1;
            {c_rows, c_cols, c_addr} <= cmd_rs2;
        end else if (compute_fire) begin
            is_preload <= 1'b0;
            if (flip_fire)
                in_prop <= !in_prop;
            {a_rows, a_cols, a_addr} <= cmd_rs1;
            {bd_rows, bd_cols, bd_addr} <= cmd_rs2;
        end
    end

    wire flushes           = !is_preload && output_stationary && (c_addr != GARBAGE);
    wire result_valid;
    wire pass_leaves       = result_valid && (result_counter == LAST_ROW);

    always @(posedge clock) begin
        if (reset) begin
            control_state <= WAITING_FOR_CMD;
            row_counter <= {ROW_BITS{1'b0}};
        end else begin
            case (control_state)
                WAITING_FOR_CMD: begin
                    if (preload_fire) control_state <= transposes ? FILLING : READING_BD;
                    else if (compute_fire) control_state <= READING_A;
                end
                READING_A: control_state <= READING_BD;
                READING_BD: begin
                    if (row_counter == LAST_ROW) begin
                        control_state <= flushes ? FLUSHING : DRAINING;
                        row_counter <= {ROW_BITS{1'b0}};
                    end else begin
                        control_state <= is_preload ? READING_BD : READING_A;
                        row_counter <= row_counter + 1'b1;
                    end
                end
                FLUSHING: begin
                    if (row_counter == LAST_ROW) control_state <= DRAINING;
                    row_counter <= (row_counter == LAST_ROW) ? {ROW_BITS{1'b0}} : row_counter + 1'b1;
                end
                FILLING: begin
                    if (row_counter == LAST_ROW) control_state <= FEEDING;
                    row_counter <= (row_counter == LAST_ROW) ? {ROW_BITS{1'b0}} : row_counter + 1'b1;
                end
                FEEDING: begin
                    if (row_counter == LAST_ROW) control_state <= DRAINING;
                    row_counter <= (row_counter == LAST_ROW) ? {ROW_BITS{1'b0}} : row_counter + 1'b1;
                end
                DRAINING: begin
                    if (pass_leaves && (result_pass == flushes)) control_state <= WAITING_FOR_CMD;
                end
                default: control_state <= WAITING_FOR_CMD;
            endcase
        end
    end

    always @(posedge clock) begin
        if (reset) result_counter <= {ROW_BITS{1'b0}};
        else if (result_valid) result_counter <= (result_counter == LAST_ROW) ? {ROW_BITS{1'b0}} : result_counter + 1'b1;
    end

    always @(posedge clock) begin
        if (reset) result_pass <= 1'b0;
        else if (pass_leaves) result_pass <= flushes && !result_pass;
    end

    // Reads. Addresses are base + counter * stride, so that a read is a function of the counter alone.
    wire [ROW_BITS-1:0] bd_row = is_preload ? LAST_ROW - row_counter : row_counter;
    wire [13:0] a_row_14       = {{(14-ROW_BITS){1'b0}}, row_counter};
    wire [13:0] bd_row_14      = {{(14-ROW_BITS){1'b0}}, bd_row};
    wire [15:0] a_row_16       = {{(16-ROW_BITS){1'b0}}, row_counter};
    wire [15:0] bd_row_16      = {{(16-ROW_BITS){1'b0}}, bd_row};
    wire [13:0] a_read_addr    = a_addr[13:0] + a_row_14 * a_addr_stride[13:0];
    wire [13:0] bd_read_addr   = bd_addr[13:0] + bd_row_14;

    assign sp_read_valid = (control_state == READING_A) || (control_state == READING_BD) || (control_state == FILLING);
    assign sp_read_addr  = (control_state == READING_A) ? a_read_addr : bd_read_addr;

    // The row read arrives one cycle later: A waits in a_row, then B or D enters the mesh together with it.
    // Zeros flush the mesh at the same distance.
    reg a_arrives;
    reg bd_arrives;
    reg fill_arrives;
    reg row_enters;
    reg propagate;
    reg dataflow;
    reg a_present;
    reg bd_present;
    reg [DIM*8-1:0] a_row;
    wire [DIM*8-1:0] a_masked;
    wire [DIM*8-1:0] bd_masked;

    always @(posedge clock) begin
        if (reset) begin
            a_arrives <= 1'b0;
            bd_arrives <= 1'b0;
            fill_arrives <= 1'b0;
            row_enters <= 1'b0;
        end else begin
            a_arrives <= (control_state == READING_A);
            bd_arrives <= (control_state == READING_BD);
            fill_arrives <= (control_state == FILLING);
            row_enters <= (control_state == READING_BD) || (control_state == FLUSHING) || (control_state == FEEDING);
        end
    end

    always @(posedge clock) begin
        propagate <= in_prop ^ (control_state == FLUSHING);
        // A preload touches the passive buffer alone: the sums stay as they are.
        dataflow <= is_preload ? WEIGHT_STATIONARY : current_dataflow;
        a_present <= (a_addr != GARBAGE) && (a_row_16 < a_rows);
        bd_present <= (bd_addr != GARBAGE) && (bd_row_16 < bd_rows);
        if (a_arrives)
            a_row <= a_masked;
    end

    genvar i;
    generate
        for (i = 0; i < DIM; i = i + 1) begin : operand_lane
            assign a_masked[i*8 +: 8]  = (a_present && ({16'd0, a_cols} > i)) ? sp_read_data[i*8 +: 8] : 8'd0;
            assign bd_masked[i*8 +: 8] = (bd_present && ({16'd0, bd_cols} > i)) ? sp_read_data[i*8 +: 8] : 8'd0;
        end
    endgenerate

    wire [DIM*20-1:0] passed;
    wire [DIM*20-1:0] drained;
    wire computes = bd_arrives && !is_preload;

    MeshWithDelays #(.DIM(DIM)) mesh_with_delays (
        .clock(clock),
        .reset(reset),
        .in_valid(row_enters),
        .in_a(computes ? a_row : {(DIM*8){1'b0}}),
        .in_b(computes ? bd_masked : {(DIM*8){1'b0}}),
        .in_d(is_preload ? bd_masked : {(DIM*8){1'b0}}),
        .in_propagate(propagate),
        .in_dataflow(dataflow),
        .in_shift(in_shift),
        .in_transposed(is_preload && transposes),
        .fill(fill_arrives),
        .out_valid(result_valid),
        .out_b(passed),
        .out_c(drained)
    );

    // Results. Those of a preload, and of the pass before a flush, are dropped.
    wire [DIM*20-1:0] result  = output_stationary ? drained : passed;
    wire [ROW_BITS-1:0] c_row = output_stationary ? LAST_ROW - result_counter : result_counter;
    wire [13:0] c_row_14    = {{(14-ROW_BITS){1'b0}}, c_row};
    wire [15:0] c_row_16    = {{(16-ROW_BITS){1'b0}}, c_row};
    wire [13:0] c_row_addr  = c_addr[13:0] + c_row_14 * c_addr_stride[13:0];
    wire        write_valid = result_valid && !is_preload && (result_pass == flushes)
                              && (c_addr != GARBAGE) && (c_row_16 < c_rows);
    wire [DIM-1:0] c_mask;

    assign sp_write_valid       = write_valid && !c_addr[31];
    assign sp_write_addr        = c_row_addr;
    assign sp_write_mask        = c_mask;
    assign acc_write_valid      = write_valid && c_addr[31];
    assign acc_write_addr       = c_row_addr[9:0];
    assign acc_write_accumulate = c_addr[30];
    assign acc_write_mask       = c_mask;

    generate
        for (i = 0; i < DIM; i = i + 1) begin : result_lane
            wire [19:0] sum      = result[i*20 +: 20];
            wire negative        = sum[19];
            wire out_of_range    = (sum[19:7] != {13{negative}});
            wire [7:0] saturated = out_of_range ? (negative ? 8'h80 : 8'h7f) : sum[7:0];

            assign c_mask[i]                  = ({16'd0, c_cols} > i);
            assign sp_write_data[i*8 +: 8]    = ((activation == RELU) && negative) ? 8'd0 : saturated;
            assign acc_write_data[i*32 +: 32] = {{12{negative}}, sum};
        end
    endgenerate
endmodule
