"""Bursts, padding and loops over micro-operations: from the RTL of a small accelerator to its instruction set."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from lift.crosscheck.predicted import predicted
from lift.crosscheck.sample import Before
from lift.crosscheck.sample import draw as random_state
from lift.discover.bursts import single_beats
from lift.discover.contract import discover
from lift.discover.state import find
from lift.options import Options
from lift.pipeline import lift, read_netlist, understand
from lift.progress import Progress
from lift.unroll.extract import Lift, extract
from lift.unroll.machine import Machine, with_deep_recursion
from lift.verilog import read
from tests.lift.replay import Bench, State

DESIGN = Path(__file__).parent / "designs/micro"  # LOAD with rows of zeros before and after, ADD over micro-operations in three loops, STORE in bursts

TRIALS = 12

Golden = Callable[[Path | str, str], None]


def lifted(rtl: Path, target: Path) -> str:
    """The instruction set without where it comes from."""
    asked = Options((rtl,), "Micro", target, "micro", prove=False)
    with_deep_recursion(lambda: lift(asked, Progress()))
    lines = target.read_text().splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith(("#", "source"))) + "\n"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    return lifted(DESIGN, tmp_path_factory.mktemp("micro") / "micro.taidl")


def test_its_instruction_set_is_the_one_kept(text: str, golden: Golden) -> None:
    golden("designs/micro/micro.taidl", text)


def test_nothing_is_opaque(text: str) -> None:
    assert "opaque" not in text


def test_rows_of_zeros_are_padding(text: str) -> None:
    assert "padding=`head`_`tail`x0_0" in text


def test_loops_over_micro_operations_are_macros_whose_steps_look_their_addresses_up(text: str) -> None:
    assert "for n0 < outers {" in text
    assert "uops[n2 + uop] % 64" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("y < {5'd0, head}", "y <= {5'd0, head}"),
        ("y - {5'd0, head}", "y + {5'd0, head}"),
        ("dst_outer <= dst_outer + dst_0;", "dst_outer <= dst_outer + dst_1;"),
        ("micro[5:0] + dst_inner", "micro[5:0] - dst_inner"),
        ("{{8{row[8*k+7]}}, row[8*k+:8]}", "{8'd0, row[8*k+:8]}"),
        ("inner == inners - 6'd1", "inner == inners"),
        ("mem_wr_data_bits = x[0] ? sum[63:32] : sum[31:0]", "mem_wr_data_bits = x[0] ? sum[31:0] : sum[63:32]"),
    ],
)
def test_another_design_has_another_instruction_set(old: str, new: str, text: str, tmp_path: Path) -> None:
    rtl = tmp_path / "Micro.v"
    before = (DESIGN / "Micro.v").read_text()
    assert before.count(old) == 1
    rtl.write_text(before.replace(old, new))
    assert lifted(rtl, tmp_path / "micro.taidl") != text


class Host(dict[int, int]):
    """The bytes of the host's memory: those that were written, and behind them any."""

    def __init__(self, before: Before) -> None:
        super().__init__()
        self.before = before

    def get(self, address: int, default: int = 0) -> int:  # type: ignore[override]
        return self[address] if address in self else self.before.host_byte(address)


@pytest.fixture(scope="module")
def functions() -> Lift:
    asked = Options((DESIGN,), "Micro", Path("micro.taidl"), "micro")

    def work() -> Lift:
        netlist = read_netlist(asked)
        contract, decoded = understand(netlist, asked)
        return extract(find(Machine(single_beats(netlist, contract)), contract, decoded))

    return with_deep_recursion(work)


def command(functions: Lift, instruction: str, before: Before) -> dict[str, int]:
    """The words of a command with the bits of its opcode."""
    words = dict(before.fields)
    for word, low, width, value in functions.unit.executions[instruction].opcode.fixed:
        words[word] = words[word] & ~((1 << width) - 1 << low) | value << low
    return words


@pytest.mark.parametrize("instruction", ["load", "store", "add"])
def test_every_command_does_on_the_rtl_what_its_functions_say(functions: Lift, instruction: str) -> None:
    """With a memory that answers late, from random states; micro-operations of `add` often name a row that another one has written."""
    draw = random.Random(instruction)
    for mode in functions.modes[instruction]:
        for _ in range(TRIALS):
            before = random_state(functions, mode, draw)
            bench = Bench(functions.unit.machine.netlist, functions.unit.contract, draw)
            bench.load(State(before.registers, before.memories))
            bench.host = Host(before)
            after, expected = bench.run(command(functions, instruction, before)), predicted(functions, mode, before)
            assert after.memories == expected.memories
            assert {a: bench.host[a] for a in expected.host} == expected.host


def test_a_word_read_before_the_loop_is_not_taken_for_what_a_step_reads(tmp_path: Path) -> None:
    rtl = tmp_path / "Micro.v"
    text = (DESIGN / "Micro.v").read_text()
    changes = [
        ("MORE = 4'd14;", "MORE = 4'd14, FIRST = 4'd15;"),
        ("== OP_ADD ? UOP", "== OP_ADD ? FIRST"),
        ("    reg [63:0] sum;", "    reg [63:0] sum;\n    reg [15:0] bias;"),
        ("            // ADD\n", "            FIRST: begin\n                bias <= acc[0][15:0];\n                state <= UOP;\n            end\n"),
        ("sum[16*k+:16] <= sum[16*k+:16] +", "sum[16*k+:16] <= sum[16*k+:16] + bias +"),
        ("(outer == outers - 6'd1) state <= IDLE;", "(outer == outers - 6'd1) begin state <= IDLE; bias <= 0; end"),
        ("            row <= 0;\n            micro", "            row <= 0;\n            bias <= 0;\n            micro"),
    ]
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    rtl.write_text(text)
    said = lifted(rtl, tmp_path / "micro.taidl")
    assert "instruction add()\n  encode  bits[1:0] = 2\n  opaque" in said


def test_words_of_different_widths_are_no_bursts_of_one_memory(tmp_path: Path) -> None:
    rtl = tmp_path / "Micro.v"
    rtl.write_text((DESIGN / "Micro.v").read_text().replace("output wire [31:0] mem_wr_data_bits", "output wire [63:0] mem_wr_data_bits"))
    assert discover(read([rtl], "Micro")).bursts == ()


def test_bursts_are_found_and_become_a_port_of_single_beats() -> None:
    netlist = read([DESIGN], "Micro")
    contract = discover(netlist)
    assert [(b.request.name, b.data.name, b.done.name if b.done else None) for b in contract.bursts] == [
        ("mem_wr_cmd", "mem_wr_data", "mem_wr_ack"),
        ("mem_rd_cmd", "mem_rd_data", None),
    ]
    assert contract.memory is not None
    behind = single_beats(netlist, contract)
    assert {contract.memory.request_valid, contract.memory.address, contract.memory.write} <= behind.outputs.keys()
    assert not {"mem_rd_data_valid", "mem_wr_data_ready", "mem_wr_ack_valid"} & behind.inputs.keys()
