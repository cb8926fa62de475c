"""Commands that are writes to registers: the buses are found, and what is lifted behind each does what the RTL does when a master drives the bus."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from act.backend.compile import Backend, compile_module
from act.generator.analyse import analyse
from act.hlo import parse_module
from act.hlo.evaluate import evaluate
from act.memory import memory_image, outputs
from act.oracle import Machine
from act.program import isa_digest
from act.taidl import Instruction, Int, Name, load, parse, print_text
from act.taidl.encode import encode
from lift.discover.buses import buses
from lift.discover.contract import discover, from_the_bus
from lift.netlist.clocking import level_of
from lift.netlist.simulate import Simulator
from lift.options import Options
from lift.pipeline import describe, lift
from lift.progress import Progress
from lift.unroll.machine import with_deep_recursion
from lift.verilog import read

DESIGN = Path(__file__).parent / "designs/bus"
TOPS = {"StrobeTop": None, "ApbTop": "APB", "AxiLiteTop": "AXI4-Lite", "WishboneTop": "Wishbone"}
MEMORY = 1024  # bytes behind the memory port
SOURCE, TARGET, COUNT, SCALE, OFFSET, LOAD, START, STORE = range(0, 32, 4)
NAMES = {"source", "target", "count", "scale", "offset", "load", "start", "store"}


@pytest.fixture(scope="module", name="texts")
def fixture_texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("lifted")
    result = {}
    for top in TOPS:
        outcome = with_deep_recursion(lambda top=top: lift(Options((DESIGN,), top, folder / f"{top}.taidl", "bus"), Progress()))
        assert outcome.shortcomings == []
        result[top] = (folder / f"{top}.taidl").read_text()
    return result


class Board:
    """The RTL as it is, a memory that answers after a random time, and the master of one bus."""

    def __init__(self, top: str, draw: random.Random, memory: np.ndarray) -> None:
        self.netlist = read([DESIGN], top)
        self.simulator, self.draw, self.memory = Simulator(self.netlist), draw, memory
        self.answer: int | None = None
        reset = str(self.netlist.reset)
        self.quiet = {reset: 1 - level_of(reset)}
        for _ in range(2):
            self.simulator.step({reset: level_of(reset)})

    def cycle(self, inputs: dict[str, int]) -> dict[str, int]:
        ready = self.draw.random() < 0.6
        driven = {**self.quiet, **inputs, "mem_req_ready": int(ready), "mem_resp_rdata": self.draw.getrandbits(32)}
        if self.answer is not None and self.draw.random() < 0.6:
            driven |= {"mem_resp_valid": 1, "mem_resp_rdata": self.answer}
            self.answer = None
        seen = self.simulator.step(driven)
        if ready and seen["mem_req_valid"]:
            at = seen["mem_req_addr"]
            if seen["mem_req_we"]:
                self.memory[at : at + 4] = list(seen["mem_req_wdata"].to_bytes(4, "little"))
            else:
                self.answer = int.from_bytes(self.memory[at : at + 4].tobytes(), "little")
        return seen

    def until(self, inputs: dict[str, int], *outputs: str) -> None:
        while not all(self.cycle(inputs)[o] for o in outputs):
            pass

    def settle(self) -> None:
        while self.simulator.registers["registers.engine.state"]:
            self.cycle({})

    def strobe(self, address: int, data: int) -> None:
        self.cycle({"cfg_wr_en": 1, "cfg_wr_addr": address, "cfg_wr_data": data})

    def apb(self, address: int, data: int) -> None:
        held = {"PSEL": 1, "PWRITE": 1, "PADDR": address, "PWDATA": data, "PSTRB": 15}
        self.cycle(held)
        self.until({**held, "PENABLE": 1}, "PREADY")

    def axi(self, address: int, data: int) -> None:
        """Address and data in either order, the answer later."""
        where, what = {"s_axi_awvalid": 1, "s_axi_awaddr": address}, {"s_axi_wvalid": 1, "s_axi_wdata": data, "s_axi_wstrb": 15}
        parts = [(where, "s_axi_awready"), (what, "s_axi_wready")]
        self.draw.shuffle(parts)
        for held, taken in parts:
            self.until(held, taken)
        while not self.cycle({})["s_axi_bvalid"]:
            pass
        self.until({"s_axi_bready": 1}, "s_axi_bvalid")

    def wishbone(self, address: int, data: int) -> None:
        held = {"wb_cyc_i": 1, "wb_stb_i": 1, "wb_we_i": 1, "wb_adr_i": address // 4, "wb_dat_i": data, "wb_sel_i": 15}
        self.until(held, "wb_ack_o")

    def write(self, address: int, data: int) -> None:
        {"StrobeTop": self.strobe, "ApbTop": self.apb, "AxiLiteTop": self.axi, "WishboneTop": self.wishbone}[self.netlist.top](address, data)
        for _ in range(4):
            self.cycle({})
        self.settle()


def writes(draw: random.Random) -> Iterator[tuple[int, int]]:
    """Writes of which every access lies in the memory and in the buffer."""
    yield from ((SOURCE, 4 * draw.randrange(64)), (TARGET, 512 + 4 * draw.randrange(64)), (COUNT, draw.choice([1, 2, 3, draw.randrange(1, 65)])))
    yield from ((SCALE, draw.getrandbits(32)), (OFFSET, draw.getrandbits(32)), (LOAD, draw.getrandbits(32)))
    yield from ((START, draw.getrandbits(32)) for _ in range(draw.randrange(3)))
    yield STORE, draw.getrandbits(32)


def attributes(each: Instruction, words: dict[str, int]) -> dict[str, int] | None:
    """What the fields of a command say, None when it is another instruction's."""
    found: dict[str, int] = {}
    for field in each.encode:
        bits = words[field.word.rsplit("_", 1)[-1]] >> field.low & (1 << field.high - field.low + 1) - 1
        if isinstance(field.value, Int) and field.value.value != bits:
            return None
        if isinstance(field.value, Name):
            found[field.value.name] = bits
    return found


def differences(top: str, text: str, seed: int) -> list[str]:
    draw = random.Random(seed)
    memory = np.array([draw.getrandbits(8) for _ in range(MEMORY)], np.uint8)
    accelerator = load(text.replace("u8[1 << 32]", f"u8[{MEMORY}]"))
    machine, board = Machine(accelerator, {"mem": memory.copy()}, seed), Board(top, draw, memory.copy())
    words = next(b for b in accelerator.buffers if b != "mem")
    board.simulator.memories["registers.engine.words"] = [int(v) & 0xFFFFFFFF for v in machine.buffers[words]]
    for address, data in writes(draw):
        board.write(address, data)
        command = {"addr": address >> 2 * (top == "WishboneTop"), "data": data}
        possible = [(n, a) for n, i in accelerator.instructions.items() if (a := attributes(i, command)) is not None]
        allowed = [(n, a) for n, a in possible if machine.requirement(n, a) is None]
        assert len(allowed) == 1, (address, data, possible)
        machine.step(*allowed[0])
        if not np.array_equal(machine.buffers["mem"], board.memory):
            return [f"{top}, seed {seed}: memory differs after a write of {data:#x} to {address:#x}"]
    return []


@pytest.mark.parametrize("top", TOPS)
def test_the_bus_is_found(top: str) -> None:
    netlist = read([DESIGN], top)
    assert [b.protocol for b in buses(netlist)] == ([TOPS[top]] if TOPS[top] else [])
    command = discover(from_the_bus(netlist)).command
    assert command is not None and {n.rsplit("_", 1)[-1] for n in command.words} == {"addr", "data"}


@pytest.mark.parametrize("top", TOPS)
def test_registers_are_instructions(texts: dict[str, str], top: str) -> None:
    found = load(texts[top]).instructions
    assert {n.split("_")[0] for n in found} == NAMES
    assert not any(i.opaque for i in found.values())


@pytest.mark.parametrize("top", TOPS)
def test_what_is_lifted_does_what_the_rtl_does(texts: dict[str, str], top: str) -> None:
    assert [line for seed in range(6) for line in differences(top, texts[top], seed)] == []


CHANGES = [("maximum(", "minimum("), ("add(", "subtract("), ("s16[`registers`] convert", "u16[`registers`] convert"), ("addr = 8;", "addr = 12;")]


@pytest.mark.parametrize("change", CHANGES)
def test_changes_of_the_text_are_noticed(texts: dict[str, str], change: tuple[str, str]) -> None:
    text = texts["ApbTop"]
    assert change[0] in text
    with pytest.raises(AssertionError):
        assert [line for seed in range(12) for line in differences("ApbTop", text.replace(*change), seed)] == []


def test_registers_that_say_where_are_addresses_of_composites(texts: dict[str, str]) -> None:
    accelerator = load(texts["StrobeTop"])
    found = {"; ".join(p.instruction for p in c.parts): (c.operation.alpha, c.operation.beta) for c in accelerator.composites.values()}
    assert found["count_2; source; load"] == (("registers",), ("registers_source",))
    assert found["count_2; start"] == (("registers",), ())
    assert {n for n, s in accelerator.states.items() if s.kind == "staged"} == {"registers_source", "target"}


def test_a_count_that_reaches_beyond_the_buffer_is_excluded(texts: dict[str, str]) -> None:
    assert "when    registers <= 64" in texts["StrobeTop"]


KERNEL = """HloModule scaled

ENTRY main {
  x = s32[N] parameter(0)
  low = s16[N] convert(x)
  wide = s32[N] convert(low)
  three = s32[] constant(SCALE)
  threes = s32[N] broadcast(three), dimensions={}
  scaled = s32[N] multiply(wide, threes)
  five = s32[] constant(OFFSET)
  fives = s32[N] broadcast(five), dimensions={}
  moved = s32[N] add(scaled, fives)
  zero = s32[] constant(0)
  zeros = s32[N] broadcast(zero), dimensions={}
  ROOT out = s32[N] maximum(moved, zeros)
}
"""


@pytest.mark.parametrize("top", TOPS)
@pytest.mark.parametrize(("size", "scale", "offset"), [(64, 3, -5), (5, -300, 70_000), (2, 32767, -(1 << 31))])
def test_kernels_run_on_the_rtl(texts: dict[str, str], top: str, size: int, scale: int, offset: int) -> None:
    accelerator = parse(texts[top])
    backend = Backend(accelerator, analyse(accelerator), isa_digest(print_text(accelerator)))
    module = parse_module(KERNEL.replace("[N]", f"[{size}]").replace("SCALE", str(scale)).replace("OFFSET", str(offset)))
    program = compile_module(backend, module).program
    draw = random.Random(size)
    x = np.array([draw.getrandbits(32) - (1 << 31) for _ in range(size)], np.int32)
    (image,) = memory_image(program, {"x": x}).values()
    board = Board(top, draw, image.copy())
    for command in program.commands:
        words = {n.rsplit("_", 1)[-1]: w for n, w in encode(accelerator, command.instruction, command.attributes).items()}
        board.write(words["addr"] << 2 * (top == "WishboneTop"), words["data"])
    assert np.array_equal(outputs(program, {"mem": board.memory})["out0"], evaluate(module, [x]))


def test_the_assumption_names_the_bus(texts: dict[str, str]) -> None:
    assert "commands are writes on the bus s_axi" in texts["AxiLiteTop"]
    assert "on the bus" not in texts["StrobeTop"]


def test_a_descriptor_that_names_ports_of_the_design_is_followed(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[command]\nvalid = "PENABLE"\nready = "PREADY"\nwords = { "a" = "PADDR", "d" = "PWDATA" }\n')
    printed = describe(Options((DESIGN,), "ApbTop", tmp_path / "x.taidl", "bus", descriptor=own))
    assert 'valid = "PENABLE"' in printed


def test_the_level_of_the_reset_that_a_descriptor_states_holds_for_the_master_too(tmp_path: Path) -> None:
    """Under another name the reset's level cannot be told; with the wrong one the master would never leave it."""
    (tmp_path / "apb.v").write_text((DESIGN / "apb.v").read_text().replace("PRESETn", "PRESET"))
    (tmp_path / "engine.v").write_text((DESIGN / "engine.v").read_text())
    own = tmp_path / "own.toml"
    own.write_text('reset = "PRESET"\nreset_active = 0\n')
    asked = Options((tmp_path,), "ApbTop", tmp_path / "x.taidl", "bus", descriptor=own)
    assert with_deep_recursion(lambda: lift(asked, Progress())).shortcomings == []
    found = load((tmp_path / "x.taidl").read_text()).instructions
    assert {n.split("_")[0] for n in found} == NAMES


def test_the_printed_descriptor_goes_back_in(tmp_path: Path) -> None:
    options = Options((DESIGN,), "WishboneTop", tmp_path / "x.taidl", "bus")
    own = tmp_path / "own.toml"
    own.write_text(describe(options))
    again = describe(Options((DESIGN,), "WishboneTop", tmp_path / "x.taidl", "bus", descriptor=own))
    assert [line for line in again.splitlines() if not line.startswith("#")] == [line for line in own.read_text().splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("name", ["rst_n", "aresetn", "PRESETn", "rst_ni", "rstn", "n_reset", "ap_rst_n"])
def test_resets_that_are_active_when_they_are_0(name: str) -> None:
    assert level_of(name) == 0


@pytest.mark.parametrize("name", ["reset", "rst", "wb_rst_i", "i_rst", "reset_i"])
def test_resets_that_are_active_when_they_are_1(name: str) -> None:
    assert level_of(name) == 1
