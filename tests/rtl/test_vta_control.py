"""VTA's queues, tokens and loops, each against a few lines of Python."""

from __future__ import annotations

from collections import deque
from random import Random

import pytest
import vta_instructions as vta
from simulate import Simulation


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_a_command_queue_is_a_queue_of_its_depth(depth: int) -> None:
    rng, queue, number = Random(depth), deque[int](), 1
    with Simulation("rtl/vta", "CommandQueue", {"DEPTH": depth}) as sim:
        sim.reset()
        for _ in range(1500):
            enq, deq = rng.getrandbits(1), rng.getrandbits(1)
            for name, value in (("enq_valid", enq), ("enq_bits", number), ("deq_ready", deq)):
                sim.set(name, value)
            ready, valid, bits = sim.get_all(["enq_ready", "deq_valid", "deq_bits"])
            assert (ready, valid) == (len(queue) < depth, bool(queue))
            assert not valid or bits == queue[0]
            if deq and queue:
                queue.popleft()
            if enq and ready:
                queue.append(number)
                number += 1
            sim.step()


def test_tokens_are_counted() -> None:
    rng, tokens = Random(1), 0
    with Simulation("rtl/vta", "TokenQueue", {"BITS": 4}) as sim:
        sim.reset()
        for _ in range(1000):
            push, pop = int(tokens < 15 and rng.random() < 0.5), int(tokens > 0 and rng.random() < 0.5)
            assert sim.get("available") == (tokens > 0)
            sim.set("push", push)
            sim.set("pop", pop)
            sim.step()
            tokens += push - pop


def control_ports(bits: int) -> dict[str, int]:
    return {name: bits >> k & 1 for k, name in enumerate(("pop_prev", "pop_next", "push_prev", "push_next"))}


@pytest.mark.parametrize("bits", range(16))
def test_an_instruction_takes_its_tokens_at_the_start_and_gives_them_at_the_end(bits: int) -> None:
    ports, outputs = control_ports(bits), ["start", "done", "take_prev", "take_next", "give_prev", "give_next"]
    need_prev, need_next = ports["pop_prev"], ports["pop_next"]
    partial = {"prev_available": 1 - need_prev, "next_available": 1 if need_prev else 0}
    stimuli = [{**ports, "inst_valid": 1, **partial}] if need_prev or need_next else []
    stimuli += [{**ports, "inst_valid": 1, "prev_available": 1, "next_available": 1}, {"unit_busy": 1, "prev_available": 0, "next_available": 0},
                {"unit_busy": 0}, {"inst_valid": 0}]
    with Simulation("rtl/vta", "InstructionControl") as sim:
        sim.reset()
        seen = sim.trace(stimuli, outputs)
    waiting = [(0,) * 6] * (len(stimuli) - 4)
    assert seen == [*waiting, (1, 0, need_prev, need_next, 0, 0), (0,) * 6, (0, 1, 0, 0, ports["push_prev"], ports["push_next"]), (0,) * 6]


@pytest.mark.parametrize("word", [vta.load(n, 3, 5, 1, 1, 1) for n in range(8)] + [vta.alu(n, (1, 2)) for n in range(8)]
                         + [vta.store(1, 2, 3, 4, 5), vta.gemm((1, 2)), vta.finish(), 5, 6, 7])
def test_fetch_sends_an_instruction_to_the_module_that_executes_it(word: int) -> None:
    fields = vta.decode(word)
    match fields["op"]:
        case vta.LOAD: module = {vta.INP: "load", vta.WGT: "load", vta.UOP: "compute", vta.ACC: "compute"}.get(fields["id"])
        case vta.STORE: module = "store"
        case vta.GEMM | vta.FINISH: module = "compute"
        case vta.ALU: module = "compute" if fields["alu_op"] < 4 else None
        case _: module = None
    with Simulation("rtl/vta", "Fetch", {"QUEUE_DEPTH": 1}) as sim:
        sim.reset()
        sim.set("inst_valid", 1)
        sim.set("inst_bits", word)
        assert sim.get("inst_ready") == 1
        sim.step()
        names = ("load", "compute", "store")
        assert sim.get_all([f"{name}_valid" for name in names]) == [int(name == module) for name in names]
        assert module is None or sim.get(f"{module}_bits") == word
        assert sim.get("inst_ready") == (module is None)


@pytest.mark.parametrize(("begin", "count", "lp_0", "lp_1"), [(0, 1, 1, 1), (5, 3, 2, 4), (8190, 4, 1, 2), (7, 1, 3, 1), (1, 2, 1, 5)])
def test_the_loop_nest_visits_every_iteration_in_order_and_returns_to_zero(begin: int, count: int, lp_0: int, lp_1: int) -> None:
    expected = [(begin + u, u == count - 1 and i < lp_1 - 1, u == count - 1 and i == lp_1 - 1 and o < lp_0 - 1,
                 (o, i, u) == (lp_0 - 1, lp_1 - 1, count - 1)) for o in range(lp_0) for i in range(lp_1) for u in range(count)]
    with Simulation("rtl/vta", "MicroOpLoop") as sim:
        sim.reset()
        for name, value in (("uop_begin", begin), ("uop_end", begin + count), ("lp_0", lp_0), ("lp_1", lp_1)):
            sim.set(name, value)
        for _ in range(2):  # the second run finds the counters as the first did
            stimuli = [{"start": 1, "advance": 0}, *({"start": 0, "advance": 1} for _ in expected)]
            seen = sim.trace(stimuli, ["uop_index", "next_i", "next_o", "last"])
            assert seen[0][0] == 0
            assert seen[1:] == expected
            sim.set("advance", 0)
            assert sim.get("uop_index") == 0


def test_an_affine_index_is_the_sum_of_products() -> None:
    rng = Random(4)
    for _ in range(20):
        f_0, f_1, lp_0, lp_1 = rng.randrange(32), rng.randrange(32), rng.randint(1, 5), rng.randint(1, 5)
        pairs = [(o, i) for o in range(lp_0) for i in range(lp_1)]
        stimuli = [{"next_i": int(i < lp_1 - 1), "next_o": int(i == lp_1 - 1 and o < lp_0 - 1), "clear": int((o, i) == pairs[-1])} for o, i in pairs]
        with Simulation("rtl/vta", "AffineIndex", {"WIDTH": 5}) as sim:
            sim.reset()
            sim.set("factor_0", f_0)
            sim.set("factor_1", f_1)
            seen = [offset for (offset,) in sim.trace([*stimuli, {"next_i": 0, "next_o": 0, "clear": 0}], ["offset"])]
        assert seen == [*((o * f_0 + i * f_1) % 32 for o, i in pairs), 0]
