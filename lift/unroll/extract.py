"""From the executions of a unit's instructions to update functions: one per (instruction, mode, state variable).

A *mode* is one path of an instruction, from idle to idle.  A state variable is a memory, the host's memory, a register that some effect reads,
or an array: registers whose names differ in numbers only (`lift.unroll.grids`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from lift.discover.state import Execution, Unit
from lift.unroll import terms
from lift.unroll.function import Argument, Role, Statement, Store, UpdateFunction
from lift.unroll.grids import StateArray, register_arrays
from lift.unroll.memory import Assumption
from lift.unroll.micro import Nest, is_index, micro_coded
from lift.unroll.observed import effects, memories_of, part_of, read_state, symbols
from lift.unroll.paths import Path, statement_terms, substitute_statement
from lift.unroll.regular import regular
from lift.unroll.rolling import rolled
from lift.unroll.specialise import decided, specialised
from lift.unroll.terms import Term

UNKNOWN = ("stale:", "unused:", "undefined:", "undefined@", "answer:")


@dataclass(frozen=True, slots=True)
class Mode:
    """One path of an instruction.  `facts` choose it, `domain` bounds its loops, `assumptions` are address conditions of loads it uses;
    `functions` maps each state variable that it changes to its update function.  With `loops` (index and number of iterations, outermost first)
    the functions of memories say what one iteration does to what the iterations before it have left."""

    instruction: str
    number: int
    facts: tuple[tuple[Term, bool], ...]
    domain: tuple[Term, ...]
    assumptions: tuple[Term, ...]
    functions: dict[str, UpdateFunction]
    cycles: int
    loops: Nest = ()


@dataclass(frozen=True, slots=True)
class Lift:
    """The update functions of a unit.  `opaque`: instructions without functions, and why; `vacuous`: instructions that change nothing
    that anything reads; `unread`: registers that instructions change and nothing reads; `data`: registers and arrays that hold data."""

    unit: Unit
    arrays: dict[str, StateArray]
    registers: frozenset[str]
    modes: dict[str, tuple[Mode, ...]]
    opaque: dict[str, str]
    vacuous: tuple[str, ...]
    unread: tuple[str, ...]
    names: dict[Term, str] = field(default_factory=dict)
    data: frozenset[str] = frozenset()


def extract(unit: Unit, data: frozenset[str] = frozenset()) -> Lift:
    """All update functions of `unit`; registers among `data`, and those that are given what such hold, are arrays of one."""
    registers = unit.machine.netlist.registers
    arrays = register_arrays(unit.machine.netlist)
    data = _with_followers(unit, data, arrays) if data else data
    arrays |= {name: StateArray(name, (1,), registers[name].width, (name,)) for name in sorted(data & registers.keys())}
    place = {member: (array, index) for array in arrays.values() for index, member in enumerate(array.members)}
    read, memories = read_state(unit, place)
    unit = replace(unit, executions={name: _without_idle_toggles(unit, e, read, memories) for name, e in unit.executions.items()})
    decided = replace(unit, executions={name: replace(e, paths=tuple(map(specialised, e.paths))) for name, e in unit.executions.items()})
    read, memories = read_state(decided, place)
    arrays = {name: a for name, a in arrays.items() if any(m in read for m in a.members)}
    place = {m: p for m, p in place.items() if p[0].name in arrays}
    builder = _Builder(decided, arrays, place, frozenset(r for r in read if r not in place), memories)
    modes, opaque, vacuous = {}, {}, []
    for name, execution in decided.executions.items():
        reason = execution.opaque or builder.unknown(execution)
        if reason:
            opaque[name] = reason
            continue
        modes[name] = tuple(builder.mode(execution, number) for number in range(len(execution.paths)))
        if not any(m.functions for m in modes[name]):
            if execution.opcode.named:
                vacuous.append(name)
            else:
                del modes[name]
    changed = {n for e in unit.executions.values() for p in e.paths for n in unit.architectural if p.final.value(n) is not terms.sym(n, p.final.value(n).width)}
    return Lift(unit, arrays, builder.registers, modes, opaque, tuple(vacuous), tuple(sorted(changed - read)), _names(unit), data)


def _with_followers(unit: Unit, data: frozenset[str], arrays: dict[str, StateArray]) -> frozenset[str]:
    """Registers and arrays that hold data, and those that some instruction gives a value computed from it."""
    owner = {m: a.name for a in arrays.values() for m in a.members}
    finals = [(owner.get(n, n), p.final.value(n)) for e in unit.executions.values() for p in e.paths for n in unit.machine.netlist.registers]
    given = [(name, {owner.get(s, s) for s in symbols([value])}) for name, value in finals]
    while more := {name for name, sources in given if sources & data} - data:
        data |= more
    return data


def _without_idle_toggles(unit: Unit, execution: Execution, read: set[str], memories: set[str]) -> Execution:
    """Pairs of paths that differ only in a ping-pong bit which they do not use, and leave or turn over, are one path."""
    paths = list(execution.paths)
    for name in sorted(unit.machine.structure.toggles & unit.architectural):
        bit = terms.sym(name, 1)
        low = [p for p in paths if (bit, False) in p.facts]
        high = [p for p in paths if (bit, True) in p.facts]
        if low and len(low) == len(high) and all(_agree(a, b, name, bit, read, memories) for a, b in zip(low, high, strict=True)):
            paths = [_free(p, name, bit) for p in low]
    return replace(execution, paths=tuple(paths))


def _agree(low: Path, high: Path, name: str, bit: Term, read: set[str], memories: set[str]) -> bool:
    facts = [[f for f in p.facts if f[0] is not bit] for p in (low, high)]
    kept = (low.final.value(name), high.final.value(name)) in ((terms.FALSE, terms.TRUE), (terms.TRUE, terms.FALSE))
    effects = [[s for s in p.statements if memories.intersection(memories_of(s))] for p in (low, high)]
    same = facts[0] == facts[1] and effects[0] == effects[1] and low.domain == high.domain
    return kept and same and all(low.final.value(n) is high.final.value(n) for n in read if n != name)


def _free(path: Path, name: str, bit: Term) -> Path:
    registers = {**path.final.registers, name: bit if path.final.value(name) is terms.FALSE else terms.negate(bit)}
    return replace(path, facts=tuple(f for f in path.facts if f[0] is not bit), final=replace(path.final, registers=registers))


def _names(unit: Unit) -> dict[Term, str]:
    """Names that the design gives to one-bit values of commands: registers that hold them, labelled constants they are compared with."""
    found: dict[Term, str] = {}
    for execution in unit.executions.values():
        for path in execution.paths:
            for name, term in path.final.registers.items():
                if isinstance(term, Term) and term.width == 1 and not term.is_const and term.op != "sym":
                    found.setdefault(term, name.rsplit(".", 1)[-1])
    return found


class _Builder:
    def __init__(
        self, unit: Unit, arrays: dict[str, StateArray], place: dict[str, tuple[StateArray, int]], registers: frozenset[str], memories: set[str]
    ) -> None:
        self.unit, self.arrays, self.place, self.registers, self.memories = unit, arrays, place, registers, memories
        self.regular: dict[tuple[Statement, ...], tuple[Statement, ...]] = {}
        netlist = unit.machine.netlist
        self.values = {m: terms.load(a.name, a.width, terms.const(i, a.address_bits)) for m, (a, i) in place.items()}
        self.substitution = {terms.sym(m, netlist.registers[m].width): load for m, load in self.values.items()}

    def unknown(self, execution: Execution) -> str | None:
        """Why the effects of an execution are not functions of the command and the state, if they are not."""
        for path in execution.paths:
            roots = effects(path, self.memories) + [path.final.value(r) for r in self._targets(path, execution.assumed)]
            wrong = sorted(s for s in symbols(roots) if s.startswith(UNKNOWN))
            if wrong:
                return f"an effect depends on {', '.join(dict.fromkeys(_called(w) for w in wrong[:3]))}"
        return None

    def _targets(self, path: Path, assumed: frozenset[str]) -> list[str]:
        """Read registers that end with another value than they began with."""
        chosen = dict(path.facts)
        result = []
        for name in [*self.registers, *self.place]:
            final = path.final.value(name)
            start = terms.sym(name, final.width)
            if final is not start and not (final.is_const and start in chosen and final.attr == int(chosen[start])) and not self._at_rest(name, path, assumed):
                result.append(name)
        return sorted(result)

    def _at_rest(self, name: str, path: Path, assumed: frozenset[str]) -> bool:
        """A register that was not symbolic in this execution and ends with its idle value has not been touched."""
        return name not in assumed and path.final.value(name) is self.unit.idle[name]

    def is_effect(self, statement: Statement) -> bool:
        return any(m in self.memories for m in memories_of(statement))

    def mode(self, execution: Execution, number: int) -> Mode:
        path, done = execution.paths[number], {}
        kept = (s for s in path.statements if self.is_effect(s))
        statements = tuple(substitute_statement(s, self.substitution, done) for s in kept)
        facts = decided((terms.substitute(p, self.substitution, done), h) for p, h in path.facts)
        domain = tuple(terms.substitute(d, self.substitution, done) for d in path.domain)
        conditions = (*(p if h else terms.negate(p) for p, h in facts), *domain)
        loops, statements = micro_coded(statements, {p.name for p in self.unit.machine.places.values()})
        conditions += tuple(terms.apply("ult", 1, loop) for loop in loops)
        functions, looked_at = {}, list(conditions)
        for target in dict.fromkeys(m for s in statements for m in memories_of(s) if m in self.memories):
            body = rolled([f for s in statements if (f := part_of(s, target)) is not None])
            looked_at += [t for s in body for t in statement_terms(s)]
            functions[target] = self._function(execution, number, target, body if loops else self._regular(body), None, conditions, path.cycles)
        finals = {n: terms.substitute(path.final.value(n), self.substitution, done) for n in self._targets(path, execution.assumed)}
        looked_at += finals.values()
        for name, final in finals.items():
            if name not in self.place:
                functions[name] = self._function(execution, number, name, (), final, conditions, path.cycles)
        for array in self.arrays.values():
            stores = tuple(self._element(array, i, finals[m]) for i, m in enumerate(array.members) if m in finals)
            if stores:
                functions[array.name] = self._function(execution, number, array.name, self._regular(stores), None, conditions, path.cycles)
        used = {t for t in terms.walk(*looked_at) if t.op == "load"}
        matter = (a for a in path.assumptions if self._matters(a, used, done) and not (loops and a.stepwise))
        assumed = tuple(dict.fromkeys(terms.substitute(a.condition, self.substitution, done) for a in matter))
        return Mode(execution.opcode.name, number, facts, domain, assumed, functions, path.cycles, loops)

    def _regular(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """Modes of one instruction, and instructions that differ little, have bodies in common."""
        if body not in self.regular:
            self.regular[body] = regular(body)
        return self.regular[body]

    def _matters(self, assumption: Assumption, used: set[Term], done: dict[Term, Term]) -> bool:
        """Is the load that the assumption was made for used as it stands?  (A load whose address was simplified since is not recognised.)"""
        return terms.substitute(assumption.word, self.substitution, done) in used

    def _element(self, array: StateArray, index: int, value: Term) -> Store:
        return Store(array.name, terms.const(index, array.address_bits), value, None, None)

    def _function(
        self, execution: Execution, number: int, target: str, body: tuple[Statement, ...], result: Term | None, conditions: tuple[Term, ...], cycles: int
    ) -> UpdateFunction:
        name = execution.opcode.name if len(execution.paths) == 1 else f"{execution.opcode.name}_mode{number}"
        roots = [t for s in body for t in statement_terms(s)] + ([result] if result is not None else []) + list(conditions)
        free = {t for c in conditions for t in terms.walk(c) if is_index(t)}
        arguments = self._arguments(roots, [target] if result is None else [], free)
        location = self.unit.machine.netlist.locations.get(self._first_member(target))
        return UpdateFunction(self.unit.machine.netlist.top, name, target, arguments, body, result, conditions, cycles, str(location or ""))

    def _first_member(self, target: str) -> str:
        return self.arrays[target].members[0] if target in self.arrays else target

    def _arguments(self, roots: list[Term], targets: list[str], free: set[Term]) -> tuple[Argument, ...]:
        """Everything that the terms name, command fields first; `free` are the indices of loops around the function."""
        command, netlist = self.unit.contract.command, self.unit.machine.netlist
        found: dict[str, Argument] = {}
        for term in terms.walk(*roots):
            if term.op == "load":
                found.setdefault(str(term.attr), self._array_argument(str(term.attr), term.args[0].width))
            elif term.op == "sym" and (not is_index(term) or term in free):
                name = str(term.attr)
                role: Role = "field" if term in free or (command and name in command.words) else "state" if name in netlist.registers else "input"
                found.setdefault(name, Argument(name, term.width, None, role, str(netlist.locations.get(name, ""))))
        for name in targets:
            found.setdefault(name, self._array_argument(name))
        order: dict[Role, int] = {"field": 0, "input": 1, "state": 2, "array": 3, "memory": 4, "host": 5}
        return tuple(sorted(found.values(), key=lambda a: (order[a.role], a.name)))

    def _array_argument(self, name: str, address_bits: int = 0) -> Argument:
        if name in self.arrays:
            array = self.arrays[name]
            return Argument(name, array.width, len(array.members), "array", str(self.unit.machine.netlist.locations.get(array.members[0], "")))
        port = self.unit.contract.memory
        if port is not None and name == port.name:
            return Argument(name, 8, 1 << port.address_bits, "host")
        netlist = self.unit.machine.netlist
        if name in netlist.inputs:  # what a neighbour answers, by address
            return Argument(name, netlist.inputs[name], 1 << address_bits, "input", str(netlist.locations.get(name, "")))
        place = next(p for p in self.unit.machine.places.values() if p.name == name)
        return Argument(name, place.width, place.words, "memory")


def _called(unknown: str) -> str:
    """What an unknown value is, for messages."""
    kind, _, rest = unknown.partition(":")
    match kind:
        case "stale":
            return f"{rest.rsplit(':', 1)[0]}, carried from one iteration to the next"
        case "answer":
            return f"{rest}, which a neighbour answers late"
        case "unused":
            return f"{rest}, to which the contract gives no value (a descriptor may state it as a word of the command, the memory or a channel)"
    return "an undefined value"
