"""Both readers give the same graph, node by node, though they share neither parser nor elaboration."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.verilog import read
from tests.lift.verilog.same import differences
from tests.lift.verilog.test_constructs import FILES

RTL = Path(__file__).parents[3] / "rtl" / "gemmini"


def both(path: Path, top: str, **parameters: int) -> list[str]:
    return differences(*(read([path], top, frontend=f, parameters=parameters) for f in ("slang", "pyverilog")))


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_readers_agree_on_construct(file: Path) -> None:
    assert both(file, file.stem) == []


@pytest.mark.parametrize("dim", [2, 4])
def test_readers_agree_on_the_rtl(dim: int) -> None:
    assert both(RTL, "Gemmini", DIM=dim) == []


def test_a_difference_is_seen(tmp_path: Path) -> None:
    netlists = []
    for name, operator in (("one", "+"), ("two", "-")):
        (tmp_path / f"{name}.v").write_text(f"module top(input [3:0] a, output [3:0] y); assign y = a {operator} 4'd1; endmodule\n")
        netlists.append(read([tmp_path / f"{name}.v"], "top"))
    assert differences(*netlists) == ["output y", "wire y"]
