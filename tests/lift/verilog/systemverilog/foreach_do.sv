// foreach over two dimensions, do and while with constant bounds.
module foreach_do(input [31:0] a, output logic [7:0] sum, output logic [7:0] largest, output logic [3:0] turns);
  logic [7:0] m [2][2];
  always_comb begin
    foreach (m[i, j]) m[i][j] = a[(i * 2 + j) * 8 +: 8];
    sum = 0;
    foreach (m[i]) sum += m[i][0] ^ m[i][1];
    largest = 0;
    foreach (m[i, j]) if (m[i][j] > largest) largest = m[i][j];
    turns = 0;
    do turns++; while (turns < 5);
  end
endmodule
