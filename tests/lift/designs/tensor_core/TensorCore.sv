// Products of 4x4 matrices of bytes that are held in registers: rows in, all of a product in one cycle through adder trees, rows out.
module TensorCore (
  input  logic         clk, rst_n,
  input  logic         cmd_valid,
  output logic         cmd_ready,
  input  logic [1:0]   cmd_op,       // 0 loada, 1 loadb, 2 mma, 3 store
  input  logic [1:0]   cmd_row,
  input  logic [15:0]  cmd_addr,

  output logic         mem_req_valid,
  input  logic         mem_req_ready,
  output logic         mem_req_write,
  output logic [15:0]  mem_req_addr,
  output logic [127:0] mem_req_wdata,
  input  logic         mem_resp_valid,
  input  logic [127:0] mem_resp_rdata,
  output logic         busy
);
  localparam OP_LOADA = 2'd0, OP_LOADB = 2'd1, OP_MMA = 2'd2, OP_STORE = 2'd3;
  typedef enum logic [1:0] {IDLE, REQ, WAIT, EXEC} state_t;
  state_t state;
  logic [1:0] op, row;
  logic [15:0] addr;
  logic signed [7:0] a [0:3][0:3];
  logic signed [7:0] b [0:3][0:3];
  logic signed [31:0] c [0:3][0:3];

  assign cmd_ready = state == IDLE;
  assign busy = state != IDLE;
  assign mem_req_valid = state == REQ;
  assign mem_req_write = op == OP_STORE;
  assign mem_req_addr = addr;
  assign mem_req_wdata = {c[row][3], c[row][2], c[row][1], c[row][0]};

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      state <= IDLE;
      for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) c[i][j] <= '0;
    end else case (state)
      IDLE: if (cmd_valid) begin
        op <= cmd_op; row <= cmd_row; addr <= cmd_addr;
        state <= cmd_op == OP_MMA ? EXEC : REQ;
      end
      REQ: if (mem_req_ready) state <= op == OP_STORE ? IDLE : WAIT;
      WAIT: if (mem_resp_valid) begin
        for (int j = 0; j < 4; j++) begin
          if (op == OP_LOADA) a[row][j] <= mem_resp_rdata[8*j +: 8];
          else                b[row][j] <= mem_resp_rdata[8*j +: 8];
        end
        state <= IDLE;
      end
      EXEC: begin
        for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++)
          c[i][j] <= c[i][j] + ((a[i][0]*b[0][j] + a[i][1]*b[1][j]) + (a[i][2]*b[2][j] + a[i][3]*b[3][j]));
        state <= IDLE;
      end
    endcase
  end
endmodule
