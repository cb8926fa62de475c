module a; endmodule
module b; endmodule
