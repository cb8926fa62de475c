// A dependency queue between two modules. Its tokens carry nothing, so that a count of them is the whole queue.
// 2**BITS tokens at once would be none: a program must not leave that many.
module TokenQueue #(
    parameter BITS = 8
) (
    input  wire clock,
    input  wire reset,
    input  wire push,
    input  wire pop,
    output wire available
);
    reg [BITS-1:0] count;

    assign available = (count != {BITS{1'b0}});

    always @(posedge clock) begin
        if (reset) count <= {BITS{1'b0}};
        else if (push && !pop) count <= count + 1'b1;
        else if (pop && !push) count <= count - 1'b1;
    end
endmodule
