module top(input logic [1:0] a, output logic [1:0] y);
  typedef enum logic [1:0] {A, B} t; t s;
  assign s = a; assign y = s;
endmodule
