"""A unit at rest: what reset and idling fix, what holds its value, and what follows from what holds.

At rest nothing moves.  A *holder* is a register that keeps any value as long as no instruction comes; a *follower* takes a value that is a
function of holders (a pipeline stage behind a configuration register), and at rest has it.  What is neither moves for ever, and nothing is
known about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lift.discover.environment import Surroundings
from lift.unroll import terms
from lift.unroll.machine import Machine, State
from lift.unroll.terms import Term

RESET_CYCLES = 3
SETTLE_CYCLES = 256
STABLE_CYCLES = 3


def own(name: str, value: Term) -> Term:
    """The symbol of a register: its value before the instruction."""
    return terms.sym(name, value.width)


def settle(machine: Machine, surroundings: Surroundings) -> dict[str, Term]:
    """The idle state: constants where reset and idling fix a register, the register's own symbol elsewhere."""
    registers = {name: terms.sym(name, r.width) for name, r in machine.netlist.registers.items()}
    if surroundings.contract.reset is None:
        initial = {n: terms.const(r.initial, r.width) for n, r in machine.netlist.registers.items() if r.initial is not None}
        registers.update(initial)
    state = machine.state(registers)
    if surroundings.contract.reset is not None:
        for _ in range(RESET_CYCLES):
            state = machine.cycle(state, surroundings.in_reset(), {}).after()
    stable = 0
    for _ in range(SETTLE_CYCLES):
        following = machine.cycle(state, surroundings.idle(), {}).after()
        same = all((t is state.value(n)) if t.is_const else not state.value(n).is_const for n, t in following.values().items())
        stable, state = stable + 1 if same else 0, following
        if stable == STABLE_CYCLES:
            break
    return {name: t if t.is_const else own(name, t) for name, t in state.values().items()}


def rest(machine: Machine, idle: dict[str, Term], inputs: dict[str, Term], given: dict[str, Term]) -> State:
    """The state at rest in which some registers have `given` values: holders keep theirs, followers have what they follow.  Registers that
    cannot come to rest keep the symbol of their own and are active."""
    registers = {**idle, **given}
    changes: dict[str, int] = {}
    following = _following(machine, registers, inputs)
    while True:
        moved = {n: t for n, t in following.items() if t is not registers[n] and n not in given and not _is_own(n, registers[n])}
        if not moved:
            break
        for name, term in moved.items():
            changes[name] = changes.get(name, 0) + 1
            registers[name] = term if term.is_const and changes[name] < STABLE_CYCLES else own(name, term)
        following |= _following(machine, registers, inputs, moved)
    followed = _follow({n: t for n, t in following.items() if t is not registers[n] and n not in given})
    registers.update(followed)
    following |= _following(machine, registers, inputs, followed)
    moving: dict[str, Term] = {}
    for _ in range(STABLE_CYCLES):
        moving = {n: t for n, t in following.items() if t is not registers[n]}
        moved = {n: t for n, t in moving.items() if n not in given and not _own_symbol(n, t)}
        registers.update(moved)
        following |= _following(machine, registers, inputs, moved)
    return State(registers, machine.dependents(moving) | frozenset(moving), (), inputs)


def _own_symbol(name: str, value: Term) -> bool:
    return any(t.op == "sym" and t.attr == name for t in terms.walk(value))


def _is_own(name: str, value: Term) -> bool:
    return value.op == "sym" and value.attr == name


def _follow(following: dict[str, Term]) -> dict[str, Term]:
    """Values at rest of registers that do not hold: their next values, with one another's values put in.  A shift register follows itself
    for as many cycles as it has bits; registers in other cycles are left out."""
    needs = {n: {str(t.attr) for t in terms.walk(v) if t.op == "sym" and t.attr in following} for n, v in following.items()}
    settled: dict[str, Term] = {}
    while ready := [n for n, needed in needs.items() if needed - {n} <= settled.keys()]:
        found: dict[str, Term | None] = {}
        for name in ready:
            needed = needs.pop(name)
            values = {own(n, settled[n]): settled[n] for n in needed if n in settled}
            found[name] = _last(name, terms.substitute(following[name], values), name in needed)
        settled.update((n, t) for n, t in found.items() if t is not None)
    return settled


def _last(name: str, value: Term, shifts: bool) -> Term | None:
    """The value that a register comes to when `value`, which may depend on itself, is taken again and again; None when it does not."""
    symbol, now = own(name, value), value
    for _ in range(value.width if shifts else 0):
        now = terms.substitute(value, {symbol: now})
        if not any(t is symbol for t in terms.walk(now)):
            break
    return None if shifts and any(t is symbol for t in terms.walk(now)) else now


@dataclass(frozen=True, slots=True)
class Roles:
    """Of the registers with a constant idle value: `holders` would keep any other value just as well (and nothing but the command and
    other holders decides which); `followers` have a value that is a function of holders.  Finite-state machines, counters and their
    flags are neither."""

    holders: frozenset[str]
    followers: frozenset[str]


def roles(machine: Machine, idle: dict[str, Term], inputs: dict[str, Term]) -> Roles:
    structure = machine.structure
    stiff = structure.control - structure.toggles - structure.latches
    machines = structure.machines - structure.toggles - structure.shifts - structure.latches
    free = {n: own(n, t) for n, t in idle.items() if t.is_const and n not in machines}
    following = _following(machine, {**idle, **free}, inputs)
    held = {n: t for n, t in free.items() if n not in stiff and t in terms.walk(following[n])}
    while True:
        now = _following(machine, {**idle, **held}, inputs)
        kept = {n: t for n, t in held.items() if now[n] is t}
        if len(kept) == len(held):
            break
        held = kept
    others = {n: following[n] for n in free if n not in held and n not in structure.toggles}
    return Roles(frozenset(held), frozenset(_follow(others)))


def _following(machine: Machine, registers: dict[str, Term], inputs: dict[str, Term], moved: Iterable[str] | None = None) -> dict[str, Term]:
    """The values of all registers one cycle later; of those only that depend on `moved` ones, if that is given."""
    if moved is None:
        return machine.cycle(machine.state(registers), inputs, {}).after().values()
    active = machine.dependents(moved)
    after = machine.cycle(State(registers, active, (), inputs), inputs, {}).after()
    return {name: after.value(name) for name in active}
