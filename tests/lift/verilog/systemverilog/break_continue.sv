// Loops that are left early, by a value: the first one, a count without multiples of three, a search that returns.
module break_continue(input [7:0] a, input [7:0] key, output logic [3:0] first, output logic [3:0] count, output logic [3:0] found);
  integer k;
  always_comb begin
    first = 8;
    for (k = 0; k < 8; k = k + 1) begin
      if (a[k]) break;
    end
    first = k[3:0];
    count = 0;
    for (int i = 0; i < 8; i++) begin
      if (i % 3 == 0) continue;
      if (!a[i]) continue;
      count++;
      if (count == 3) break;
    end
  end
  function automatic [3:0] search(input [7:0] text, input [1:0] pattern);
    for (int i = 0; i < 7; i++)
      if (text[i +: 2] == pattern) return i[3:0];
    return 4'd15;
  endfunction
  assign found = search(a, key[1:0]);
endmodule
