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

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from lift.errors import UserError
from lift.netlist.model import Netlist
from lift.unroll import terms
from lift.unroll.explore import statement_terms, substitute_statement
from lift.unroll.feedback import quiet_reset, state_registers
from lift.unroll.function import Argument, Role, Store, UpdateFunction
from lift.unroll.machine import with_deep_recursion
from lift.unroll.memory import conjuncts
from lift.unroll.past import AGE_BITS, Past
from lift.unroll.paths import NotLifted
from lift.unroll.solver import satisfiable
from lift.unroll.terms import FALSE, Term

INSTRUCTION = "transaction"
DEPTH = 64  # cycles; registers beyond are taken as state
POSSIBLE_RLIMIT = 1_000_000  # of the question whether assumptions contradict each other; where Z3 does not say, they are taken not to
INDEX = re.compile(r"\[\d+\]|_\d+(?=[_.\[]|$)")  # in a name
_ORDER: dict[Role, int] = {"input": 0, "state": 1, "array": 2, "memory": 3}


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
        arguments = _Arguments(self.netlist, {}).of([*body.roots(), *assumptions], target if body.result is None else None)
        cycles = max((a.depth - 1 for a in arguments if a.depth is not None and a.role != "memory"), default=0)
        location = str(self.netlist.locations.get(target, ""))
        return UpdateFunction(self.netlist.top, INSTRUCTION, target, arguments, body.stores, body.result, assumptions, cycles, location)

    def _present(self, roots: list[Term]) -> dict[Term, Term]:
        """Elements of the series of registers that only the present cycle is read of, as plain symbols."""
        elements = [t for t in terms.walk(*roots) if t.op == "load" and t.attr in self.netlist.registers]
        past = {t.attr for t in elements if t.args[0].attr}
        return {t: terms.sym(str(t.attr), t.width) for t in elements if t.attr not in past}


@dataclass(frozen=True, slots=True)
class Group:
    """Inputs, outputs or registers that differ in indices of their names only, seen as one array over `shape`: a time series has member i of k cycles ago
    (row-major) at element k * len(members) + i."""

    name: str
    width: int
    shape: tuple[int, ...]
    members: tuple[str, ...]

    def element(self, member: int, age: int = 0) -> Term:
        return terms.load(self.name, self.width, terms.const(age * len(self.members) + member, AGE_BITS))


def groups(netlist: Netlist) -> dict[str, Group]:
    """Names whose indices count through a grid; an index that all of them share stays in the name."""
    registers = {name: r.width for name, r in netlist.registers.items()}
    outputs = {name: node.width for name, node in netlist.outputs.items() if name not in registers}
    taken = {*netlist.wires, *netlist.inputs, *registers, *netlist.memories}
    found: dict[str, Group] = {}
    for widths in (netlist.inputs, outputs, registers):
        similar: dict[tuple[str, int], list[str]] = {}
        for name, width in widths.items():
            similar.setdefault((INDEX.sub("#", name), width), []).append(name)
        for (_, width), names in similar.items():
            group = _grid(names, width)
            if group is not None and group.name not in taken:
                found[group.name] = group
                taken.add(group.name)
    return found


def _grid(names: list[str], width: int) -> Group | None:
    indices = {tuple(int(re.sub(r"\D", "", text)) for text in INDEX.findall(name)): name for name in names}
    varying = [place for place, values in enumerate(zip(*indices, strict=True)) if len(set(values)) > 1]
    shape = tuple(1 + max(found[place] for found in indices) for place in varying)
    at = {tuple(found[place] for place in varying): name for found, name in indices.items()}
    grid = list(product(*(range(n) for n in shape)))
    if len(names) < 2 or len(grid) != len(at):
        return None
    places = iter(range(len(INDEX.findall(names[0]))))
    stem = INDEX.sub(lambda text: "" if next(places) in varying else text.group(), names[0])
    return Group(stem, width, shape, tuple(at[index] for index in grid))


def gathered(netlist: Netlist, functions: Mapping[str, UpdateFunction]) -> dict[str, UpdateFunction]:
    """The same functions over arrays: of the arguments that form a group, and one function that stores every element where all members of
    a group are targets, unless their assumptions exclude each other."""
    return _Gatherer(netlist).all(functions)


class _Gatherer:
    def __init__(self, netlist: Netlist) -> None:
        self.netlist, self.groups = netlist, groups(netlist)
        self.place = {member: (group, number) for group in self.groups.values() for number, member in enumerate(group.members)}

    def all(self, functions: Mapping[str, UpdateFunction]) -> dict[str, UpdateFunction]:
        found: dict[str, UpdateFunction] = {}
        for target, function in functions.items():
            group = self.place[target][0] if target in self.place else None
            members = [functions[m] for m in group.members if m in functions] if group else []
            assumptions = tuple(dict.fromkeys(a for f in members for a in f.assumptions))
            if group is None or len(members) < len(group.members) or not _possible(assumptions):
                found[target] = self.over_arrays(function)
            elif group.name not in found:
                stores = tuple(Store(group.name, terms.const(n, AGE_BITS), f.result, None, None) for n, f in enumerate(members) if f.result is not None)
                cycles = max(f.cycles for f in members)
                whole = replace(function, target=group.name, body=stores, result=None, assumptions=assumptions, cycles=cycles)
                found[group.name] = self.over_arrays(whole)
        return found

    def over_arrays(self, function: UpdateFunction) -> UpdateFunction:
        body = _Body(function.body, function.result)  # type: ignore[arg-type]
        known = {t: self._element(t) for t in terms.walk(*body.roots(), *function.assumptions) if t.op in ("load", "sym") and t.attr in self.place}
        body, assumptions = body.substituted(known), tuple(terms.substitute(a, known) for a in function.assumptions)
        arguments = _Arguments(self.netlist, self.groups).of([*body.roots(), *assumptions], function.target if body.result is None else None)
        return replace(function, arguments=arguments, body=body.stores, result=body.result, assumptions=assumptions)

    def _element(self, term: Term) -> Term:
        group, member = self.place[str(term.attr)]
        return group.element(member, int(term.args[0].attr or 0) if term.args else 0)


class _Arguments:
    """What terms name, inputs first."""

    def __init__(self, netlist: Netlist, arrays: Mapping[str, Group]) -> None:
        self.netlist, self.arrays = netlist, arrays

    def of(self, roots: Iterable[Term], stored: str | None) -> tuple[Argument, ...]:
        """`stored`: the memory or array that is stored to."""
        found = {} if stored is None else {stored: self._argument(stored, 0, 0)}
        for term in terms.walk(*roots):
            name = str(term.attr)
            if term.op == "sym":
                found[name] = self._argument(name, term.width, None)
            elif term.op == "load":
                last = 0 if name in self.netlist.memories else int(term.args[0].attr or 0)
                before = found[name].depth if name in found else None
                found[name] = self._argument(name, term.width, max(last + 1, before or 0))
        return tuple(sorted(found.values(), key=lambda a: (_ORDER[a.role], a.name)))

    def _argument(self, name: str, width: int, depth: int | None) -> Argument:
        """`depth`: the number of elements that are read."""
        group, memory = self.arrays.get(name), self.netlist.memories.get(name)
        location = str(self.netlist.locations.get(group.members[0] if group else name, ""))
        if memory is not None:
            return Argument(name, memory.width, memory.depth, "memory", location)
        if group is None:
            return Argument(name, width, depth, "state" if name in self.netlist.registers else "input", location)
        rows = -(-(depth or 1) // len(group.members)) or 1
        return Argument(name, group.width, rows * len(group.members), "input" if group.members[0] in self.netlist.inputs else "array", location)


def _possible(assumptions: tuple[Term, ...]) -> bool:
    return FALSE not in assumptions and satisfiable(list(assumptions), POSSIBLE_RLIMIT)
