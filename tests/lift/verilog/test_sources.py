"""Which files of a folder are read, and what stands for those that are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.errors import UserError
from lift.netlist.simulate import Simulator
from lift.verilog import read
from lift.verilog.memory_models import memory_model

TOP = "module top(input [7:0] a, output [7:0] y); part p(.a(a), .y(y)); endmodule\n"
PART = "module part(input [7:0] a, output [7:0] y); assign y = a + 8'd1; endmodule\n"
MEMORY_PORTS = "input clk, input en, input [3:0] ra, wa, input [1:0] m, input [15:0] d, output [15:0] q"
MEMORY_PINS = ".R0_addr(ra), .R0_en(1'b1), .R0_clk(clk), .R0_data(q), .W0_addr(wa), .W0_en(en), .W0_clk(clk), .W0_data(d), .W0_mask(m)"


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.v").write_text(text)
    return folder


def result(folder: Path, a: int = 5, **options: object) -> int:
    return Simulator(read([folder], "top", **options)).outputs({"a": a})["y"]  # type: ignore[arg-type]


def test_errors_of_files_that_the_top_does_not_need_are_passed_over(tmp_path: Path) -> None:
    assert result(write(tmp_path, top=TOP, part=PART, broken="module broken(input a; endmodule"), 5) == 6


def test_errors_of_files_that_the_top_needs_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"part\.v:1:20: error: "):
        read([write(tmp_path, top=TOP, part="module part(input a; endmodule")], "top")


def test_time_scale_of_some_modules_only_is_no_error(tmp_path: Path) -> None:
    assert result(write(tmp_path, top=TOP, part="`timescale 1ns/1ps\n" + PART)) == 6


def test_equal_definitions_in_two_files_are_one(tmp_path: Path) -> None:
    assert result(write(tmp_path, top=TOP, part=PART, copy="// the same\n" + PART.replace(" assign", "\n  assign"))) == 6


def test_different_definitions_in_two_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"part\.v:1:8: error: duplicate definition of 'part'\n  remove one, or name the files"):
        read([write(tmp_path, top=TOP, other=PART.replace("1;", "2;"), part=PART)], "top")


def test_different_definitions_that_the_top_does_not_need_are_passed_over(tmp_path: Path) -> None:
    folder = write(tmp_path, top=TOP, part=PART, x="module x(input a); endmodule", y="module x(input b); endmodule")
    assert result(folder) == 6


def test_file_that_another_one_includes_is_read_once(tmp_path: Path) -> None:
    assert result(write(tmp_path, part=PART, top='`include "part.v"\n' + TOP)) == 6


def test_macro_of_another_file_is_found(tmp_path: Path) -> None:
    module = "module top(input [7:0] a, output [7:0] y); assign y = a + `STEP; endmodule"
    assert result(write(tmp_path, a_top=module, steps="`define STEP 8'd3\n")) == 8


def test_macro_that_is_nowhere_defined_is_refused(tmp_path: Path) -> None:
    module = "module top(input [7:0] a, output [7:0] y); assign y = a + `STEP; endmodule"
    with pytest.raises(UserError, match=r"a_top\.v:1:59: error: unknown macro or compiler directive '`STEP'\n  define the macro with -D"):
        read([write(tmp_path, a_top=module)], "top")
    assert result(tmp_path, defines={"STEP": "8'd4"}) == 9


def test_names_that_are_keywords_of_systemverilog_only_are_names_in_verilog(tmp_path: Path) -> None:
    assert result(write(tmp_path, top="module top(input [7:0] a, output [7:0] y); wire [7:0] do = a; assign y = do; endmodule")) == 5


def test_header_in_a_folder_below_is_found(tmp_path: Path) -> None:
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "step.vh").write_text("`define STEP 8'd9\n")
    assert result(write(tmp_path, top='`include "step.vh"\nmodule top(input [7:0] a, output [7:0] y); assign y = a + `STEP; endmodule')) == 14


def test_file_list_names_files_macros_folders_and_lists(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    write(tmp_path / "lib", part=PART.replace("8'd1", "`STEP"))
    write(tmp_path, top=TOP)
    (tmp_path / "inner.f").write_text("top.v // the top\n")
    (tmp_path / "all.f").write_text("-f inner.f\n-y lib +libext+.v\n+define+STEP=8'd2\n# done\nmodel.cc\n")
    (tmp_path / "model.cc").write_text("int main() {}\n")
    netlist = read([], "top", file_lists=[tmp_path / "all.f"])
    assert Simulator(netlist).outputs({"a": 5}) == {"y": 7}


def test_missing_top_names_similar_modules_of_a_large_folder(tmp_path: Path) -> None:
    write(tmp_path, **{f"m{k}": f"module m{k}; endmodule" for k in range(11)}, part=PART)
    with pytest.raises(UserError, match=r"no module 'parts' in the sources\n  of 12 modules, similar: part"):
        read([tmp_path], "parts")


def test_black_box_with_the_ports_of_a_memory_is_a_memory(tmp_path: Path) -> None:
    folder = write(tmp_path, top=f"module top({MEMORY_PORTS}); mem_ext mem_ext({MEMORY_PINS}); endmodule")
    simulator = Simulator(read([folder], "top"))
    row = {"en": 1, "wa": 3, "ra": 3, "m": 0b11, "d": 0xABCD}
    simulator.step(row)
    simulator.step(row | {"m": 0b01, "d": 0x1234})
    simulator.step(row | {"en": 0})
    assert simulator.outputs(row) == {"q": 0xAB34}


def test_memory_model_reads_or_writes_through_one_port() -> None:
    widths = {"RW0_addr": 2, "RW0_en": 1, "RW0_clk": 1, "RW0_wmode": 1, "RW0_wdata": 8, "RW0_rdata": 8}
    text = memory_model("ram", widths)
    assert text is not None
    assert "if (RW0_wmode) begin" in text


def test_black_box_with_other_ports_has_no_model() -> None:
    assert memory_model("box", {"R0_addr": 2, "R0_clk": 1, "R0_data": 8, "go": 1}) is None
