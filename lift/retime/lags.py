"""How many registers of a pipeline lie between the control and each value."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from lift.netlist.model import Netlist, Node
from lift.unroll.structure import leaves, strongly_connected, support

Lag = float  # a whole number; infinite of what does not change while a pipeline is under way
FREE = "free:"  # how the names of undefined values begin: what a pipeline holds where nothing is under way


@dataclass(frozen=True, slots=True)
class Surface:
    """How a design is used.  `stable`: registers that nothing but a command changes, and inputs that keep their values; `together`: groups of output ports
    that speak at one time; `answered`: those of them that are answered in the next cycle, and so must not speak earlier than they do; `counters`: registers
    that may count what is under way; the `reset` and the level at which it resets."""

    stable: frozenset[str]
    together: tuple[tuple[str, ...], ...]
    answered: frozenset[str]
    counters: frozenset[str]
    reset: str | None
    reset_level: int

    def without_reset(self, following: Node) -> Node:
        """What a register takes where the design is not reset."""
        while following.op == "mux" and (level := self._resets(following.args[0])) is not None:
            following = following.args[2 if level else 1]
        return following

    def _resets(self, condition: Node) -> bool | None:
        """Does a condition say that the design is reset, or that it is not?"""
        level = True
        while condition.op == "not":
            condition, level = condition.args[0], not level
        if condition.op != "input" or condition.attr != self.reset:
            return None
        return level == bool(self.reset_level)


class Lags:
    """`delays`: the registers of the pipeline, and what each is one cycle later: undefined where it takes nothing in; `counting`: registers that count
    up and down with what is under way.  The registers of a cycle of dependencies have one lag, that of the earliest value that they depend on; that they
    look at single bits of the pipeline, or at what counts them, is left out of this."""

    def __init__(self, netlist: Netlist, surface: Surface) -> None:
        self.surface = surface
        self.delays: dict[str, Node] = {}
        following = {n: surface.without_reset(r.next) for n, r in netlist.registers.items() if n not in surface.stable}
        held = {n: _held(n, f) for n, f in following.items()}
        needs = {n: support(*(held[n] or (f,))) & following.keys() for n, f in following.items()}
        delayed = set(following.values())
        passing = {n for n in following if n not in needs[n] and ((taken := held[n]) is None or taken[0] in delayed)}
        bits = frozenset(n for n in passing if netlist.registers[n].width == 1)
        self.counting = frozenset(n for n in surface.counters & following.keys() if needs[n] & bits and up_and_down(n, following[n]))
        self.registers: dict[str, Lag] = dict.fromkeys((*(surface.stable & netlist.registers.keys()), *self.counting), inf)
        self._known: dict[Node, Lag] = {}
        edges = {n: sorted(needs[n] - self.counting - (frozenset() if n in passing else bits)) for n in following if n not in self.counting}
        for part in strongly_connected(edges):
            name = part[0]
            taken = held[name]
            if len(part) > 1 or name not in passing:
                self._label(part, following)
                continue
            value = following[name] if taken is None else _taken(name, *taken)
            lag = self.of(value)
            self.registers[name] = 0 if lag == inf else lag + 1
            if lag != inf:
                self.delays[name] = value

    def of(self, root: Node) -> Lag:
        self._learn(root, self._known)
        return self._known[root]

    def frame(self, *roots: Node) -> int:
        """The lag of the earliest of some values; 0 where none of them changes."""
        lag = min((self.of(r) for r in roots), default=inf)
        return 0 if lag == inf else int(lag)

    def _label(self, part: list[str], following: dict[str, Node]) -> None:
        self.registers |= dict.fromkeys(part, inf)
        known: dict[Node, Lag] = {}  # as long as this part has no label
        for name in part:
            self._learn(following[name], known)
        lag = min(self._known.get(following[n], known.get(following[n], inf)) for n in part)
        self.registers |= dict.fromkeys(part, 0 if lag == inf else lag)

    def _learn(self, root: Node, known: dict[Node, Lag]) -> None:
        stack = [root]
        while stack:
            node = stack[-1]
            if node in known or node in self._known:
                stack.pop()
                continue
            missing = [a for a in node.args if a not in known and a not in self._known]
            stack += missing
            if not missing:
                known[node] = min((self._known.get(a, known.get(a, inf)) for a in node.args), default=inf) if node.args else self._own(node)

    def _own(self, leaf: Node) -> Lag:
        if leaf.op == "reg":
            return self.registers.get(str(leaf.attr), inf)  # bits that come later
        return 0 if leaf.op == "input" and leaf.attr not in self.surface.stable else inf


def _held(name: str, following: Node) -> tuple[Node, Node] | None:
    """The condition under which a register takes a value, and that value, where it keeps its own otherwise."""
    if following.op == "mux" and following.args[2].op == "reg" and following.args[2].attr == name:
        return following.args[0], following.args[1]
    return None


def _taken(name: str, condition: Node, value: Node) -> Node:
    return Node("mux", value.width, (condition, value, Node("undef", value.width, (), FREE + name)))


def up_and_down(name: str, following: Node) -> bool:
    """Does a register take nothing but its value, one more, one less, and constants?"""
    steps: set[int] = set()
    for leaf in leaves(following):
        if leaf.op in ("add", "sub") and leaf.args[0].op == "reg" and leaf.args[0].attr == name and leaf.args[1].op == "const":
            step = int(leaf.args[1].attr or 0) * (1 if leaf.op == "add" else -1)
            steps.add(step % (1 << leaf.width))
        elif leaf.op != "const" and not (leaf.op == "reg" and leaf.attr == name):
            return False
    return steps == {1, (1 << following.width) - 1}
