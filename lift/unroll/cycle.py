"""The values of one clock cycle, pulled on demand: a multiplexer's condition first, then only the branch that it selects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lift.netlist.model import Node
from lift.unroll import memory, terms
from lift.unroll.cases import simplify_cases
from lift.unroll.memory import Assumption, Write
from lift.unroll.terms import FALSE, TRUE, Term
from lift.unroll.values import Later, State, Value, term_of

if TYPE_CHECKING:
    from lift.unroll.machine import Machine

NONE = frozenset[str]()
WORDS_AN_ENTRY = 4
LEAVES = frozenset(("const", "input", "undef", "memread"))


@dataclass(frozen=True, slots=True)
class Known:
    """A value that was computed before: the registers it looked at, and the 1-bit values on the way that were not constant (where one of
    those is decided, it may be another)."""

    value: Term
    reads: frozenset[str]
    undecided: frozenset[Term]

    @property
    def size(self) -> int:
        """Of its sets, in words: of an entry of a set there are several."""
        return WORDS_AN_ENTRY * (len(self.reads) + len(self.undecided))


@dataclass(frozen=True, slots=True)
class Plan:
    """How to recognise that a register's next value was computed before: `known` by the values of the registers and inputs it depends on."""

    registers: tuple[str, ...]
    inputs: tuple[str, ...]
    known: dict[tuple[Node | Value, ...], Known] = field(default_factory=dict)


class Cycle:
    """Values during one clock cycle; `value` of any node, then `after` is the state at the next edge."""

    def __init__(
        self, machine: Machine, state: State, inputs: dict[str, Term], facts: dict[Term, Term], later: frozenset[str], control: frozenset[str]
    ) -> None:
        self.machine, self.state, self.inputs, self.facts, self._later, self._control = machine, state, inputs, facts, later, control
        self.assumptions: list[Assumption] = []
        self.reads: set[str] = set()
        self.evaluated: set[str] = set()
        self._values: dict[Node, Term] = {}
        self._decided: set[Node] = set()
        self._choices: dict[str, tuple[Node, tuple[Node, ...]]] = {}
        self._moving: frozenset[str] | None = None

    def output(self, name: str) -> Term:
        return self.value(self.machine.netlist.outputs[name])

    def value(self, node: Node) -> Term:
        """The value of any node in this cycle.  `reads` collects the registers that it looks at."""
        if node.op == "reg":
            self.reads.add(node.attr)  # type: ignore[arg-type]
            term = self.state.registers[node.attr]  # type: ignore[index]
            term = term if type(term) is Term else term_of(term)
            return self.facts.get(term, term) if node.width == 1 else term
        found = self._values.get(node)
        if found is None:
            found = self._evaluate(node)
            if node.width == 1 and found in self.facts:
                found = self.facts[found]
                self._decided.add(node)
            self._values[node] = found
        return found

    def _evaluate(self, node: Node) -> Term:
        self.machine.total += 1
        op, args = node.op, node.args
        if op == "mux":
            condition = self.value(args[0])
            if condition.op == "const":
                return self.value(args[1] if condition.attr else args[2])
            return simplify_cases(terms.mux(condition, self.value(args[1]), self.value(args[2])))
        if node.width == 1 and (op == "and" or op == "or"):
            return self._connective(node)
        return self._leaf(node) if op in LEAVES else terms.apply(op, node.width, tuple([self.value(a) for a in args]), node.attr)  # type: ignore[arg-type]

    def _leaf(self, node: Node) -> Term:
        match node.op:
            case "const":
                return terms.sym(f"undefined@{id(node):x}", node.width) if node.xmask else terms.const(node.attr, node.width)  # type: ignore[arg-type]
            case "input":
                return self.inputs[node.attr]  # type: ignore[index]
            case "undef":
                return terms.sym(f"undefined:{node.attr}", node.width)
            case _:
                return self._read(str(node.attr), node)

    def _connective(self, node: Node) -> Term:
        first = self.value(node.args[0])
        if first is (FALSE if node.op == "and" else TRUE):
            return first
        return terms.apply(node.op, 1, (first, self.value(node.args[1])))

    def _read(self, name: str, node: Node) -> Term:
        place = self.machine.places[name]
        address = place.address(self.value(node.args[0]))
        return memory.read(self.state.log, place.name, place.width, address, self.assumptions.append)

    def _writes(self, enabled: set[int]) -> list[Write]:
        """This cycle's writes to on-chip memories, banks merged, in the order in which they take effect; `enabled` is told the ports that may write.
        Those that could not, and whose enables depend on nothing that has changed, are not looked at."""
        result: list[Write] = []
        by_place: dict[str, list[Write]] = {}
        ports = self.machine.ports
        asked = range(len(ports)) if self.state.ports is None else sorted(self.state.ports | self.machine.ports_after(self._fresh()))
        for number in asked:
            name, port = ports[number]
            place = self.machine.places[name]
            condition = memory.conjunction(self.value(port.enable))
            if condition is FALSE:
                continue
            enabled.add(number)
            mask = None if port.mask is None else self.value(port.mask)
            if mask is not None and mask.is_const and mask.attr == 0:
                continue
            write = Write(place.name, place.address(self.value(port.address)), self.value(port.data), mask, condition)
            by_place.setdefault(place.name, []).append(write)
        for name, writes in by_place.items():
            banks = next(p.banks for p in self.machine.places.values() if p.name == name)
            result += memory.merge_banks(tuple(writes), banks)
        return result

    def next_of(self, name: str) -> Term:
        """The next value of a register; one that only holds its value counts neither as read nor as `evaluated`."""
        node, _ = self._chosen(name)
        if node.op == "reg" and node.attr == name:
            return self.state.value(name)
        return self._moved(name, node)

    def _chosen(self, name: str) -> tuple[Node, tuple[Node, ...]]:
        """What a register takes, as far as that is decided, and the conditions that decide it."""
        known = self._choices.get(name)
        if known is not None:
            return known
        node = self.machine.netlist.registers[name].next
        conditions: list[Node] = []
        while node.op == "mux" and (condition := self.value(node.args[0])).op == "const":
            conditions.append(node.args[0])
            node = node.args[1 if condition.attr else 2]
        found = self._choices[name] = node, tuple(conditions)
        return found

    def _moved(self, name: str, node: Node) -> Term:
        self.evaluated.add(name)
        plan = self.machine.plan(name)
        return self.value(node) if plan is None or node.op == "reg" else self._remembered(node, plan)

    def _remembered(self, node: Node, plan: Plan) -> Term:
        """The value of a node on which the next value of the plan's register rests."""
        key = (node, *self._key(plan))
        known = plan.known.get(key)
        if known is not None and (not self.facts or known.undecided.isdisjoint(self.facts)):
            self.reads |= known.reads
            return known.value
        value = self.value(node)
        if any(isinstance(v, Later) for v in key):
            key = (node, *self._key(plan))
        if not any(isinstance(v, Later) for v in key):
            reads, undecided, decided = self._looked_at(node)
            if not decided:
                self.machine.remember(plan, key, Known(value, reads, undecided))
        return value

    def _key(self, plan: Plan) -> tuple[Value, ...]:
        registers, inputs = self.state.registers, self.inputs
        values = [registers[r] for r in plan.registers]
        return (*[v if type(v) is Term else v.known() for v in values], *[inputs[i] for i in plan.inputs])  # type: ignore[union-attr]

    def _looked_at(self, root: Node) -> tuple[frozenset[str], frozenset[Term], bool]:
        """The registers that a value was computed from, the 1-bit values that were not constant, and whether facts decided any."""
        reads: set[str] = set()
        undecided: set[Term] = set()
        stack, seen, decided = [root], set[Node](), False
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node.op == "reg":
                reads.add(str(node.attr))
            if node.width == 1:
                term = self.state.value(str(node.attr)) if node.op == "reg" else self._values.get(node)
                decided = decided or node in self._decided
                if term is not None and not term.is_const:
                    undecided.add(term)
            stack += self._used(node)
        return frozenset(reads), frozenset(undecided), decided or not undecided.isdisjoint(self.facts)

    def _used(self, node: Node) -> tuple[Node, ...]:
        """The operands of a node that its value was computed from."""
        if node.op == "mux":
            condition = self.value(node.args[0])
            return (node.args[0], node.args[1 if condition.attr else 2]) if condition.is_const else node.args
        if node.op in ("and", "or") and node.width == 1:
            return node.args[:1] if self.value(node.args[0]) is (FALSE if node.op == "and" else TRUE) else node.args
        return node.args

    def moving(self) -> frozenset[str]:
        """Registers that may change at the end of this cycle: the active ones, and those that read an input that is not what it was."""
        if self._moving is None:
            self._moving = self._find_moving()
        return self._moving

    def _fresh(self) -> set[str]:
        """The inputs that are not what they were."""
        before = self.state.inputs
        return {i for i, term in self.inputs.items() if before.get(i) is not term}

    def _find_moving(self) -> frozenset[str]:
        fresh = self._fresh()
        dependents = self.machine.structure.dependents
        return self.state.active | self._woken(NONE.union(*(dependents.get(i, NONE) for i in fresh)), fresh, self.state.held)

    def _woken(self, names: frozenset[str], changed: set[str], held: Mapping[str, frozenset[str]]) -> frozenset[str]:
        """`names`, which depend on something that has changed, without those that hold their value all the same."""
        return names.difference([n for n in names if n in held and n not in self._control and held[n].isdisjoint(changed)])

    def after(self) -> State:
        """The state at the next clock edge."""
        before, held = self.state, dict(self.state.held)
        enabled: set[int] = set()
        writes = self._writes(enabled)
        moving, following = self.moving(), self.next_of
        changed: dict[str, Value] = {name: Later(following, name) for name in moving & self._later}
        for name in moving - self._later:
            value = self._next(name, held)
            if value is not before.registers[name]:
                changed[name] = value
        active = self._woken(self.machine.dependents(changed, {w.memory for w in writes}), set(changed), held)
        ports = self.machine.ports_after(changed, bool(writes)) | enabled
        return State({**before.registers, **changed}, active, before.log + tuple(writes), self.inputs, held, ports)

    def _next(self, name: str, held: dict[str, frozenset[str]]) -> Term:
        """The next value of a register; `held` is told whether it holds its value, and by what."""
        held.pop(name, None)
        node, conditions = self._chosen(name)
        if node.op != "reg" or node.attr != name:
            return self._moved(name, node)
        sources = self.machine.holding(conditions)
        if sources is not None:
            held[name] = sources
        return self.state.value(name)
