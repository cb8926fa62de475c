"""Each file in errors/ is refused with the message beside it: location, what is wrong, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.errors import UserError
from lift.verilog import read

FOLDER = Path(__file__).parent / "errors"


@pytest.mark.parametrize("name", [file.stem for file in sorted(FOLDER.glob("*.v"))])
def test_bad_source_is_refused_with_its_location(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    with pytest.raises(UserError) as caught:
        read([Path(f"{name}.v")], "top")
    assert str(caught.value) == (FOLDER / f"{name}.txt").read_text().rstrip("\n")


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


def test_file_list_with_an_option_is_refused(tmp_path: Path) -> None:
    (tmp_path / "design.f").write_text("-y lib\n")
    with pytest.raises(UserError, match=r"design\.f:1: error: unsupported entry '-y lib'"):
        read([], "top", file_lists=[tmp_path / "design.f"])


def test_unknown_reader_is_refused(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text("module top; endmodule\n")
    with pytest.raises(UserError, match="unknown reader 'other'"):
        read([tmp_path], "top", frontend="other")
