"""Public suites of Verilog files: each module that can be read, against an independent simulator."""
