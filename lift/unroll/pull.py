"""A pipelined module -> transaction functions: each output, register and memory as a function of inputs some cycles ago and of state.

A value is pulled back through registers (`lift.unroll.past`), which ends at inputs, at memories and at registers on cycles of dependencies.  So a
result that leaves a pipeline five cycles after its operands came is one function of those operands, whatever goes on beside it:

    a1 <= a; b1 <= b; p <= a1 * b1; sum <= sum + p;     sum  -->  sum + a[2] * b[2]

Inputs, and state registers read in the past, are arrays: element k is the value k cycles ago.  A register or memory as target is its content after the
coming clock edge.  Memories hold their words of now; that a word which was read k cycles ago has not been written since is an assumption.  So
is that a register which may hold its value took a new one in the cycle in question, and that there was no reset.  An output that is a register
by the same name is that register.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from lift.errors import UserError
from lift.netlist.model import Netlist
from lift.unroll import terms
from lift.unroll.function import UpdateFunction
from lift.unroll.machine import with_deep_recursion
from lift.unroll.past import Past, quiet_reset, state_registers
from lift.unroll.paths import NotLifted
from lift.unroll.series import Arguments, Body, facts, groups, possible
from lift.unroll.terms import TRUE, Term

INSTRUCTION = "transaction"
MODES = 16
NARROW = 5  # bits of a value that decides
DEPTH = 64  # cycles; registers beyond are taken as state


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


def assuming(netlist: Netlist, function: UpdateFunction, *conditions: Term) -> UpdateFunction:
    """The function where `conditions` hold as well: one mode of it, such as that an input chose one way in the cycle in question.  Raises NotLifted
    where they cannot."""
    return _assuming(Arguments(netlist, groups(netlist)), function, conditions)


def _assuming(arguments: Arguments, function: UpdateFunction, conditions: tuple[Term, ...]) -> UpdateFunction:
    known = facts(conditions)
    before = (terms.substitute(a, known) for a in function.assumptions)
    assumptions = tuple(a for a in dict.fromkeys([*before, *conditions]) if a is not TRUE)
    if not possible(assumptions):
        raise NotLifted(f"{function.target}: what is assumed cannot be")
    body = Body(function.body, function.result).substituted(known)  # type: ignore[arg-type]
    needed = arguments.of([*body.roots(), *assumptions], function.target if body.result is None else None)
    return replace(function, arguments=needed, body=body.stores, result=body.result, assumptions=assumptions)


def modes(netlist: Netlist, function: UpdateFunction, limit: int = MODES) -> list[UpdateFunction]:
    """The function once for each way in which control decides its multiplexers: single bits, and narrow values that are compared with constants.
    Data that decides over data (a maximum, say) stays, and so does what would make more than `limit` functions.  If there are several, each is
    an instruction of its own."""
    arguments = Arguments(netlist, groups(netlist))
    pending, found = [function], list[UpdateFunction]()
    while pending:
        each = pending.pop()
        predicate = _deciding(each) if len(pending) + len(found) + 2 <= limit else None
        if predicate is None:
            found.append(each)
            continue
        for condition in (terms.negate(predicate), predicate):
            with suppress(NotLifted):  # the other one is all there is
                pending.append(_assuming(arguments, each, (condition,)))
    return [replace(f, instruction=f"{f.instruction}_mode{k}") for k, f in enumerate(found)] if len(found) > 1 else found


def _deciding(function: UpdateFunction) -> Term | None:
    """The predicate on control that decides the outermost multiplexer for which there is one."""
    queue = list(dict.fromkeys(Body(function.body, function.result).roots()))  # type: ignore[arg-type]
    seen = set(queue)
    for term in queue:
        if term.op == "mux" and (predicate := next(_predicates(term.args[0]), None)) is not None:
            return predicate
        new = [a for a in term.args if a not in seen]
        seen.update(new)
        queue += new
    return None


def _predicates(condition: Term) -> Iterator[Term]:
    """The predicates on control that a condition is made of."""
    if condition.op in ("and", "or", "not", "xor"):
        for part in condition.args:
            yield from _predicates(part)
    elif _is_control(condition) or (condition.op == "eq" and condition.args[1].is_const and _is_control(condition.args[0])):
        yield condition


def _is_control(term: Term) -> bool:
    return term.op in ("load", "sym") and term.width <= NARROW


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
        if past.assumed and not possible(assumptions):
            past = self._past(state | past.assumed.keys())
            body, assumptions = self._body(target, past), past.assumptions()
        if not possible(assumptions):
            raise NotLifted(f"{target}: what is assumed cannot be: a word that it depends on is always written after it was read")
        return self._finished(target, body, assumptions)

    def _past(self, state: frozenset[str]) -> Past:
        return Past(self.netlist, state, self.depth, self.constants, self.exact)

    def _body(self, target: str, past: Past) -> Body:
        netlist = self.netlist
        if target in netlist.memories:
            return Body(past.stores(target))
        if target in netlist.registers:
            return Body((), past.value(netlist.registers[target].next, 0))
        node = netlist.outputs.get(target) or netlist.wires.get(target)
        if node is None:
            problem = f"module '{netlist.top}' has no output, register, memory or variable '{target}'"
            raise UserError(None, problem, "name it as it is called below the top module")
        return Body((), past.value(node, 0))

    def _finished(self, target: str, body: Body, assumptions: tuple[Term, ...]) -> UpdateFunction:
        """Simplified by what is assumed."""
        body = body.substituted(facts(assumptions))
        present = self._present([*body.roots(), *assumptions])
        body, assumptions = body.substituted(present), tuple(terms.substitute(a, present) for a in assumptions)
        arguments = Arguments(self.netlist, {}).of([*body.roots(), *assumptions], target if body.result is None else None)
        cycles = max((a.depth - 1 for a in arguments if a.depth is not None and a.role != "memory"), default=0)
        location = str(self.netlist.locations.get(target, ""))
        return UpdateFunction(self.netlist.top, INSTRUCTION, target, arguments, body.stores, body.result, assumptions, cycles, location)

    def _present(self, roots: list[Term]) -> dict[Term, Term]:
        """Elements of the series of registers that only the present cycle is read of, as plain symbols."""
        elements = [t for t in terms.walk(*roots) if t.op == "load" and t.attr in self.netlist.registers]
        past = {t.attr for t in elements if t.args[0].attr}
        return {t: terms.sym(str(t.attr), t.width) for t in elements if t.attr not in past}
