"""Channels and answers from the names and directions of ports."""

from __future__ import annotations

import pytest

from lift.discover.channels import answers, channels
from lift.netlist.model import Location, Netlist, Node, Register


def ports(inputs: dict[str, int], outputs: dict[str, int]) -> Netlist:
    values = {name: Node("undef", width, (), name) for name, width in outputs.items()}
    return Netlist("Unit", inputs, values, {}, {}, {}, {}, {"": "Unit"}, "clock", "reset")


def test_a_handshake_is_a_channel_with_its_payload() -> None:
    (found,) = channels(ports({"io_req_ready": 1}, {"io_req_valid": 1, "io_req_bits_addr": 8, "io_req_bits_len": 4}))
    assert (found.name, found.output, found.valid, found.ready) == ("io_req", True, "io_req_valid", "io_req_ready")
    assert found.payload == {"addr": "io_req_bits_addr", "len": "io_req_bits_len"}
    assert found.address == "io_req_bits_addr"


def test_a_port_belongs_to_the_longest_name() -> None:
    outputs = {"io_valid": 1, "io_x": 4, "io_req_valid": 1, "io_req_x": 4}
    assert {c.name: list(c.payload.values()) for c in channels(ports({}, outputs))} == {"io": ["io_x"], "io_req": ["io_req_x"]}


def test_an_enable_with_an_address_is_a_channel() -> None:
    (found,) = channels(ports({}, {"w_en": 1, "w_addr": 8, "w_data": 32}))
    assert (found.valid, found.payload) == ("w_en", {"addr": "w_addr", "data": "w_data"})


@pytest.mark.parametrize("name", ["io_ack", "done", "bus_rvalid"])
def test_a_lone_bit_named_like_an_event_is_a_channel(name: str) -> None:
    (found,) = channels(ports({name: 1}, {}))
    assert (found.valid, found.payload, found.output) == (name, {}, False)


def test_ports_that_are_spoken_for_are_left_out() -> None:
    assert channels(ports({}, {"q_valid": 1, "q_x": 3}), frozenset({"q_valid", "q_x"})) == ()


@pytest.mark.parametrize(
    ("request_name", "answer_name"), [("io_dma_req", "io_dma_resp"), ("uop_idx", "uop_data"), ("rd_req_0", "rd_resp_0"), ("wr_cmd", "wr_ack")]
)
def test_an_answer_is_named_like_its_request(request_name: str, answer_name: str) -> None:
    found = channels(ports({f"{answer_name}_valid": 1, f"{answer_name}_x": 3}, {f"{request_name}_valid": 1, f"{request_name}_x": 3}))
    (pair,) = answers(found)
    assert (pair.request.name, pair.channel.name) == (request_name, answer_name)


def test_answers_of_different_ports_are_not_mixed() -> None:
    netlist = ports({"rd_resp_0_valid": 1, "rd_resp_1_valid": 1}, {"rd_req_0_valid": 1, "rd_req_1_valid": 1})
    assert {(a.request.name, a.channel.name) for a in answers(channels(netlist))} == {("rd_req_0", "rd_resp_0"), ("rd_req_1", "rd_resp_1")}


def test_an_answer_without_data_is_late_and_repeats_what_has_the_same_name() -> None:
    netlist = ports({"d_resp_valid": 1, "d_resp_bits_id": 4, "d_resp_bits_bytes": 8}, {"d_req_valid": 1, "d_req_bits_id": 4, "d_req_bits_addr": 9})
    (pair,) = answers(channels(netlist))
    assert pair.late
    assert pair.echoes == {"id": "d_req_bits_id"}


def test_an_answer_with_data_is_given_at_once() -> None:
    netlist = ports({"d_resp_valid": 1, "d_resp_bits_data": 64}, {"d_req_valid": 1, "d_req_bits_addr": 9})
    (pair,) = answers(channels(netlist))
    assert not pair.late


def test_what_serves_others_is_no_answer() -> None:
    assert answers(channels(ports({"rd_idx_valid": 1, "rd_idx_bits": 4}, {"rd_data_valid": 1, "rd_data_bits": 8}))) == ()


def register(name: str, following: Node) -> Register:
    return Register(name, 1, following, Location("unit.v", 1))


@pytest.mark.parametrize("keeps", [True, False])
def test_an_output_that_shows_a_register_which_keeps_its_value_is_no_event(keeps: bool) -> None:
    flag, bit, zero = Node("reg", 1, (), "flag"), Node("input", 1, (), "set"), Node("const", 1, (), 0)
    following = Node("mux", 1, (bit, Node("const", 1, (), 1), flag if keeps else zero))
    unit = Netlist("Unit", {"set": 1}, {"finish": flag}, {"flag": register("flag", following)}, {}, {}, {}, {"": "Unit"}, "clock", "reset")
    assert [c.name for c in channels(unit)] == ([] if keeps else ["finish"])
