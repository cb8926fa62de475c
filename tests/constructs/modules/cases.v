// case, casez and casex: 1364-2005, 9.5.

module case_first_counts(input [2:0] s, input [7:0] a, output reg [7:0] y);
  always @*
    case (s)
      3'd1, 3'd2: y = a;
      3'd2, 3'd3: y = ~a;
      3'd1: y = 0;
      default: y = a + 1;
    endcase
endmodule

module case_default_in_the_middle(input [2:0] s, input [7:0] a, output reg [7:0] y);
  always @*
    case (s)
      3'd1: y = a;
      default: y = 8'h3c;
      3'd5: y = ~a;
    endcase
endmodule

module case_of_wider_labels(input [2:0] s, output reg [1:0] y);
  always @*
    case (s)
      4'd9: y = 1;  // never: s has no fourth bit
      4'd1: y = 2;
      default: y = 0;
    endcase
endmodule

module case_of_expressions(input [3:0] a, b, output reg [1:0] y);
  always @*
    case (a + b)  // four bits, as are the labels
      a: y = 1;
      b: y = 2;
      4'd0: y = 3;
      default: y = 0;
    endcase
endmodule

module case_of_sum_with_wide_label(input [3:0] a, b, output reg [1:0] y);
  always @*
    case (a + b)  // 32 bits because of the label
      16: y = 1;
      0: y = 2;
      default: y = 0;
    endcase
endmodule

module case_of_true(input [3:0] a, output reg [2:0] y);
  always @*
    case (1'b1)
      a[3]: y = 4;
      a[2]: y = 3;
      a[1]: y = 2;
      a[0]: y = 1;
      default: y = 0;
    endcase
endmodule

module case_full_without_default(input [1:0] s, input [3:0] a, output reg [3:0] y);
  always @*
    case (s)
      0: y = a;
      1: y = ~a;
      2: y = a + 1;
      3: y = a - 1;
    endcase
endmodule

module case_of_parts(input [7:0] a, output reg [7:0] y);
  always @* begin
    y = a;
    case (a[7:6])
      2'b01: y[3:0] = 0;
      2'b10: y[7:4] = a[3:0];
      2'b11: {y[0], y[7]} = a[5:4];
      default: ;
    endcase
  end
endmodule

module casez_priority(input [7:0] a, output reg [3:0] y);
  always @*
    casez (a)
      8'b1???????: y = 8;
      8'b?1??????: y = 7;
      8'b??1?????: y = 6;
      8'b???1????: y = 5;
      8'b????1???: y = 4;
      8'b?????1??: y = 3;
      8'b??????1?: y = 2;
      8'b???????1: y = 1;
      default: y = 0;
    endcase
endmodule

module casez_z_digits(input [5:0] a, output reg [1:0] y);
  always @*
    casez (a)
      6'b1z0?z1: y = 1;
      6'o?4: y = 2;
      6'b0z: y = 3;
      default: y = 0;
    endcase
endmodule

module casez_hexadecimal(input [11:0] a, output reg [1:0] y);
  always @*
    casez (a)
      12'hf?0: y = 1;
      12'h?a?: y = 2;
      12'hz: y = 3;
      default: y = 0;
    endcase
endmodule

module casex_digits(input [5:0] a, output reg [1:0] y);
  always @*
    casex (a)
      6'b1x0?z1: y = 1;
      6'ox4: y = 2;
      6'bx1: y = 3;
      default: y = 0;
    endcase
endmodule

module case_nested(input [3:0] a, input [1:0] s, output reg [3:0] y);
  always @*
    case (s)
      2'd0: case (a[1:0])
        2'd0: y = 1;
        2'd1: y = 2;
        default: y = 3;
      endcase
      2'd1: if (a[3]) y = 4; else y = 5;
      default: y = a;
    endcase
endmodule

module case_in_loop(input [15:0] a, output reg [7:0] y);
  integer i;
  always @*
    for (i = 0; i < 4; i = i + 1)
      case (a[i * 4 +: 4])
        4'd0: y[i * 2 +: 2] = 0;
        4'd1, 4'd2: y[i * 2 +: 2] = i;
        default: y[i * 2 +: 2] = a[i * 4 +: 2];
      endcase
endmodule

module case_selector_is_signed(input signed [2:0] a, output reg [1:0] y);
  always @*
    case (a)
      -1: y = 1;
      -4: y = 2;
      7: y = 3;  // never
      default: y = 0;
    endcase
endmodule

module if_chain(input [3:0] a, b, output reg [3:0] y);
  always @*
    if (a < b) y = a;
    else if (a == b) y = 4'hf;
    else if (a[0]) begin
      y = b;
      if (b[0]) y = y + 1;
    end else y = ~b;
endmodule

module if_dangling_else(input [2:0] a, output reg [1:0] y);
  always @* begin
    y = 0;
    if (a[0])
      if (a[1]) y = 1;
      else y = 2;
    if (a[2]) begin
      if (a[1]) y = 3;
    end else y = y + 1;
  end
endmodule

module if_of_vector(input [3:0] a, input signed [3:0] b, output reg x, y);
  always @* begin
    x = 0;
    y = 0;
    if (a) x = 1;
    if (a + b) y = 1;
  end
endmodule
