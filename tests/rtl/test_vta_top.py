"""The whole VTA at its ports: tokens, finish, and the memory port's rules, cycle by cycle."""

from __future__ import annotations

import subprocess
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
import vta_instructions as vta
from model_build import REPOSITORY
from simulate import Simulation
from vta_image import expected
from vta_instructions import Tokens
from vta_model import SMALL, Config
from vta_streams import random_stream

from lift.verilog import read

RTL = REPOSITORY / "rtl" / "vta"
CHANNELS = ("mem_rd_cmd", "mem_wr_cmd", "mem_wr_data")
OUTPUTS = ["inst_ready", "busy", "finish", "mem_rd_data_ready", "mem_wr_ack_ready",
           *(f"{channel}_valid" for channel in CHANNELS), *(f"mem_{way}_cmd_{part}" for way in ("rd", "wr") for part in ("addr", "len")), "mem_wr_data_bits"]
BEAT = 4


class Memory:
    """Answers at random times; asserts that what waits does not change, and that bursts are as README.md says."""

    def __init__(self, content: bytes, rng: Random):
        self.content, self.rng = bytearray(content), rng
        self.answers, self.writes, self.acks = deque[bytes](), deque[int](), 0
        self.waiting: dict[str, tuple[int, ...]] = {}
        self.inputs: dict[str, int] = {}

    def drive(self) -> dict[str, int]:
        offer = {"mem_rd_data_valid": bool(self.answers), "mem_wr_ack_valid": self.acks > 0}
        ready = {f"{channel}_ready": int(self.rng.random() < 0.5) for channel in CHANNELS}
        held = {name: int(there and (self.inputs.get(name, 0) or self.rng.random() < 0.5)) for name, there in offer.items()}
        self.inputs = {**ready, **held, "mem_rd_data_bits": int.from_bytes(self.answers[0] if self.answers else b"\x99" * BEAT, "little")}
        return self.inputs

    def cycle(self, seen: Mapping[str, int]) -> None:
        fires = {channel: self._fires(channel, seen) for channel in CHANNELS}
        if self.inputs["mem_rd_data_valid"] and seen["mem_rd_data_ready"]:
            self.answers.popleft()
        if self.inputs["mem_wr_ack_valid"] and seen["mem_wr_ack_ready"]:
            self.acks -= 1
        if fires["mem_wr_data"]:
            address = self.writes.popleft()
            self.content[address : address + BEAT] = seen["mem_wr_data_bits"].to_bytes(BEAT, "little")
            self.acks += not self.writes
        if fires["mem_rd_cmd"]:
            assert not self.answers, "two read bursts at once"
            start = seen["mem_rd_cmd_addr"]
            self.answers.extend(bytes(self.content[start + BEAT * b : start + BEAT * b + BEAT]) for b in range(seen["mem_rd_cmd_len"] + 1))
            assert len(self.answers) * BEAT <= 128
        if fires["mem_wr_cmd"]:
            assert not self.writes and not self.acks, "two write bursts at once"
            self.writes.extend(seen["mem_wr_cmd_addr"] + BEAT * b for b in range(seen["mem_wr_cmd_len"] + 1))

    def _fires(self, channel: str, seen: Mapping[str, int]) -> bool:
        parts = ("bits",) if channel == "mem_wr_data" else ("addr", "len")
        offer = tuple(seen[f"{channel}_{part}"] for part in parts) if seen[f"{channel}_valid"] else None
        before = self.waiting.pop(channel, None)
        assert before is None or offer == before, f"{channel} changed while it waited"
        if offer is not None and not self.inputs[f"{channel}_ready"]:
            self.waiting[channel] = offer
        return offer is not None and bool(self.inputs[f"{channel}_ready"])


def run(sim: Simulation, program: list[int], memory: Memory, cycles: int) -> dict[str, int]:
    """Offers the program for at most so many cycles or until idle; returns the last outputs, with how many instructions were taken."""
    taken, seen = 0, dict.fromkeys(OUTPUTS, 0)
    for _ in range(cycles):
        sim.set("inst_valid", int(taken < len(program)))
        sim.set("inst_bits", program[taken] if taken < len(program) else 0)
        for name, value in memory.drive().items():
            sim.set(name, value)
        seen = dict(zip(OUTPUTS, sim.get_all(OUTPUTS), strict=True))
        if taken == len(program) and not seen["busy"]:
            break
        memory.cycle(seen)
        taken += taken < len(program) and seen["inst_ready"]
        sim.step()
    return seen | {"taken": taken}


def machine(config: Config = SMALL) -> Simulation:
    sim = Simulation("rtl/vta", "VTA", config.parameters())
    sim.reset()
    return sim


@pytest.mark.parametrize("seed", [1, 2])
def test_the_memory_port_keeps_its_rules_under_random_streams(seed: int) -> None:
    case = random_stream(Random(seed), SMALL, 20)
    memory = Memory(case.memory, Random(seed))
    with machine() as sim:
        assert not run(sim, list(case.program), memory, 50000)["busy"]
    assert memory.content == expected(case, SMALL).memory


@pytest.mark.parametrize(("giver", "taker"), [
    (vta.load(vta.INP, 0, 0, 0, 0, 0, tokens=Tokens(push_next=True)), vta.load(vta.UOP, 0, 0, 0, 0, 0, tokens=Tokens(pop_prev=True))),
    (vta.load(vta.UOP, 0, 0, 0, 0, 0, tokens=Tokens(push_prev=True)), vta.load(vta.WGT, 0, 0, 0, 0, 0, tokens=Tokens(pop_next=True))),
    (vta.load(vta.ACC, 0, 0, 0, 0, 0, tokens=Tokens(push_next=True)), vta.store(0, 0, 0, 0, 0, Tokens(pop_prev=True))),
    (vta.store(0, 0, 0, 0, 0, Tokens(push_prev=True)), vta.finish(Tokens(pop_next=True))),
], ids=["load-compute", "compute-load", "compute-store", "store-compute"])
def test_an_instruction_waits_for_the_token_of_its_neighbour(giver: int, taker: int) -> None:
    memory = Memory(bytes(64), Random(1))
    with machine() as sim:
        assert run(sim, [taker], memory, 100)["busy"]
        assert not run(sim, [giver], memory, 100)["busy"]
        assert run(sim, [taker], memory, 100)["busy"], "a token serves once"


def test_finish_rises_when_its_turn_comes_and_stays() -> None:
    memory = Memory(bytes(64), Random(1))
    nothing = vta.load(vta.UOP, 0, 0, 0, 0, 0)
    with machine() as sim:
        assert run(sim, [nothing], memory, 100)["finish"] == 0
        assert run(sim, [vta.finish()], memory, 100)["finish"] == 1
        assert run(sim, [nothing], memory, 100)["finish"] == 1


def test_modules_overlap() -> None:
    """A long load, a long loop and a store together take less than one after the other."""
    def cycles(program: list[int]) -> int:
        with machine() as sim:
            sim.set("inst_valid", 0)
            memory, count = Memory(bytes(1024), Random(1)), 0
            while run(sim, program if count == 0 else [], memory, 10)["busy"] or count == 0:
                count += 1
            return count

    load, loop = vta.load(vta.INP, 0, 0, 4, 4, 4), vta.alu(vta.ADD, (0, 1), (40, 1), imm=1)
    assert cycles([load, loop]) < cycles([load]) + cycles([loop]) - 5


@pytest.mark.parametrize("parameters", [SMALL.parameters(), {}, {"BLOCK_IN": 8, "BLOCK_OUT": 8}, {"BLOCK_IN": 32, "BLOCK_OUT": 16, "QUEUE_DEPTH": 1}], ids=str)
def test_verilator_has_no_warning_about_the_whole_design(parameters: dict[str, int]) -> None:
    overrides = [f"-G{name}={value}" for name, value in parameters.items()]
    done = subprocess.run(["verilator", "--lint-only", "-Wall", *overrides, "--top-module", "VTA", "-y", RTL, RTL / "VTA.v"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_both_readers_see_the_same_registers_and_memories() -> None:
    slang, pyverilog = (read([Path(RTL)], "VTA", frontend=frontend, parameters=SMALL.parameters()) for frontend in ("slang", "pyverilog"))
    assert set(slang.registers) == set(pyverilog.registers)
    assert set(slang.memories) == set(pyverilog.memories) == {"inp.mem", "wgt.mem", "out.mem", "compute.uop.mem", "compute.acc.mem"}


