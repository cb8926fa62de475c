"""The modules of rtl/vta and their tokens, from any state under any inputs: an instruction starts only when the tokens that it pops are there, takes them then,
gives others only when it is done and its unit rests, and no token is taken that is not there.
"""

from __future__ import annotations

from functools import cache

import z3

from lift.unroll.step import step
from lift.verilog import read
from proofs.designs import Target
from proofs.meaning import meaning, variable
from proofs.replay import OneCycle, about
from proofs.solve import prove
from proofs.vta import RTL


@cache
def module(top: str) -> OneCycle:
    design = read([RTL], top)
    one = step(design)
    return OneCycle(design, {n: meaning(Target(f).raw).results[0] for n, f in {**one.registers, **one.outputs}.items()})


def test_an_instruction_takes_and_gives_its_tokens() -> None:
    control = module("InstructionControl")
    value = {n: control.values[n] == 1 for n in ("start", "done", "take_prev", "take_next", "give_prev", "give_next")}
    given = {n: variable(n, 1) == 1 for n in ("pop_prev", "pop_next", "push_prev", "push_next", "prev_available", "next_available", "unit_busy", "inst_valid")}
    with about(control):
        for side in ("prev", "next"):
            prove("it starts with its tokens there", z3.Implies(z3.And(value["start"], given[f"pop_{side}"]), given[f"{side}_available"]))
            prove("it takes them when it starts", value[f"take_{side}"] == z3.And(value["start"], given[f"pop_{side}"]))
            prove("it gives others when it is done", value[f"give_{side}"] == z3.And(value["done"], given[f"push_{side}"]))
        prove("it is done only when its unit rests", z3.Implies(value["done"], z3.Not(given["unit_busy"])))
        prove("it starts only with a command", z3.Implies(value["start"], given["inst_valid"]))
        prove("it does not start before the one before it is done", z3.Not(z3.And(value["start"], value["done"])))


def test_a_queue_counts_its_tokens() -> None:
    queue = module("TokenQueue")
    count, push, pop = variable("count", 8), variable("push", 1) == 1, variable("pop", 1) == 1
    running = [variable("reset", 1) == 0, z3.Implies(pop, count != 0), z3.Implies(z3.And(push, z3.Not(pop)), count != 255)]
    before, after = z3.ZeroExt(2, count), z3.ZeroExt(2, queue.values["count"])
    with about(queue):
        prove("a token is there exactly when the count is not 0", (queue.values["available"] == 1) == (count != 0))
        one = z3.If(push, z3.BitVecVal(1, 10), z3.BitVecVal(0, 10)) - z3.If(pop, z3.BitVecVal(1, 10), z3.BitVecVal(0, 10))
        prove("one more for a push, one less for a pop, without wrapping", after == before + one, running)
        prove("none after reset", queue.values["count"] == 0, [variable("reset", 1) == 1])
