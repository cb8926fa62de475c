"""Values of a netlist some cycles ago -> terms over time series of its inputs, over state, and over memories as they are now.

What a register held `age` cycles ago is what its next value was the cycle before; this ends at registers that are state: those on a cycle of
dependencies, and those that keep what they were once told.  A register that holds its value through an enable depends on itself, but only in
cycles that do not matter to a value in flight: where the enable travels along with the data it is a valid bit.  Where it is decided by state (a command
captured while idle), what it holds is state.  What has to be assumed on the way is collected.

The inverse of `lift.unroll.machine`, which goes forward from a known state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lift.netlist.model import Netlist, Node
from lift.unroll import terms
from lift.unroll.function import Store
from lift.unroll.memory import conjunction, conjuncts
from lift.unroll.paths import NotLifted
from lift.unroll.structure import real_support, strongly_connected, support
from lift.unroll.terms import FALSE, TRUE, Term

AGE_BITS = 16  # width of the index into a time series
MAX_READS = 512  # of memories, by one value
LOW_ACTIVE = ("_n", "_b", "n_reset", "rst_ni", "resetn", "rstn")


def quiet_reset(netlist: Netlist) -> dict[str, int]:
    """The reset input at the level at which it does nothing."""
    return {} if netlist.reset is None else {netlist.reset: int(netlist.reset.endswith(LOW_ACTIVE))}


def state_registers(netlist: Netlist) -> frozenset[str]:
    """Registers in genuine cycles (counters, finite-state machines, accumulators), and those that hold under conditions which read such
    registers, unless the condition is a valid bit of a pipeline."""
    state = cyclic(netlist)
    holds = {n: found for n, r in netlist.registers.items() if n not in state and (found := hold_conditions(n, r.next))}
    reads = {n: [(_identity(c), support(c)) for c in conditions] for n, conditions in holds.items()}
    valid = valid_bits(netlist)
    while True:
        kept = {n for n, found in reads.items() if n not in state and any(key not in valid and read & state for key, read in found)}
        if not kept:
            return frozenset(state)
        state |= kept


def cyclic(netlist: Netlist) -> set[str]:
    """Registers that depend on themselves otherwise than by holding."""
    real = {name: real_support(name, r.next) for name, r in netlist.registers.items()}
    components = strongly_connected({name: [s for s in used if s in netlist.registers] for name, used in real.items()})
    return {name for part in components for name in part if len(part) > 1 or name in real[name]}


def hold_conditions(name: str, next_value: Node) -> list[Node]:
    """Conditions of the multiplexers at the top of a register's next value that choose whether it keeps its value."""
    holds: dict[Node, bool] = {}
    found: list[Node] = []
    stack = [(next_value, False)]
    while stack:
        node, ready = stack.pop()
        if node in holds:
            continue
        if node.op != "mux":
            holds[node] = node.op == "reg" and node.attr == name
        elif not ready:
            stack += [(node, True), *((arm, False) for arm in node.args[1:])]
        else:
            holds[node] = any(holds[arm] for arm in node.args[1:])
            found += [node.args[0]] if holds[node] else []
    return found


def valid_bits(netlist: Netlist) -> frozenset[object]:
    """Bits that a register takes as they are, reset aside: they travel along a pipeline."""
    found = set()
    for register in netlist.registers.values():
        node = register.next
        while node.op == "mux" and node.args[0].op == "input" and any(arm.op == "const" for arm in node.args[1:]):
            node = node.args[2 if node.args[1].op == "const" else 1]
        if node.width == 1 and node.op not in ("const", "mux") and not (node.op == "reg" and node.attr == register.name):
            found.add(_identity(node))
    return frozenset(found)


def _identity(node: Node) -> object:
    """Leaves by name, other nodes as such."""
    return (node.op, node.attr) if node.op in ("reg", "input") else node


@dataclass(frozen=True, slots=True)
class Read:
    """A word that was read `age` cycles ago."""

    memory: str
    age: int
    word: Term


class Past:
    """Values, as one function needs them: registers of `state` are not pulled through, nor others `depth` cycles ago; inputs of `constants` never change.
    `assumed`: registers taken not to have held their value, and the conditions under which they did not; none if `exact`."""

    def __init__(self, netlist: Netlist, state: frozenset[str], depth: int, constants: Mapping[str, int], exact: bool) -> None:
        self.netlist, self.state, self.depth, self.constants, self.exact = netlist, state, depth, constants, exact
        self.assumed: dict[str, list[Term]] = {}
        self._given: dict[Term, None] = {}  # inputs that are constants, words that exist
        self._reads: dict[Read, None] = {}
        self._values: dict[tuple[Node, int], Term] = {}
        self._registers: dict[tuple[str, int], Term] = {}
        self._unknown: dict[tuple[Node, int], str] = {}

    # values

    def value(self, node: Node, age: int) -> Term:
        """What `node` was `age` cycles ago."""
        key = node, age
        found = self._values.get(key)
        if found is None:
            found = self._values[key] = self._evaluate(node, age)
        return found

    def _evaluate(self, node: Node, age: int) -> Term:
        match node.op:
            case "const":
                return self._undefined(node, age) if node.xmask else terms.const(node.attr, node.width)  # type: ignore[arg-type]
            case "undef":
                return self._undefined(node, age)
            case "input":
                return self._input(str(node.attr), node.width, age)
            case "reg":
                return self.register(str(node.attr), age)
            case "memread":
                return self._word(str(node.attr), node, age)
            case "mux":
                condition = self.value(node.args[0], age)
                if condition.is_const:
                    return self.value(node.args[1 if condition.attr else 2], age)
                return terms.mux(condition, self.value(node.args[1], age), self.value(node.args[2], age))
            case "and" | "or" if node.width == 1:
                first = self.value(node.args[0], age)
                if first is (FALSE if node.op == "and" else TRUE):
                    return first
                return terms.apply(node.op, 1, (first, self.value(node.args[1], age)))
        args = tuple(self.value(a, age) for a in node.args)
        return terms.apply(node.op, node.width, args, node.attr if isinstance(node.attr, int) else None)

    def _undefined(self, node: Node, age: int) -> Term:
        name = self._unknown.setdefault((node, age), f"undefined:{node.attr if node.op == 'undef' else len(self._unknown)}@{age}")
        return terms.sym(name, node.width)

    def _element(self, name: str, width: int, age: int) -> Term:
        return terms.load(name, width, terms.const(age, AGE_BITS))

    def _input(self, name: str, width: int, age: int) -> Term:
        element = self._element(name, width, age)
        if name not in self.constants:
            return element
        known = terms.const(self.constants[name], width)
        self._given[terms.equal(element, known)] = None
        return known

    def register(self, name: str, age: int) -> Term:
        """What a register held `age` cycles ago: an element of a series, or what its next value was the cycle before."""
        key = name, age
        found = self._registers.get(key)
        if found is None:
            found = self._registers[key] = self._before(name, age)
        return found

    def _before(self, name: str, age: int) -> Term:
        register = self.netlist.registers[name]
        here = self._element(name, register.width, age)
        if name in self.state or age >= self.depth:
            return here
        value, moves = self._taken(name, register.next, age + 1, {})
        if value is None:
            return here
        if moves is not TRUE and self.exact:
            return terms.mux(moves, value, self._element(name, register.width, age + 1))
        if moves is not TRUE:
            self.assumed.setdefault(name, []).append(moves)
        return value

    def _taken(self, name: str, node: Node, age: int, done: dict[Node, tuple[Term | None, Term]]) -> tuple[Term | None, Term]:
        """The next value of a register where it does not hold its own, and when that is."""
        if node not in done:
            done[node] = self._choice(name, node, age, done)
        return done[node]

    def _choice(self, name: str, node: Node, age: int, done: dict[Node, tuple[Term | None, Term]]) -> tuple[Term | None, Term]:
        if node.op == "reg" and node.attr == name:
            return None, FALSE
        if node.op != "mux":
            return self.value(node, age), TRUE
        condition = self.value(node.args[0], age)
        if condition.is_const:
            return self._taken(name, node.args[1 if condition.attr else 2], age, done)
        (then, first), (other, second) = (self._taken(name, arm, age, done) for arm in node.args[1:])
        value = other if then is None else then if other is None else terms.mux(condition, then, other)
        return value, terms.mux(condition, first, second)

    # memories

    def _word(self, name: str, node: Node, age: int) -> Term:
        memory = self.netlist.memories[name]
        address = self.value(node.args[0], age)
        word = terms.load(name, memory.width, _fitted(address, memory.depth))
        if memory.depth < 1 << address.width and not address.is_const:
            self._given[terms.apply("ult", 1, (address, terms.const(memory.depth, address.width)))] = None
        self._reads[Read(name, age, word)] = None
        return word

    def _unwritten(self, read: Read) -> Iterable[Term]:
        """That no port has written the word since it was read."""
        memory = self.netlist.memories[read.memory]
        for age in range(1, read.age + 1):
            for port in memory.writes:
                enable = self.value(port.enable, age)
                if enable is not FALSE:
                    address = _fitted(self.value(port.address, age), memory.depth)
                    yield terms.negate(terms.both(enable, terms.equal(address, read.word.args[0])))

    def stores(self, name: str) -> tuple[Store, ...]:
        memory = self.netlist.memories[name]
        stores = []
        for port in memory.writes:
            enable = conjunction(self.value(port.enable, 0))
            mask = None if port.mask is None else self.value(port.mask, 0)
            if enable is not FALSE:
                address = self.value(port.address, 0)
                if memory.depth < 1 << address.width and not address.is_const:
                    enable = terms.both(enable, terms.apply("ult", 1, (address, terms.const(memory.depth, address.width))))
                stores.append(Store(name, _fitted(address, memory.depth), self.value(port.data, 0), mask, None if enable is TRUE else enable))
        return tuple(stores)

    # what is assumed

    def assumptions(self) -> tuple[Term, ...]:
        """Conditions that have to hold, each once, constants left out unless it is false."""
        seen: set[Read] = set()
        unwritten: list[Term] = []
        while pending := [r for r in self._reads if r not in seen]:
            seen.update(pending)
            if len(seen) > MAX_READS:
                raise NotLifted("what is read of a memory depends on all writes to it before")
            unwritten += [condition for read in pending for condition in self._unwritten(read)]
        moved = [part for moves in self.assumed.values() for each in moves for part in _parts(each)]
        known = {k: v for each in moved for k, v in conjuncts(each).items()}
        unwritten = [terms.substitute(condition, known) for condition in unwritten]
        return tuple(t for t in dict.fromkeys([*moved, *unwritten, *self._given]) if t is not TRUE)


def _parts(condition: Term) -> list[Term]:
    """The conditions of a conjunction."""
    condition = conjunction(condition)
    found: list[Term] = []
    stack = [condition]
    while stack:
        term = stack.pop()
        if term.op == "and":
            stack += reversed(term.args)
        else:
            found.append(term)
    return found


def _fitted(address: Term, depth: int) -> Term:
    """An address at the width that a memory of `depth` words needs."""
    bits = max(1, (depth - 1).bit_length())
    return terms.extract(address, 0, bits) if address.width > bits else terms.apply("zext", bits, (address,))
