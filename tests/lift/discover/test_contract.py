"""The contract of a unit from its ports, or from a descriptor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lift.discover.commands import decoder
from lift.discover.contract import discover
from lift.discover.descriptor import instructions, print_descriptor
from lift.errors import UserError
from lift.netlist.model import Netlist
from lift.verilog import read
from tests.lift.lifted import RTL, lift_of

MICRO = Path(__file__).parents[1] / "designs/micro"
PORTS = """
module Unit (input wire clk, input wire %s, input wire go_valid, output wire go_ready, input wire [7:0] go_word);
    reg [7:0] kept;
    assign go_ready = 1'b1;
    always @(posedge clk) if (%s) kept <= 8'd0; else if (go_valid) kept <= go_word;
endmodule
"""


def unit(folder: Path, reset: str = "reset", active: str = "reset") -> Netlist:
    file = folder / "unit.v"
    file.write_text(PORTS % (reset, active))
    return read([file], "Unit")


def stated(folder: Path, text: str) -> Path:
    file = folder / "unit.toml"
    file.write_text(text)
    return file


def test_the_ports_of_the_accelerator_are_found() -> None:
    contract = discover(read([RTL], "Gemmini", parameters={"DIM": 4}))
    assert contract.command is not None
    assert contract.command.words == {"funct": "cmd_funct", "rs1": "cmd_rs1", "rs2": "cmd_rs2"}
    memory = contract.memory
    assert memory is not None
    assert (memory.request_valid, memory.write, memory.write_mask, memory.response_data) == ("mem_req_valid", "mem_req_write", "mem_req_mask", "mem_resp_data")
    assert (memory.address_bits, memory.data_bytes) == (40, 16)


def test_a_handshake_with_a_payload_is_the_command_port(tmp_path: Path) -> None:
    contract = discover(unit(tmp_path))
    assert contract.command is not None
    assert (contract.command.valid, contract.command.ready, contract.command.words) == ("go_valid", "go_ready", {"word": "go_word"})
    assert contract.memory is None


def test_a_descriptor_comes_before_what_is_found(tmp_path: Path) -> None:
    contract = discover(unit(tmp_path), stated(tmp_path, '[command]\nvalid = "go_valid"\nwords = { w = "go_word" }\n'))
    assert contract.command is not None
    assert contract.command.words == {"w": "go_word"}


def test_what_is_printed_is_read_back_as_the_same_contract(tmp_path: Path) -> None:
    netlist = read([RTL], "Gemmini", parameters={"DIM": 4})
    found = discover(netlist)
    assert found.command is not None
    decoded = decoder(netlist, found.command)
    file = stated(tmp_path, print_descriptor(found, decoded, netlist))
    assert replace(discover(netlist, file), reasons={}) == replace(found, reasons={})
    assert instructions(file, found.command, netlist) == decoded


def test_the_port_that_stands_for_bursts_is_read_back(tmp_path: Path) -> None:
    netlist = read([MICRO], "Micro")
    found = discover(netlist)
    assert found.bursts
    file = stated(tmp_path, print_descriptor(found, None, netlist))
    assert replace(discover(netlist, file), reasons={}) == replace(found, reasons={})
    other = stated(tmp_path, print_descriptor(found, None, netlist).replace(".address", ".addresses"))
    with pytest.raises(UserError, match=r"memory.request_valid is 'mem.valid', which Micro does not have"):
        discover(netlist, other)


UNNAMED = """
module Unit (input clk, input reset, input doit, output idle, input [3:0] what, input [7:0] how, output read, output [7:0] at, input [7:0] got);
    reg [7:0] sum;
    reg state;
    assign idle = ~state;
    assign read = state;
    assign at = sum;
    always @(posedge clk) if (reset) begin sum <= 8'd0; state <= 1'b0; end
        else if (state) begin sum <= got; state <= 1'b0; end
        else if (doit) case (what) 4'd1: sum <= sum + how; 4'd2: state <= 1'b1; 4'd3: sum <= 8'd0; endcase
endmodule
"""


def test_what_was_not_found_is_printed_as_a_form_to_fill_in(tmp_path: Path) -> None:
    (tmp_path / "unit.v").write_text(UNNAMED)
    netlist = read([tmp_path / "unit.v"], "Unit")
    printed = print_descriptor(discover(netlist), None, netlist)
    assert printed.endswith("# inputs that belong to nothing above: doit, what, how, got\n\n# outputs that belong to nothing above: idle, read, at\n")
    form = [line.removeprefix("# ") for line in printed.splitlines() if line.startswith(("# [command]", "# valid", "# ready", "# words"))]
    filled = "\n".join(form).replace('valid = "INPUT"', 'valid = "doit"').replace('ready = "OUTPUT"', 'ready = "idle"')
    file = stated(tmp_path, filled.replace(', "got" = "got"', ""))
    command = discover(netlist, file).command
    assert command is not None
    assert (command.valid, command.ready, command.words) == ("doit", "idle", {"what": "what", "how": "how"})
    found = decoder(netlist, command)
    assert found is not None
    assert found.names == {1: "op_1", 2: "op_2", 3: "op_3"}


def test_bits_that_say_which_instruction_it_is_have_a_form_too(tmp_path: Path) -> None:
    netlist = unit(tmp_path)
    printed = print_descriptor(discover(netlist), None, netlist)
    form = [line.removeprefix("# ") for line in printed.splitlines() if line.startswith(("# [instructions]", "# word =", "# low", "# width", "# names"))]
    found = discover(netlist).command
    assert found is not None
    decoded = instructions(stated(tmp_path, "\n".join(form)), found, netlist)
    assert decoded is not None
    assert decoded.names == {0: "first", 1: "second"}


def test_inputs_that_nothing_gives_are_named_where_a_unit_waits(tmp_path: Path) -> None:
    text = UNNAMED.replace("doit", "do_valid").replace("idle", "do_ready").replace(" what", " do_what").replace("(what", "(do_what")
    (tmp_path / "unit.v").write_text(text.replace("if (state)", "if (state && got[0])"))
    lift = lift_of([tmp_path / "unit.v"], "Unit")
    assert "(how, got: a descriptor may state them as words" in lift.opaque["op_2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[command]\nvalid = "no_such"\n', "no_such"),
        ('[command]\nvalid = "go_valid"\nwords = { w = "elsewhere" }\n', "elsewhere"),
        ('[memory]\nrequest_valid = "absent"\n', "absent"),
        ("[memory]\n", "request_valid"),
        ("not toml at all", "TOML"),
        ('[[channel]]\nname = "c"\nvalid = "nowhere"\n', "nowhere"),
        ('[[channel]]\nname = "c"\n', "no ports"),
        ('[[answer]]\nrequest = "a"\nchannel = "b"\n', "channel that is not there"),
        ("channel = 3\n", "array of tables"),
    ],
)
def test_a_wrong_descriptor_is_refused_with_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        discover(unit(tmp_path), stated(tmp_path, text))
    assert message in str(caught.value)


def test_a_missing_descriptor_is_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(UserError):
        discover(unit(tmp_path), tmp_path / "absent.toml")
