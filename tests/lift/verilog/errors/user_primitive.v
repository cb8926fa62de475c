primitive choose(output y, input a, b, s);
  table
    0 ? 0 : 0;
    1 ? 0 : 1;
    ? 0 1 : 0;
    ? 1 1 : 1;
  endtable
endprimitive
module top(input a, b, s, output y);
  choose c(y, a, b, s);
endmodule
