"""A pipelined module -> transaction functions: each output, register and memory as a function of inputs some cycles ago and of state.

A value is pulled back through registers (`lift.unroll.past`), which ends at inputs, at memories and at registers on cycles of dependencies
(`lift.unroll.feedback`).  So a result that leaves a pipeline five cycles after its operands came is one function of those operands, whatever goes on
beside it:

    a1 <= a; b1 <= b; p <= a1 * b1; sum <= sum + p;     sum  -->  sum + a[2] * b[2]

Inputs, and state registers read in the past, are arrays: element k is the value k cycles ago.  A register or memory as target is its content after the
coming clock edge.  Memories hold their words of now; that a word which was read k cycles ago has not been written since is an assumption.  So
is that a register which may hold its value took a new one in the cycle in question, and that there was no reset.  An output that is a register
by the same name is that register.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lift.errors import UserError
from lift.netlist.model import Netlist
from lift.unroll import terms
from lift.unroll.explore import statement_terms, substitute_statement
from lift.unroll.feedback import quiet_reset, state_registers
from lift.unroll.function import Argument, Role, Store, UpdateFunction
from lift.unroll.machine import with_deep_recursion
from lift.unroll.memory import conjuncts
from lift.unroll.past import Past
from lift.unroll.paths import NotLifted
from lift.unroll.solver import satisfiable
from lift.unroll.terms import FALSE, Term

INSTRUCTION = "transaction"
DEPTH = 64  # cycles; registers beyond are taken as state
POSSIBLE_RLIMIT = 1_000_000  # of the question whether assumptions contradict each other; where Z3 does not say, they are taken not to
_ORDER: dict[Role, int] = {"input": 0, "state": 1, "memory": 2}


def pulled(
    netlist: Netlist, targets: Sequence[str] | None = None, depth: int = DEPTH, constants: Mapping[str, int] | None = None, exact: bool = False
) -> dict[str, UpdateFunction]:
    """The transaction function of each target: an output, register, memory or other variable, by name.  None: every output, and every register
    and memory that any of the functions reads.  `constants`: inputs that keep a value (None: the reset, inactive).  `exact`: of registers
    that may have held their value nothing is assumed, what they held is an argument.  Raises UserError for a name that does not exist, NotLifted
    where what is read of a memory depends on all of its past, or what has to be assumed cannot be."""
    puller = Puller(netlist, depth, quiet_reset(netlist) if constants is None else constants, exact)
    return with_deep_recursion(lambda: puller.all(targets))


def series(function: UpdateFunction) -> dict[str, int]:
    """How many cycles back the function reads each of its time series."""
    return {a.name: a.depth - 1 for a in function.arguments if a.depth is not None and a.role != "memory"}


@dataclass(frozen=True, slots=True)
class _Body:
    """What a target becomes: `stores` to a memory, or a `result`."""

    stores: tuple[Store, ...] = ()
    result: Term | None = None

    def roots(self) -> list[Term]:
        return [t for s in self.stores for t in statement_terms(s)] + ([] if self.result is None else [self.result])

    def substituted(self, values: dict[Term, Term]) -> _Body:
        done: dict[Term, Term] = {}
        stores = tuple(substitute_statement(s, values, done) for s in self.stores)
        return _Body(stores, None if self.result is None else terms.substitute(self.result, values, done))  # type: ignore[arg-type]


class Puller:
    """A netlist ready for pulling: `state` are the registers at which it stops.  Deep expressions need `machine.with_deep_recursion`."""

    def __init__(self, netlist: Netlist, depth: int, constants: Mapping[str, int], exact: bool = False) -> None:
        self.netlist, self.depth, self.constants, self.exact = netlist, depth, constants, exact
        self.state = state_registers(netlist)

    def all(self, targets: Sequence[str] | None) -> dict[str, UpdateFunction]:
        """Of the targets; None: of the outputs and what they stop at."""
        found: dict[str, UpdateFunction] = {}
        pending = dict.fromkeys(self.netlist.outputs if targets is None else targets)
        while pending:
            target = next(iter(pending))
            del pending[target]
            function = found[target] = self.function(target)
            if targets is None:
                pending |= dict.fromkeys(a.name for a in function.arguments if a.role != "input" and a.name not in found)
        return found

    def function(self, target: str) -> UpdateFunction:
        """Under the assumption that what may have held its value did not; if that cannot be, such registers are state."""
        state = self.state | {target}  # of a register that may keep its value, that is one of its next values
        past = self._past(state)
        body, assumptions = self._body(target, past), past.assumptions()
        if past.assumed and not _possible(assumptions):
            past = self._past(state | past.assumed.keys())
            body, assumptions = self._body(target, past), past.assumptions()
        if FALSE in assumptions:
            raise NotLifted(f"{target}: a word that it depends on is written after it was read")
        return self._finished(target, body, assumptions)

    def _past(self, state: frozenset[str]) -> Past:
        return Past(self.netlist, state, self.depth, self.constants, self.exact)

    def _body(self, target: str, past: Past) -> _Body:
        netlist = self.netlist
        if target in netlist.memories:
            return _Body(past.stores(target))
        if target in netlist.registers:
            return _Body((), past.value(netlist.registers[target].next, 0))
        node = netlist.outputs.get(target) or netlist.wires.get(target)
        if node is None:
            raise UserError(
                None, f"module '{netlist.top}' has no output, register, memory or variable '{target}'", "name one as it is called below the top module"
            )
        return _Body((), past.value(node, 0))

    def _finished(self, target: str, body: _Body, assumptions: tuple[Term, ...]) -> UpdateFunction:
        """Simplified by what is assumed."""
        known: dict[Term, Term] = {}
        for each in assumptions:
            known |= conjuncts(each)
        body = body.substituted(known)
        present = self._present([*body.roots(), *assumptions])
        body, assumptions = body.substituted(present), tuple(terms.substitute(a, present) for a in assumptions)
        arguments = self._arguments([*body.roots(), *assumptions], target if body.result is None else None)
        cycles = max((a.depth - 1 for a in arguments if a.depth is not None and a.role != "memory"), default=0)
        location = str(self.netlist.locations.get(target, ""))
        return UpdateFunction(self.netlist.top, INSTRUCTION, target, arguments, body.stores, body.result, assumptions, cycles, location)

    def _present(self, roots: list[Term]) -> dict[Term, Term]:
        """Elements of the series of registers that only the present cycle is read of, as plain symbols."""
        elements = [t for t in terms.walk(*roots) if t.op == "load" and t.attr in self.netlist.registers]
        past = {t.attr for t in elements if t.args[0].attr}
        return {t: terms.sym(str(t.attr), t.width) for t in elements if t.attr not in past}

    def _arguments(self, roots: list[Term], stored: str | None) -> tuple[Argument, ...]:
        """What the terms name, inputs first."""
        found = {} if stored is None else {stored: self._argument(stored, 0, None)}
        for term in terms.walk(*roots):
            name = str(term.attr)
            if term.op == "sym":
                found[name] = self._argument(name, term.width, None)
            elif term.op == "load":
                past = 0 if name in self.netlist.memories else int(term.args[0].attr or 0)
                before = found[name].depth if name in found else None
                found[name] = self._argument(name, term.width, max(past + 1, before or 0))
        return tuple(sorted(found.values(), key=lambda a: (_ORDER[a.role], a.name)))

    def _argument(self, name: str, width: int, depth: int | None) -> Argument:
        location = str(self.netlist.locations.get(name, ""))
        if name in self.netlist.memories:
            memory = self.netlist.memories[name]
            return Argument(name, memory.width, memory.depth, "memory", location)
        return Argument(name, width, depth, "state" if name in self.netlist.registers else "input", location)


def _possible(assumptions: tuple[Term, ...]) -> bool:
    return FALSE not in assumptions and satisfiable(list(assumptions), POSSIBLE_RLIMIT)
