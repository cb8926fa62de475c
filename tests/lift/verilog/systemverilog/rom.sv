// Tables that initial blocks fill, one by a loop and one by a pattern.
module rom(input [3:0] a, output [7:0] square, output [7:0] word, output [7:0] fixed);
  logic [7:0] squares [0:15];
  logic [7:0] words [0:3] = '{8'd9, 8'h5a, 8'd77, 8'hff};
  logic [7:0] always_seven = 7;
  initial for (int i = 0; i < 16; i++) squares[i] = i * i;
  assign square = squares[a], word = words[a[1:0]], fixed = always_seven;
endmodule
