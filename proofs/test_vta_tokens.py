"""The modules of rtl/vta and their tokens, from any state under any inputs: an instruction starts only when the tokens that it pops are there, takes them then,
gives others only when it is done and its unit rests, and no token is taken that is not there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import z3

from lift.verilog import read
from proofs.designs import unlifted_cycle
from proofs.meaning import variable
from proofs.replay import OneCycle, about, must_be_confirmed
from proofs.solve import Refuted, prove
from proofs.vta import RTL


def module(top: str, folder: Path = RTL) -> OneCycle:
    return unlifted_cycle(read([folder], top))


def an_instruction_takes_and_gives_its_tokens(control: OneCycle) -> None:
    value = {n: control.values[n] == 1 for n in ("start", "done", "take_prev", "take_next", "give_prev", "give_next")}
    given = {n: variable(n, 1) == 1 for n in ("pop_prev", "pop_next", "push_prev", "push_next", "prev_available", "next_available", "unit_busy", "inst_valid")}
    with about(control):
        for side in ("prev", "next"):
            prove("it starts with its tokens there", z3.Implies(z3.And(value["start"], given[f"pop_{side}"]), given[f"{side}_available"]))
            prove("it takes them when it starts", value[f"take_{side}"] == z3.And(value["start"], given[f"pop_{side}"]))
            prove("it gives others when it is done", value[f"give_{side}"] == z3.And(value["done"], given[f"push_{side}"]))
        executing, after, running = variable("state", 1) == 1, control.values["state"] == 1, [variable("reset", 1) == 0]
        there = [z3.Implies(given[f"pop_{side}"], given[f"{side}_available"]) for side in ("prev", "next")]
        prove("it starts as soon as it may, and not before", value["start"] == z3.And(z3.Not(executing), given["inst_valid"], *there))
        prove("it is done as soon as its unit rests", value["done"] == z3.And(executing, z3.Not(given["unit_busy"])))
        prove("after reset none is executed", z3.Not(after), [variable("reset", 1) == 1])
        prove("from its start on it is executed, until it is done", after == z3.Or(value["start"], z3.And(executing, z3.Not(value["done"]))), running)


def a_queue_counts_its_tokens(queue: OneCycle) -> None:
    count, push, pop = variable("count", 8), variable("push", 1) == 1, variable("pop", 1) == 1
    running = [variable("reset", 1) == 0, z3.Implies(pop, count != 0), z3.Implies(z3.And(push, z3.Not(pop)), count != 255)]
    before, after = z3.ZeroExt(2, count), z3.ZeroExt(2, queue.values["count"])
    with about(queue):
        prove("a token is there exactly when the count is not 0", (queue.values["available"] == 1) == (count != 0))
        one = z3.If(push, z3.BitVecVal(1, 10), z3.BitVecVal(0, 10)) - z3.If(pop, z3.BitVecVal(1, 10), z3.BitVecVal(0, 10))
        prove("one more for a push, one less for a pop, without wrapping", after == before + one, running)
        prove("none after reset", queue.values["count"] == 0, [variable("reset", 1) == 1])


CLAIMS: dict[str, Callable[[OneCycle], None]] = {"InstructionControl": an_instruction_takes_and_gives_its_tokens, "TokenQueue": a_queue_counts_its_tokens}


@pytest.mark.parametrize("top", CLAIMS, ids=[f"vta-{top}-step" for top in CLAIMS])
def test_the_module_keeps_account_of_tokens(top: str) -> None:
    CLAIMS[top](module(top))


MUTATIONS = {
    ("InstructionControl", "starts-without-a-token"): ("(!pop_next || next_available)", "(!pop_next || prev_available)"),
    ("InstructionControl", "takes-what-it-does-not-pop"): ("take_prev = start && pop_prev", "take_prev = start"),
    ("InstructionControl", "gives-at-once"): ("give_next = done && push_next", "give_next = start && push_next"),
    ("InstructionControl", "done-while-busy"): ("(state == EXECUTE) && !unit_busy", "(state == EXECUTE)"),
    ("InstructionControl", "waits-for-a-token-that-it-does-not-pop"): ("(!pop_prev || prev_available)", "prev_available"),
    ("InstructionControl", "executes-from-the-beginning"): ("if (reset) state <= IDLE", "if (reset) state <= EXECUTE"),
    ("InstructionControl", "starts-again"): ("else if (start) state <= EXECUTE", "else if (start) state <= IDLE"),
    ("TokenQueue", "both-count"): ("push && !pop", "push"),
    ("TokenQueue", "pop-does-not-count"): ("count - 1'b1", "count"),
    ("TokenQueue", "one-is-none"): ("count != {BITS{1'b0}}", "count > 1"),
    ("TokenQueue", "one-from-the-beginning"): ("if (reset) count <= {BITS{1'b0}}", "if (reset) count <= 1"),
}


@pytest.mark.parametrize(("top", "what"), MUTATIONS, ids=[f"vta-{'-'.join(case)}" for case in MUTATIONS])
def test_a_mutation_of_the_rtl_is_refuted(tmp_path: Path, top: str, what: str) -> None:
    old, new = MUTATIONS[top, what]
    text = (RTL / f"{top}.v").read_text()
    assert text.count(old) == 1
    (tmp_path / f"{top}.v").write_text(text.replace(old, new))
    with pytest.raises(Refuted) as caught:
        CLAIMS[top](module(top, tmp_path))
    must_be_confirmed(caught.value)
