// Wired nets, supplies, gates with several outputs and arrays of gates.
module net_kinds(input [3:0] a, b, output [3:0] x, y, z, output p, q);
  wor [3:0] any; wand [3:0] all;
  assign any = a, any = b;
  assign all = a, all = b;
  supply0 low; supply1 high;
  assign x = any, y = all ^ {low, high, low, high};
  nand g [3:0] (z, a, b);
  not n (p, q, a[0]);
endmodule
