"""Plays the DMA for a load or store controller: takes its requests with random delays and answers them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from commands import Command
from simulate import Simulation

Request = dict[str, int]


def issue(sim: Simulation, command: Command) -> None:
    """Present one command for one cycle; the controller must be idle."""
    assert sim.get("cmd_ready") and not sim.get("busy")
    for name, value in zip(("cmd_funct", "cmd_rs1", "cmd_rs2"), command, strict=True):
        sim.set(name, value)
    sim.set("cmd_valid", 1)
    sim.step()
    sim.set("cmd_valid", 0)


def requests_of(sim: Simulation, command: Command, fields: Sequence[str], rng: random.Random, limit: int = 200) -> list[Request]:
    """The DMA requests (`fields` are port names without dma_req_) that `command` makes until the controller is idle."""
    issue(sim, command)
    taken: list[Request] = []
    while sim.get("busy"):
        request = wait_for_request(sim, fields, rng)
        taken.append(request)
        assert len(taken) <= limit, "the controller does not come to an end"
        answer(sim, rng)
    return taken


def wait_for_request(sim: Simulation, fields: Sequence[str], rng: random.Random) -> Request:
    names = ["dma_req_valid", *(f"dma_req_{name}" for name in fields)]
    offered: list[int] | None = None
    for _ in range(50):
        ready = int(rng.random() < 0.5)
        sim.set("dma_req_ready", ready)
        valid, *values = sim.get_all(names)
        sim.step()
        assert offered is None or (valid and values == offered), "a waiting request changed"
        offered = values if valid else None
        if valid and ready:
            sim.set("dma_req_ready", 0)
            return dict(zip(fields, values, strict=True))
    raise AssertionError("no request within 50 cycles")


def answer(sim: Simulation, rng: random.Random) -> None:
    for _ in range(rng.randrange(3)):
        assert not sim.get("dma_req_valid"), "a second request before the answer to the first"
        sim.step()
    sim.set("dma_resp_valid", 1)
    sim.step()
    sim.set("dma_resp_valid", 0)
