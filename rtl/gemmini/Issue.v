// The in-order issue stage: takes a command when the machine is idle, hands it to the controller it
// belongs to and waits until that controller is idle again. A command that belongs to none
// (flush, config_norm, unknown functs) is consumed without effect.
module Issue (
    input  wire        clock,
    input  wire        reset,
    input  wire        cmd_valid,
    output wire        cmd_ready,
    input  wire [6:0]  cmd_funct,
    input  wire [63:0] cmd_rs1,
    input  wire [63:0] cmd_rs2,
    output wire        busy,
    output wire [6:0]  issue_funct,
    output wire [63:0] issue_rs1,
    output wire [63:0] issue_rs2,
    output wire        load_valid,
    input  wire        load_ready,
    input  wire        load_busy,
    output wire        store_valid,
    input  wire        store_ready,
    input  wire        store_busy,
    output wire        execute_valid,
    input  wire        execute_ready,
    input  wire        execute_busy
);
    localparam [6:0] FUNCT_CONFIG              = 7'd0;
    localparam [6:0] FUNCT_MVIN2               = 7'd1;
    localparam [6:0] FUNCT_MVIN                = 7'd2;
    localparam [6:0] FUNCT_MVOUT               = 7'd3;
    localparam [6:0] FUNCT_COMPUTE_PRELOADED   = 7'd4;
    localparam [6:0] FUNCT_COMPUTE_ACCUMULATED = 7'd5;
    localparam [6:0] FUNCT_PRELOAD             = 7'd6;
    localparam [6:0] FUNCT_MVIN3               = 7'd14;

    localparam [1:0] CONFIG_EX = 2'd0;
    localparam [1:0] CONFIG_LD = 2'd1;
    localparam [1:0] CONFIG_ST = 2'd2;

    localparam [1:0] IDLE = 2'd0;
    localparam [1:0] ISSUING = 2'd1;
    localparam [1:0] WAITING_FOR_CONTROLLER = 2'd2;

    reg [1:0]  state;
    reg [6:0]  funct;
    reg [63:0] rs1;
    reg [63:0] rs2;

    wire is_config = (funct == FUNCT_CONFIG);
    wire to_load = (funct == FUNCT_MVIN) || (funct == FUNCT_MVIN2) || (funct == FUNCT_MVIN3)
                 || (is_config && rs1[1:0] == CONFIG_LD);
    wire to_store = (funct == FUNCT_MVOUT) || (is_config && rs1[1:0] == CONFIG_ST);
    wire to_execute = (funct == FUNCT_PRELOAD) || (funct == FUNCT_COMPUTE_PRELOADED)
                    || (funct == FUNCT_COMPUTE_ACCUMULATED) || (is_config && rs1[1:0] == CONFIG_EX);

    wire taken = (to_load && load_ready) || (to_store && store_ready) || (to_execute && execute_ready)
               || !(to_load || to_store || to_execute);
    wire controller_busy = load_busy || store_busy || execute_busy;

    assign cmd_ready = (state == IDLE);
    assign busy      = (state != IDLE);

    assign issue_funct   = funct;
    assign issue_rs1     = rs1;
    assign issue_rs2     = rs2;
    assign load_valid    = (state == ISSUING) && to_load;
    assign store_valid   = (state == ISSUING) && to_store;
    assign execute_valid = (state == ISSUING) && to_execute;

    always @(posedge clock) begin
        if (reset) begin
            funct <= 7'd0;
            rs1 <= 64'd0;
            rs2 <= 64'd0;
        end else if (cmd_valid && cmd_ready) begin
            funct <= cmd_funct;
            rs1 <= cmd_rs1;
            rs2 <= cmd_rs2;
        end
    end

    always @(posedge clock) begin
        if (reset) state <= IDLE;
        else begin
            case (state)
                IDLE: begin
                    if (cmd_valid) state <= ISSUING;
                end
                ISSUING: begin
                    if (taken) state <= WAITING_FOR_CONTROLLER;
                end
                WAITING_FOR_CONTROLLER: begin
                    if (!controller_busy) state <= IDLE;
                end
                default: state <= IDLE;
            endcase
        end
    end
endmodule
