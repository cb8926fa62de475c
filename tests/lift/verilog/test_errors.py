"""Each file in errors/ is refused with the message beside it: location, what is wrong, what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lift.errors import UserError
from lift.netlist.simulate import Simulator
from lift.verilog import read

Golden = Callable[[Path, str], None]
INVERTER = "module top(input a, output y); assign y = ~a; endmodule\n"
FOLDER = Path(__file__).parent / "errors"


@pytest.mark.parametrize("name", [file.name for file in sorted([*FOLDER.glob("*.v"), *FOLDER.glob("*.sv")])])
def test_bad_source_is_refused_with_its_location(name: str, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    with pytest.raises(UserError) as caught:
        read([Path(name)], "top")
    golden(FOLDER / Path(name).with_suffix(".txt"), f"{caught.value}\n")


@pytest.mark.parametrize("message", sorted(FOLDER.glob("*.txt")), ids=lambda file: file.stem)
def test_message_says_where_what_and_what_to_do(message: Path) -> None:
    first, *advice = message.read_text().splitlines()
    assert advice, first
    assert first.startswith("error: ") or re.match(r"[\w.]+:\d+:\d+: error: ", first)


def test_missing_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere: error: no such file or directory"):
        read([tmp_path / "nowhere"], "top")


def test_empty_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the directory has no \.v or \.sv file"):
        read([tmp_path], "top")


def test_no_sources_are_refused() -> None:
    with pytest.raises(UserError, match="no source files given"):
        read([], "top")


def test_unknown_parameter_names_the_known_ones(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text("module top #(parameter W = 1)(input [W-1:0] a, output y); assign y = a[0]; endmodule\n")
    with pytest.raises(UserError, match=r"module 'top' has no parameter 'WIDTH'\n  its parameters are: W"):
        read([tmp_path], "top", parameters={"WIDTH": 3})


def test_undeclared_black_box_is_refused(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text("module top(input a, output y);\n  box b(.a(a), .y(y));\nendmodule\n")
    with pytest.raises(UserError, match=r"top\.v:2:7: error: black box 'box' is not declared"):
        read([tmp_path], "top", black_boxes=["box"])


def test_file_list_with_a_missing_file_is_refused_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "design.f").write_text("# design\nlost.v\n")
    with pytest.raises(UserError, match=r"design\.f:2: error: no such file 'lost\.v'"):
        read([], "top", file_lists=[tmp_path / "design.f"])


def test_file_list_with_an_unknown_option_is_refused(tmp_path: Path) -> None:
    (tmp_path / "design.f").write_text("-sverilog\n")
    with pytest.raises(UserError, match=r"design\.f:1: error: unsupported entry '-sverilog'\n  use file names, -f, -v"):
        read([], "top", file_lists=[tmp_path / "design.f"])


def test_file_list_that_names_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "design.f").write_text("-f design.f\n")
    with pytest.raises(UserError, match=r"design\.f: error: the file list names itself"):
        read([], "top", file_lists=[tmp_path / "design.f"])


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_bytes(b"\x7fELF\0\0module top(input a, output y); assign y = a; endmodule\0")
    with pytest.raises(UserError, match=r"top\.v: error: the file is not text\n  name Verilog sources only"):
        read([tmp_path / "top.v"], "top")


def test_file_that_is_no_text_is_passed_over_where_nothing_needs_it(tmp_path: Path) -> None:
    (tmp_path / "objects.v").write_bytes(b"\x7fELF\0\0")
    (tmp_path / "top.v").write_text(INVERTER)
    assert list(read([tmp_path], "top").outputs) == ["y"]


def test_unreadable_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "top.v").write_text(INVERTER)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(UserError, match=r"top\.v: error: the file cannot be read: permission denied\n  make it readable"):
        read([tmp_path], "top")


def test_comments_in_gbk_are_read_over(tmp_path: Path) -> None:
    comment = "\u4e2d\u6587\u6ce8\u91ca".encode("gbk")
    (tmp_path / "top.v").write_bytes(b"// " + comment + b"\n" + INVERTER.encode() + b"/* " + comment + b" */\n")
    assert list(read([tmp_path], "top").outputs) == ["y"]


def test_memory_of_a_million_words_is_one_memory(tmp_path: Path) -> None:
    ports = "input clk, we, input [19:0] a, input [31:0] d, output [31:0] q"
    body = "reg [31:0] m [0:(1<<20)-1]; integer i; initial for (i = 0; i < (1<<20); i = i + 1) m[i] = 0;"
    (tmp_path / "top.v").write_text(f"module top({ports}); {body} always @(posedge clk) if (we) m[a] <= d; assign q = m[a]; endmodule")
    assert read([tmp_path], "top").memories["m"].depth == 1 << 20


def test_words_of_a_thousand_bits_are_read(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text("module top(input [999:0] a, b, input [9:0] n, output [999:0] y); assign y = (a + b) >> n; endmodule")
    one = 1 << 990 | 5
    assert Simulator(read([tmp_path], "top")).outputs({"a": one, "b": 7, "n": 1}) == {"y": (one + 7) >> 1}


def test_unknown_reader_is_refused(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text("module top; endmodule\n")
    with pytest.raises(UserError, match="unknown reader 'other'"):
        read([tmp_path], "top", frontend="other")
