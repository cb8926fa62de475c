"""The level at which a reset resets, from what it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.netlist.resetting import reset_level
from lift.verilog import read

DESIGN = """
module inner(input clk, input clear, input d, output reg q, output reg [3:0] n);
    always @(posedge clk) if (clear) begin q <= 0; n <= 4'd9; end else begin q <= d; n <= n + 1; end
endmodule
module outer(input clk, input {name}, input en, input d, output q, output [3:0] n, output reg busy);
    inner inner(.clk(clk), .clear({sense}{name}), .d(d), .q(q), .n(n));
    always @({edges}) {body}
endmodule
"""
ASYNCHRONOUS = "if (!{name}) busy <= 0; else if (en) busy <= d;"
SYNCHRONOUS = "busy <= {name} & (en ? d : busy);"


@pytest.mark.parametrize(
    ("name", "sense", "edges", "body", "level"),
    [
        ("reset_l", "~", "negedge clk or negedge reset_l", ASYNCHRONOUS, 0),
        ("arst_n", "!", "posedge clk or negedge arst_n", ASYNCHRONOUS, 0),
        ("rst_n", "", "posedge clk", SYNCHRONOUS.replace("{name}", "~rst_n"), 1),  # whatever its name says
        ("init", "~", "posedge clk", SYNCHRONOUS, 0),
    ],
)
def test_a_reset_resets_at_the_level_that_fixes_registers(name: str, sense: str, edges: str, body: str, level: int, tmp_path: Path) -> None:
    text = DESIGN.format(name=name, sense=sense, edges=edges, body=body.format(name=name))
    text = text.replace("posedge clk", "negedge clk") if "negedge clk" in edges else text
    (tmp_path / "outer.v").write_text(text)
    assert reset_level(read([tmp_path / "outer.v"], "outer"), name) == level


def test_where_that_does_not_tell_the_name_does(tmp_path: Path) -> None:
    (tmp_path / "kept.v").write_text("module kept(input clk, input rst_n, input d, output reg q); always @(posedge clk) q <= d; endmodule")
    assert reset_level(read([tmp_path / "kept.v"], "kept"), "rst_n") == 0
