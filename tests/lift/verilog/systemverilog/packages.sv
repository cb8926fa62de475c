// A package with parameters, types and functions.
package widths;
  parameter int W = 6;
  typedef logic [W-1:0] word_t;
  function automatic word_t twice(input word_t x);
    return x << 1;
  endfunction
endpackage
module packages import widths::*;(input word_t a, output word_t y, output logic [W:0] z);
  assign y = twice(a);
  assign z = a + widths::W;
endmodule
