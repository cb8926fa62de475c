"""What is assembled and is not well-formed stays opaque by itself, with the verifier's reason; everything else is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from act.errors import UserError
from act.taidl import Accelerator
from act.taidl.text import parse
from act.taidl.verify import load, verify
from lift.assemble import wellformed
from lift.assemble.errors import NotWellFormed
from lift.assemble.wellformed import ill_formed
from lift.cli import main

WIDE = """
module Wide (
    input wire clock, input wire reset,
    input wire cmd_valid, output wire cmd_ready,
    input wire [1:0] cmd_op, input wire [31:0] cmd_a, input wire [31:0] cmd_b,
    output wire [127:0] seen, output wire [7:0] little
);
    localparam [1:0] OP_WIDE = 2'd1;
    localparam [1:0] OP_NARROW = 2'd2;
    reg [127:0] wide;
    reg [7:0] narrow;
    assign cmd_ready = 1'b1;
    assign seen = wide;
    assign little = narrow;
    always @(posedge clock) begin
        if (reset) begin wide <= 128'd0; narrow <= 8'd0; end
        else if (cmd_valid) case (cmd_op)
            OP_WIDE: wide <= {cmd_a, cmd_b, cmd_b, cmd_a};
            OP_NARROW: narrow <= cmd_a[7:0];
            default: ;
        endcase
    end
endmodule
"""
TEXT = """taidl 1
accelerator tiny
command op : 2, a : 8
config n : u8 = 0
buffer mem : u8[16]
instruction good(x)
  encode op = 1; a[7:0] = x
  set n = x
instruction bad(x)
  encode op = 2; a[7:0] = x
  %s
"""


def lifted(tmp_path: Path, *arguments: str) -> tuple[int, str]:
    source = tmp_path / "Wide.v"
    source.write_text(WIDE)
    status = main([str(source), "--top", "Wide", "-o", str(tmp_path / "wide.taidl"), "--no-cache", "--report", str(tmp_path / "report"), *arguments])
    return status, (tmp_path / "wide.taidl").read_text() if (tmp_path / "wide.taidl").exists() else ""


def test_a_register_that_no_type_holds_makes_its_instruction_opaque_and_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = lifted(tmp_path)
    found = load(text)
    assert status == 3
    assert {n: i.opaque for n, i in found.instructions.items()} == {"narrow": False, "wide": True}
    assert list(found.states) == ["narrow"]
    assert "wide is opaque: what was put together for it is not well-formed: register 'wide': expected an integer type" in capsys.readouterr().err


def test_the_report_has_the_reason(tmp_path: Path) -> None:
    lifted(tmp_path)
    assert any("not well-formed: register 'wide'" in p.read_text() for p in (tmp_path / "report").iterdir())


def test_an_instruction_that_the_verifier_refuses_is_opaque_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuses(accelerator: Accelerator) -> list[UserError]:
        wrong = [i for i in accelerator.instructions.values() if i.name == "narrow" and not i.opaque]
        return [*verify(accelerator), *(UserError(None, f"{i.name}: index 9 is beyond 8") for i in wrong)]

    monkeypatch.setattr(wellformed, "verify", refuses)
    status, text = lifted(tmp_path, "--allow-partial")
    assert status == 0
    assert {n: i.opaque for n, i in load(text).instructions.items()} == {"narrow": True, "wide": True}
    assert "narrow is opaque: what was put together for it is not well-formed: index 9 is beyond 8" in capsys.readouterr().err


def test_what_is_wrong_with_the_whole_is_an_error_of_the_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(wellformed, "verify", lambda _: [UserError(None, "a note (assume) is about 'x', which is no instruction")])
    status, text = lifted(tmp_path)
    assert (status, text) == (4, "")
    assert "which is no instruction" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("clause", "reason"),
    [
        ("set m = x", "m"),
        ("when x < 0\n  set n = x", "when"),
        ("read %x0 = mem[i : i < 17]\n  write mem[i : i < 17] = %x0\n  body {\n    ROOT %x0 = u8[17] parameter(0)\n  }", "beyond 0 to 15"),
        ("read %x0 = mem[i : i < 4]\n  write mem[i : i < 4] = %v0\n  body {\n    %x0 = u8[4] parameter(0)\n    ROOT %v0 = u128[4] convert(%x0)\n  }", "u128"),
    ],
    ids=["register-that-is-not-there", "condition-that-never-holds", "slice-out-of-bounds", "element-of-128-bits"],
)
def test_the_reason_is_the_verifiers_and_is_about_one_instruction(clause: str, reason: str) -> None:
    found = ill_formed(parse(TEXT % clause), ["good", "bad"])
    assert list(found.operations) == ["bad"]
    assert reason in found.operations["bad"]


def test_an_instruction_that_must_not_be_left_out_is_an_error() -> None:
    with pytest.raises(NotWellFormed, match="bad: "):
        ill_formed(parse(TEXT % "set m = x"), ["good"])
