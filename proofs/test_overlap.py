"""One command is in flight at a time: what of "the machine with its pipelines does what the specification says in sequence" follows from the issue stage.

A command is accepted only when the issue stage is idle, and then no controller is busy; both are invariants, by induction over cycles, for any behaviour of
what is outside.  So commands do not overlap, and their effects are those of one after the other, each from the state of rest from which it was lifted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import z3

from lift.unroll.machine import with_deep_recursion
from proofs.commands import command, operations
from proofs.designs import RTL, netlist, unlifted_cycle
from proofs.meaning import variable
from proofs.replay import about, must_be_confirmed
from proofs.solve import Refuted, prove, prove_equal

DIM = 4
IDLE, ISSUING, WAITING = 0, 1, 2
RUNNING = variable("reset", 1) == 0
PORTS = {"load": "LoadController", "store": "StoreController", "execute": "ExecuteController"}
state, cmd_valid = variable("state", 2), variable("cmd_valid", 1)
busy = {port: variable(f"{port}_busy", 1) for port in PORTS}
nothing_busy = z3.And(*(b == 0 for b in busy.values()))
units = pytest.mark.parametrize("unit", PORTS.values(), ids=[f"gemmini-{unit}-step" for unit in PORTS.values()])
# funct -> controller; a configuration goes where rs1[1:0] says
CONTROLLER = {2: "load", 1: "load", 14: "load", 3: "store", 6: "execute", 4: "execute", 5: "execute"}
CONFIG, CONFIGURED = 0, {0: "execute", 1: "load", 2: "store"}


class Module:
    """One cycle of a module: next registers and outputs by name."""

    def __init__(self, top: str, folder: Path = RTL, **parameters: int) -> None:
        self.subject = unlifted_cycle(netlist(top, folder, **parameters))

    def after(self, name: str) -> z3.BitVecRef:
        assert name in self.subject.netlist.registers
        return self.subject.values[name]

    def output(self, name: str) -> z3.BitVecRef:
        assert name in self.subject.netlist.outputs
        return self.subject.values[name]


@cache
def module(top: str) -> Module:
    parameters = {} if top == "Issue" else {"DIM": DIM}
    return with_deep_recursion(lambda: Module(top, **parameters))


def only_when_idle(issue: Module) -> None:
    prove("ready exactly when idle", (issue.output("cmd_ready") == 1) == (state == IDLE))
    prove("busy exactly when not idle", (issue.output("busy") == 1) == (state != IDLE))


def keeps_the_command(issue: Module) -> None:
    accepted = z3.And(cmd_valid == 1, issue.output("cmd_ready") == 1)
    for name, bits in (("funct", 7), ("rs1", 64), ("rs2", 64)):
        prove_equal(f"{name} is taken", variable(f"cmd_{name}", bits), issue.after(name), [RUNNING, accepted])
        prove_equal(f"{name} stays", variable(name, bits), issue.after(name), [RUNNING, z3.Not(accepted)])
        prove_equal(f"{name} is handed on", variable(name, bits), issue.output(f"issue_{name}"))


def hands_out_once(issue: Module) -> None:
    """A controller is offered the command only while issuing, which ends when it takes it; and the stage waits until none is busy."""
    for port in PORTS:
        valid = issue.output(f"{port}_valid") == 1
        prove(f"{port} is offered it only while issuing", z3.Implies(valid, state == ISSUING))
        taken = [RUNNING, state == ISSUING, valid, variable(f"{port}_ready", 1) == 1]
        prove(f"issuing ends when {port} has taken it", issue.after("state") == WAITING, taken)
        others = z3.Or(*(issue.output(f"{other}_valid") == 1 for other in PORTS if other != port))
        prove("one controller at most", z3.Not(z3.And(valid, others)))
    waits = z3.And(state == WAITING, z3.Not(nothing_busy))
    prove("it waits for the controllers", issue.after("state") == WAITING, [RUNNING, waits])
    prove("it is idle only after waiting, with none busy", z3.Or(state != ISSUING, issue.after("state") != IDLE), [RUNNING])


CLAIMS: list[Callable[[Module], None]] = [only_when_idle, keeps_the_command, hands_out_once]


@pytest.mark.parametrize("claim", CLAIMS, ids=[f"gemmini-Issue-step-{claim.__name__}" for claim in CLAIMS])
def test_one_command_is_in_flight(claim: Callable[[Module], None]) -> None:
    issue = module("Issue")
    with about(issue.subject):
        claim(issue)


@units
def test_a_controller_without_a_command_does_not_become_busy(unit: str) -> None:
    """From any state of it: busy only after a command was offered, and taken."""
    one = module(unit)
    now = one.output("busy")
    state = one.after("control_state")
    following = z3.substitute(now, (variable("control_state", state.size()), state))
    with about(one.subject):
        prove(f"{unit} stays idle", following == 0, [RUNNING, now == 0, z3.Or(cmd_valid == 0, one.output("cmd_ready") == 0)])
        prove(f"{unit} after reset", following == 0, [variable("reset", 1) == 1])


def test_when_a_command_is_accepted_no_controller_is_busy() -> None:
    """Invariant: idle means that none is busy.  Controllers that are not offered a command do not become busy, as was proved of each."""
    issue = module("Issue")
    after = {port: variable(f"{port}_busy after", 1) for port in PORTS}
    still = [z3.Implies(z3.And(busy[p] == 0, issue.output(f"{p}_valid") == 0), after[p] == 0) for p in PORTS]
    invariant = z3.Implies(state == IDLE, nothing_busy)
    none_after = z3.And(*(a == 0 for a in after.values()))
    prove("every cycle", z3.Implies(issue.after("state") == IDLE, none_after), [RUNNING, invariant, state != 3, *still])
    prove("the state is one of three", issue.after("state") != 3, [RUNNING, state != 3])
    prove("after reset", issue.after("state") == IDLE, [variable("reset", 1) == 1])


@pytest.mark.parametrize("name", sorted(operations(16)), ids=lambda name: f"gemmini-Issue-step-{name}")
def test_a_command_goes_to_the_controller_that_executes_it(name: str) -> None:
    """The words of the specification's encoding, held by the issue stage: one controller is offered them, the right one."""
    issue, words = module("Issue"), {str(word): made for word, made in command(16, name).words}
    held = [(variable(word, made.size()), made) for word, made in words.items()]
    funct = z3.simplify(words["funct"]).as_long()
    port = CONFIGURED[z3.simplify(z3.Extract(1, 0, words["rs1"])).as_long()] if funct == CONFIG else CONTROLLER[funct]
    for other in PORTS:
        valid = z3.substitute(issue.output(f"{other}_valid"), *held)
        with about(issue.subject):
            prove(f"{name} at {other}", valid == int(other == port), [state == ISSUING])


def all_claims(issue: Module) -> None:
    with about(issue.subject):
        for claim in CLAIMS:
            claim(issue)


MUTATIONS = {
    "ready-while-waiting": ("assign cmd_ready = (state == IDLE)", "assign cmd_ready = (state != ISSUING)"),
    "not-awaited": ("if (!controller_busy) state <= IDLE", "state <= IDLE"),
    "store-not-awaited": ("load_busy || store_busy || execute_busy", "load_busy || execute_busy"),
    "offered-while-waiting": ("assign store_valid   = (state == ISSUING) && to_store", "assign store_valid   = to_store"),
    "issued-twice": ("if (taken) state <= WAITING_FOR_CONTROLLER", "if (taken) state <= IDLE"),
    "operand-not-kept": ("end else if (cmd_valid && cmd_ready) begin", "end else if (cmd_valid) begin"),
}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[f"gemmini-Issue-step-{name}" for name in MUTATIONS])
def test_a_mutation_of_the_issue_stage_is_refuted(tmp_path: Path, mutation: str) -> None:
    old, new = MUTATIONS[mutation]
    text = (RTL / "Issue.v").read_text()
    assert text.count(old) == 1
    (tmp_path / "Issue.v").write_text(text.replace(old, new))
    changed = Module("Issue", tmp_path)
    with pytest.raises(Refuted) as caught:
        all_claims(changed)
    must_be_confirmed(caught.value)
