"""Functions over single ports and registers -> functions over arrays: names that differ in indices only become one, over place and time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

from lift.netlist.model import Netlist
from lift.unroll import terms
from lift.unroll.function import Argument, Role, Store, UpdateFunction
from lift.unroll.memory import conjuncts
from lift.unroll.past import AGE_BITS
from lift.unroll.paths import statement_terms, substitute_statement
from lift.unroll.solver import satisfiable
from lift.unroll.terms import FALSE, TRUE, Term

INDEX = re.compile(r"\[\d+\]|_\d+(?=[_.\[]|$)")  # in a name
POSSIBLE_RLIMIT = 1_000_000  # of the question whether assumptions contradict each other; where Z3 does not say, they are taken not to
_ORDER: dict[Role, int] = {"input": 0, "state": 1, "array": 2, "memory": 3}


def possible(assumptions: tuple[Term, ...]) -> bool:
    """Can they hold together?"""
    return not assumptions or (FALSE not in assumptions and satisfiable(list(assumptions), POSSIBLE_RLIMIT))


def facts(assumptions: Iterable[Term]) -> dict[Term, Term]:
    """What terms are where the assumptions hold: TRUE, FALSE, or the constant that they equal."""
    known: dict[Term, Term] = {}
    for each in assumptions:
        known |= conjuncts(each)
    equations = [t for t, value in known.items() if t.op == "eq" and t.args[1].is_const and value is TRUE]
    return known | {t.args[0]: t.args[1] for t in equations}


@dataclass(frozen=True, slots=True)
class Body:
    """What a target becomes: `stores` to a memory, or a `result`."""

    stores: tuple[Store, ...] = ()
    result: Term | None = None

    def roots(self) -> list[Term]:
        return [t for s in self.stores for t in statement_terms(s)] + ([] if self.result is None else [self.result])

    def substituted(self, values: dict[Term, Term]) -> Body:
        done: dict[Term, Term] = {}
        stores = tuple(substitute_statement(s, values, done) for s in self.stores)
        return Body(stores, None if self.result is None else terms.substitute(self.result, values, done))  # type: ignore[arg-type]


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
            if group is None or len(members) < len(group.members) or not possible(assumptions):
                found[target] = self.over_arrays(function)
            elif group.name not in found:
                stores = tuple(Store(group.name, terms.const(n, AGE_BITS), f.result, None, None) for n, f in enumerate(members) if f.result is not None)
                cycles = max(f.cycles for f in members)
                whole = replace(function, target=group.name, body=stores, result=None, assumptions=assumptions, cycles=cycles)
                found[group.name] = self.over_arrays(whole)
        return found

    def over_arrays(self, function: UpdateFunction) -> UpdateFunction:
        body = Body(function.body, function.result)  # type: ignore[arg-type]
        leaves = [t for t in terms.walk(*body.roots(), *function.assumptions) if t.op in ("load", "sym")]
        past = {t.attr for t in leaves if t.op == "load"}
        known = {t: terms.load(str(t.attr), t.width, terms.const(0, AGE_BITS)) for t in leaves if t.op == "sym" and t.attr in past}
        known |= {t: self._element(t) for t in leaves if t.attr in self.place}
        body, assumptions = body.substituted(known), tuple(terms.substitute(a, known) for a in function.assumptions)
        arguments = Arguments(self.netlist, self.groups).of([*body.roots(), *assumptions], function.target if body.result is None else None)
        return replace(function, arguments=arguments, body=body.stores, result=body.result, assumptions=assumptions)

    def _element(self, term: Term) -> Term:
        group, member = self.place[str(term.attr)]
        return group.element(member, int(term.args[0].attr or 0) if term.args else 0)


class Arguments:
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
