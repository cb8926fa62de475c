// Gates.
module gates(input a, input b, input c, output [6:0] y);
  and g0(y[0], a, b, c);
  or (y[1], a, b);
  not g2(y[2], a);
  xor g3(y[3], a, b, c);
  nand g4(y[4], a, b);
  nor g5(y[5], a, b, c);
  buf g6(y[6], b);
endmodule
