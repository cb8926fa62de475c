"""Ports as different authors spell them."""

from __future__ import annotations

import pytest

from lift.discover.spelling import spelling


@pytest.mark.parametrize(
    ("inputs", "outputs", "usual"),
    [
        (["cmd_valid_i", "cmd_op_i"], ["cmd_ready_o"], ["cmd_valid", "cmd_op", "cmd_ready"]),
        (["i_cmd_valid", "i_cmd_op"], ["o_cmd_ready"], ["cmd_valid", "cmd_op", "cmd_ready"]),
        (["valid_in", "data_in"], ["ready_out", "valid_out"], ["in_valid", "in_data", "in_ready", "out_valid"]),
        (["i_valid", "i_data"], ["o_ready", "o_valid"], ["in_valid", "in_data", "in_ready", "out_valid"]),
        (["cmd_vld", "cmd_op"], ["cmd_rdy"], ["cmd_valid", "cmd_op", "cmd_ready"]),
        (["mem_gnt"], ["mem_req", "mem_addr"], ["mem_ready", "mem_valid", "mem_addr"]),
        (["cmd_valid", "cmd"], ["cmd_ready"], ["cmd_valid", "cmd_cmd", "cmd_ready"]),
        (["CMD_VALID", "CMD"], ["CMD_READY"], ["cmd_valid", "cmd_cmd", "cmd_ready"]),
        (["clk", "rstb", "ivld", "icode"], ["irdy"], ["clk", "rstb", "i_valid", "i_code", "i_ready"]),
        (["cmdvalid", "cmdop"], ["cmdready"], ["cmd_valid", "cmd_op", "cmd_ready"]),
        (["s_axis_tvalid", "s_axis_tdata"], ["s_axis_tready"], ["s_axis_valid", "s_axis_data", "s_axis_ready"]),
        (["mem_ack", "mem_rvalid", "mem_rdata"], ["mem_req", "mem_addr"], ["mem_ready", "mem_resp_valid", "mem_resp_data", "mem_valid", "mem_addr"]),
        (
            ["m_axi_ARREADY", "m_axi_RVALID", "m_axi_RDATA"],
            ["m_axi_ARVALID", "m_axi_ARADDR", "m_axi_RREADY"],
            ["m_axi_rd_req_ready", "m_axi_rd_resp_valid", "m_axi_rd_resp_data", "m_axi_rd_req_valid", "m_axi_rd_req_addr", "m_axi_rd_resp_ready"],
        ),
        (["a_q0"], ["a_ce0", "a_address0"], ["a_resp_bits_data", "a_req_valid", "a_req_addr"]),
        ([], ["c_ce1", "c_address1", "c_we1", "c_d1"], ["c_1_req_valid", "c_1_req_addr", "c_1_req_write", "c_1_req_data"]),
        (["a_q0"], ["a_address0"], ["a_q0", "a_address0"]),
        (["axi_r_valid"], ["axi_ar_valid", "axi_ar_bits_addr"], ["axi_rd_resp_valid", "axi_rd_req_valid", "axi_rd_req_bits_addr"]),
    ],
)
def test_a_spelling_is_recognised(inputs: list[str], outputs: list[str], usual: list[str]) -> None:
    assert list(spelling(inputs, outputs).values()) == usual


def test_usual_names_stay_as_they_are() -> None:
    names = ["clock", "reset", "io_cmd_valid", "io_cmd_bits_op"], ["io_cmd_ready", "io_mem_req_valid"]
    assert all(port == name for port, name in spelling(*names).items())


def test_a_name_that_two_ports_would_have_is_left_alone() -> None:
    usual = spelling(["cmd_op_i", "cmd_op"], [])
    assert usual == {"cmd_op_i": "cmd_op_i", "cmd_op": "cmd_op"}


def test_words_that_begin_like_a_channel_stay_whole() -> None:
    names = ["m_ready", "m_rvalid", "m_rdata", "rst", "m_wrap"], ["m_valid", "m_addr"]
    usual = spelling(*names)
    assert [usual[n] for n in ("m_ready", "rst", "m_wrap", "m_valid")] == ["m_ready", "rst", "m_wrap", "m_valid"]


def test_an_acknowledgement_is_no_grant_where_the_data_comes_with_it() -> None:
    assert spelling(["mem_ack", "mem_rdata"], ["mem_req", "mem_addr"])["mem_ack"] == "mem_ack"


def test_a_grant_without_an_address_is_no_handshake_of_a_memory() -> None:
    assert spelling(["bus_gnt"], ["bus_req"]) == {"bus_gnt": "bus_gnt", "bus_req": "bus_req"}
