// The read clients on one memory port. A client that is granted keeps the port from its command to the last beat of
// its burst, so that commands and beats stay in order. The lowest client that asks comes first; it cannot
// shut others out, because between two elements it asks for nothing. An idle arbiter remembers no grant.
module ReadArbiter #(
    parameter CLIENTS = 4
) (
    input  wire                  clock,
    input  wire                  reset,
    input  wire [CLIENTS-1:0]    cmd_valid,
    output wire [CLIENTS-1:0]    cmd_ready,
    input  wire [CLIENTS*32-1:0] cmd_addr,
    input  wire [CLIENTS*8-1:0]  cmd_len,
    output wire [CLIENTS-1:0]    data_valid,
    input  wire [CLIENTS-1:0]    data_ready,
    output wire                  mem_cmd_valid,
    input  wire                  mem_cmd_ready,
    output wire [31:0]           mem_cmd_addr,
    output wire [7:0]            mem_cmd_len,
    input  wire                  mem_data_valid,
    output wire                  mem_data_ready
);
    localparam [1:0] IDLE    = 2'd0;
    localparam [1:0] COMMAND = 2'd1;
    localparam [1:0] DATA    = 2'd2;

    reg [1:0]         state;
    reg [CLIENTS-1:0] grant;  // one-hot, zero when idle
    reg [7:0]         left;   // beats after the coming one

    // The lowest set bit of the requests.
    wire [CLIENTS-1:0] first = cmd_valid & (~cmd_valid + 1'b1);

    // The payload of the client with the grant.
    reg [31:0] granted_addr;
    reg [7:0]  granted_len;
    integer    k;

    always @* begin
        granted_addr = 32'd0;
        granted_len = 8'd0;
        for (k = 0; k < CLIENTS; k = k + 1) begin
            if (grant[k]) begin
                granted_addr = cmd_addr[k*32 +: 32];
                granted_len = cmd_len[k*8 +: 8];
            end
        end
    end

    assign mem_cmd_valid  = (state == COMMAND);
    assign mem_cmd_addr   = granted_addr;
    assign mem_cmd_len    = granted_len;
    assign cmd_ready      = (state == COMMAND && mem_cmd_ready) ? grant : {CLIENTS{1'b0}};
    assign data_valid     = (state == DATA && mem_data_valid) ? grant : {CLIENTS{1'b0}};
    assign mem_data_ready = (state == DATA) && ((data_ready & grant) != {CLIENTS{1'b0}});

    always @(posedge clock) begin
        if (reset) begin
            state <= IDLE;
            grant <= {CLIENTS{1'b0}};
            left <= 8'd0;
        end else begin
            case (state)
                IDLE: begin
                    if (cmd_valid != {CLIENTS{1'b0}}) begin
                        state <= COMMAND;
                        grant <= first;
                    end
                end
                COMMAND: begin
                    if (mem_cmd_ready) begin
                        state <= DATA;
                        left <= mem_cmd_len;
                    end
                end
                DATA: begin
                    if (mem_data_valid && mem_data_ready) begin
                        if (left == 8'd0) begin
                            state <= IDLE;
                            grant <= {CLIENTS{1'b0}};
                        end else begin
                            left <= left - 8'd1;
                        end
                    end
                end
                default: state <= IDLE;
            endcase
        end
    end
endmodule
