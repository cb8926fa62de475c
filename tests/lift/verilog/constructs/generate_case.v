// generate case and parameters that derive from others.
module generate_case(input [7:0] a, output [7:0] y, output [7:0] z);
  parameter KIND = 2;
  localparam NEXT = KIND + 1;
  generate
    case (KIND)
      1: assign y = a;
      2: begin : two
        assign y = a + NEXT;
      end
      default: assign y = 0;
    endcase
    if (NEXT > 2) assign z = ~a;
    else assign z = a;
  endgenerate
endmodule
