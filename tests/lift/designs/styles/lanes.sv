// Ports that are interfaces, commands that are a packed structure with an enumeration, lanes that a loop assigns by cases.
package lanes_pkg;
  typedef enum logic [1:0] {LOAD, STORE, ADD, RELU} op_e;
  typedef logic signed [7:0] elem_t;
  typedef elem_t [3:0] vec_t;
  typedef struct packed {op_e op; logic [3:0] rd, ra, rb; logic [15:0] addr;} cmd_t;
endpackage
interface cmd_if import lanes_pkg::*; ();
  logic valid, ready;
  cmd_t bits;
  modport sink (input valid, bits, output ready);
endinterface
interface mem_if;
  logic req_valid, req_ready, req_write, resp_valid;
  logic [15:0] req_addr;
  logic [31:0] req_data, resp_data;
  modport host (output req_valid, req_write, req_addr, req_data, input req_ready, resp_valid, resp_data);
endinterface
interface rf_if import lanes_pkg::*; ();
  logic [3:0] ra, rb, rw;
  vec_t qa, qb, d;
  logic we;
  modport user (output ra, rb, rw, d, we, input qa, qb);
  modport file (input ra, rb, rw, d, we, output qa, qb);
endinterface
module lanes_rf import lanes_pkg::*; (input logic clk, rf_if.file p);
  vec_t mem [16];
  assign p.qa = mem[p.ra];
  assign p.qb = mem[p.rb];
  always_ff @(posedge clk) if (p.we) mem[p.rw] <= p.d;
endmodule
module lanes import lanes_pkg::*; (input logic clk, rst_n, cmd_if.sink cmd, mem_if.host mem);
  enum logic [1:0] {IDLE, REQ, WAIT, EXEC} state;
  cmd_t c;
  vec_t result;
  rf_if rf ();
  lanes_rf u_rf (.clk, .p(rf.file));
  always_comb for (int i = 0; i < 4; i++)
    unique case (c.op)
      ADD: result[i] = rf.qa[i] + rf.qb[i];
      RELU: result[i] = rf.qa[i] < 0 ? '0 : rf.qa[i];
      default: result[i] = '0;
    endcase
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) state <= IDLE;
    else unique case (state)
      IDLE: if (cmd.valid) begin
        c <= cmd.bits;
        state <= cmd.bits.op inside {LOAD, STORE} ? REQ : EXEC;
      end
      REQ: if (mem.req_ready) state <= c.op == LOAD ? WAIT : IDLE;
      WAIT: if (mem.resp_valid) state <= IDLE;
      EXEC: state <= IDLE;
    endcase
  assign cmd.ready = state == IDLE;
  assign mem.req_valid = state == REQ;
  assign mem.req_write = c.op == STORE;
  assign mem.req_addr = c.addr;
  assign mem.req_data = rf.qa;
  assign rf.ra = c.ra;
  assign rf.rb = c.rb;
  assign rf.rw = c.rd;
  assign rf.we = state == EXEC || (state == WAIT && mem.resp_valid);
  assign rf.d = state == WAIT ? vec_t'(mem.resp_data) : result;
endmodule
