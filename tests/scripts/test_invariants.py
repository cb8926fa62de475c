"""What control registers have together, and what is held while it is used: found by induction, and not found where it does not hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.discover.contract import Contract, discover
from lift.netlist.model import Netlist
from lift.verilog import read
from proofs.mutation.held import held
from proofs.mutation.invariants import invariants
from proofs.mutation.joint import joints
from proofs.mutation.sequential import Compared

DESIGN = """
module Asks (input wire clock, input wire reset, input wire go, input wire [7:0] given, input wire slow,
    output wire asked_valid, input wire asked_ready, output wire [7:0] asked_addr);
    localparam [1:0] IDLE = 2'd0, ASKING = 2'd1, WAITING = 2'd2;
    reg [1:0] state, server;
    reg [7:0] base, i, address;
    wire [7:0] wanted = base + i;
    wire taken = (state == ASKING) && (server == IDLE);
    wire done = (server == WAITING) && !slow;
    assign asked_valid = (server == ASKING);
    assign asked_addr = address;
    always @(posedge clock) begin
        if (reset) begin state <= IDLE; base <= 8'd0; i <= 8'd0; end
        else case (state)
            IDLE: if (go) begin state <= ASKING; base <= given; end
            ASKING: if (taken) state <= WAITING;
            WAITING: begin
                if (done) begin state <= (i == 8'd7) ? IDLE : ASKING; i <= i + 8'd1; end
            end
            default: state <= IDLE;
        endcase
    end
    always @(posedge clock) begin
        if (reset) begin server <= IDLE; address <= 8'd0; end
        else begin
            if (taken) address <= wanted;
            case (server)
                IDLE: if (taken) server <= ASKING;
                ASKING: if (asked_ready) server <= WAITING;
                default: if (done) server <= IDLE;
            endcase
        end
    end
endmodule
"""


def design(folder: Path, text: str = DESIGN) -> tuple[Netlist, Contract]:
    (folder / "Asks.v").write_text(text)
    netlist = read([folder / "Asks.v"], "Asks")
    return netlist, discover(netlist)


def test_values_that_two_registers_have_together(tmp_path: Path) -> None:
    (found,) = joints(*design(tmp_path), [])
    assert (found.first, found.second) == ("state", "server")
    assert found.values == {(0, 0), (1, 0), (2, 1), (2, 2)}


def test_a_request_is_held_until_it_is_answered(tmp_path: Path) -> None:
    netlist, contract = design(tmp_path)
    assert ("address", "server") in {(h.register, h.control) for h in held(netlist, contract, [*joints(netlist, contract, [])])}


def test_one_that_moves_on_at_once_is_not(tmp_path: Path) -> None:
    moves = DESIGN.replace("WAITING: begin", "WAITING: begin if (!done) i <= i + 8'd1;")
    netlist, contract = design(tmp_path, moves)
    assert "address" not in {h.register for h in held(netlist, contract, [*joints(netlist, contract, [])])}


@pytest.mark.parametrize(
    ("changed", "equal"),
    [("address <= wanted", True), ("address <= base", False), ("if (!slow) address <= wanted", False)],
)
def test_what_is_loaded_again_while_it_is_held_is_the_same(tmp_path: Path, changed: str, equal: bool) -> None:
    netlist, contract = design(tmp_path)
    other, _ = design(tmp_path, DESIGN.replace("if (taken) address <= wanted", changed))
    assert bool(Compared(netlist, contract, more=invariants).proof(other)) is equal
    assert not Compared(netlist, contract).proof(other)


def test_what_counts_only_under_two_conditions(tmp_path: Path) -> None:
    """A word that is lost at rest, and used only where it was loaded: equal under a value of each of two registers."""
    text = DESIGN.replace("    wire [7:0] wanted = base + i;", "    reg [7:0] kept; reg none;\n    wire [7:0] wanted = none ? 8'd0 : kept;")
    text = text.replace("IDLE: if (go) begin", "IDLE: if (go) begin none <= slow; if (!slow) kept <= given;")
    changed = text.replace("IDLE: if (go) begin", "IDLE: if (!go) kept <= 8'd7; else begin").replace(
        "if (!slow) kept <= given;", "kept <= slow ? 8'd9 : given;"
    )
    netlist, contract = design(tmp_path, text)
    other, _ = design(tmp_path, changed)
    assert Compared(netlist, contract, more=invariants).proof(other)
