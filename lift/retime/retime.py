"""A design with a pipeline to the same one without its registers: what they delay is done at once (C. E. Leiserson and J. B. Saxe, "Retiming synchronous
circuitry", Algorithmica 6, 1991).

The retimed value of a node in cycle t is that of cycle t + lag in the design.  Three things keep a pipeline from being a mere delay, and each is looked for:

- it forwards to a read what the iteration before writes: in the retimed design that word is in the memory already;
- it says whether it is empty: in the retimed design it always is, and the registers that say so (`waiting`) keep their values;
- an iteration may read a word before one that was begun earlier has written it: that none does is an entry of `hazards`, where nothing is forwarded.

Words of different lags that come together (two words of one memory, say) are held from one cycle to the next in the retimed design too (`left`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lift.netlist.model import MemoryWrite, Netlist, Node, Register
from lift.netlist.rewire import cleared, mapped
from lift.retime.bits import in_bits
from lift.retime.forwarding import FORWARDED, roots, without_forwarding
from lift.retime.lags import FREE, Lags, Surface
from lift.retime.nodes import Nodes
from lift.unroll.structure import nodes_below


@dataclass(frozen=True, slots=True)
class Retimed:
    """`removed`: the registers of the pipeline; `left`: those that still hold words from one cycle to the next; `waiting`: those that say whether something is
    under way in it; `source`: the registers of the pipeline that some of either were; `counts`: of those that count what is under way, how; `hazards`: what
    iterations are not taken to do to one another."""

    netlist: Netlist
    removed: tuple[str, ...]
    left: tuple[str, ...]
    waiting: tuple[str, ...]
    source: dict[str, str]
    counts: tuple[Count, ...]
    hazards: tuple[Hazard, ...]


@dataclass(frozen=True, slots=True)
class Hazard:
    """A word of `memory` that is written `cycles` after it would be read in the same iteration (before it, where that is negative): in so many cycles
    other iterations may read it and not see what was, or see what is to be, written."""

    memory: str
    cycles: int


@dataclass(frozen=True, slots=True)
class Count:
    """Names in a retimed design: `following` is the output that shows what a counter would be next if the input `left` said that something has left
    the pipeline; the output `begun` shows whether it is begun in this cycle."""

    register: str
    following: str
    left: str
    begun: str


def _merged(netlist: Netlist, surface: Surface, nodes: Nodes) -> Netlist:
    """With one register in place of several that take the same in every cycle, and are equal once they have."""
    while True:
        first: dict[Node, str] = {}
        values: dict[Node, Node] = {}
        for name, register in netlist.registers.items():
            other = first.setdefault(surface.without_reset(register.next), name)
            if other != name:
                values[nodes.one(Node("reg", register.width, (), name))] = nodes.one(Node("reg", register.width, (), other))
        done: dict[Node, Node] = {}
        changed = mapped(netlist, lambda n, values=values, done=done: nodes.replaced(n, values, done))  # type: ignore[misc]
        if all(r.next is netlist.registers[n].next for n, r in changed.registers.items()):
            return changed
        netlist = changed


class _Mixed(Exception):
    """A value depends on another one that has not happened yet."""


class _Otherwise(Exception):
    """A register does not count what is under way in the pipeline."""


def retimed(netlist: Netlist, surface: Surface) -> Retimed | None:
    """None when there is no pipeline, or one that is more than a delay."""
    nodes = Nodes()
    single, origin = in_bits(mapped(netlist, nodes.of), nodes)
    shared = _merged(single, surface, nodes)
    while True:
        lags = Lags(shared, surface)
        try:
            return _Retiming(shared, surface, lags, nodes, origin).run() if lags.delays else None
        except _Otherwise as counter:  # what it counts is not under way in the pipeline
            surface = replace(surface, counters=surface.counters - {str(counter)})
        except _Mixed:
            return None


class _Retiming:
    """`kept`: values that must still be delayed, as (register, cycles) and the register that does so; `reads`: in which cycle words are read."""

    def __init__(self, netlist: Netlist, surface: Surface, lags: Lags, nodes: Nodes, origin: dict[str, str]) -> None:
        self.netlist, self.surface, self.lags, self.nodes, self.origin = netlist, surface, lags, nodes, origin
        self.kept: dict[tuple[str, int], str] = {}
        self.reads: dict[Node, set[int]] = {}
        self.writes: dict[str, list[int]] = {}
        self._done: dict[tuple[Node, int], Node] = {}

    def run(self) -> Retimed | None:
        netlist, delays = self.netlist, self.lags.delays
        still = delays.keys() | self.lags.counting
        registers = {n: replace(r, next=self.at(r.next, self._frame(n))) for n, r in netlist.registers.items() if n not in still}
        memories = {n: replace(m, writes=tuple(self._port(n, w) for w in m.writes)) for n, m in netlist.memories.items()}
        frames = {p: self.lags.frame(*(netlist.outputs[q] for q in group)) for group in self.surface.together for p in group}
        if any(frames.get(p) for p in self.surface.answered):
            raise _Mixed
        outputs = {n: self.at(o, frames[n]) if n in frames else Node("undef", o.width, (), FREE + n) for n, o in netlist.outputs.items()}
        counts, shown = self._counts()
        delaying = self._delaying()
        inputs = {**netlist.inputs, **{c.left: 1 for c in counts}}
        whole = replace(netlist, inputs=inputs, registers=registers, memories=memories, outputs={**outputs, **shown}, wires={}, assertions=())
        looked_at = [*roots(whole), *(r.next for r in delaying.values())]
        whole, covered = without_forwarding(whole, {**registers, **delaying}, self.nodes)
        whole, waiting, left = self._without_waiting(whole, delaying)
        source = {label: self.origin.get(name, name) for (name, _), label in self.kept.items()}
        return Retimed(self._described(whole), tuple(delays), left, waiting, source, tuple(counts), self._hazards(looked_at, covered))

    def _frame(self, register: str) -> int:
        return 0 if register in self.surface.stable else int(self.lags.registers[register])

    # Values

    def at(self, root: Node, frame: int) -> Node:
        """What a node is `frame` cycles later."""
        stack = [(root, frame)]
        while stack:
            node, when = stack[-1]
            if (node, when) in self._done:
                stack.pop()
                continue
            needed = self._needed(node, when)
            missing = [e for e in needed if e not in self._done]
            stack += missing
            if not missing:
                self._done[node, when] = self._rebuilt(node, when, [self._done[e] for e in needed])
        return self._done[root, frame]

    def _needed(self, node: Node, frame: int) -> list[tuple[Node, int]]:
        if node.op != "reg":
            return [(a, frame) for a in node.args]
        name = str(node.attr)
        if name in self.surface.stable:
            return [(self.netlist.registers[name].next, 0)] if frame else []
        return [(self.lags.delays[name], frame - 1)] if name in self.lags.delays and frame == self.lags.registers[name] else []

    def _rebuilt(self, node: Node, frame: int, parts: list[Node]) -> Node:
        if node.op == "reg":
            return parts[0] if parts else self._register(node, frame)
        if node.op == "input" and frame and node.attr not in self.surface.stable:
            raise _Mixed
        result = self.nodes.one(replace(node, args=tuple(parts)))
        if node.op == "memread":
            self.reads.setdefault(result, set()).add(frame)
        return result

    def _register(self, node: Node, frame: int) -> Node:
        name = str(node.attr)
        if name in self.surface.stable or name in self.lags.counting or frame == self.lags.registers[name]:
            return self.nodes.one(node)
        if frame > self.lags.registers[name]:
            raise _Mixed
        label = self.kept.setdefault((name, frame), f"{name}@{frame}")
        return self.nodes.one(Node("reg", node.width, (), label))

    def _port(self, memory: str, write: MemoryWrite) -> MemoryWrite:
        said = [n for n in (write.enable, write.address, write.data, write.mask) if n is not None]
        frame = self.lags.frame(*said)
        self.writes.setdefault(memory, []).append(frame)
        mask = None if write.mask is None else self.at(write.mask, frame)
        return MemoryWrite(self.at(write.enable, frame), self.at(write.address, frame), self.at(write.data, frame), mask)

    def _delaying(self) -> dict[str, Register]:
        """The registers that delay what must be delayed."""
        done: dict[str, Register] = {}
        while len(done) < len(self.kept):
            for (name, frame), label in list(self.kept.items()):
                if label not in done:
                    register = self.netlist.registers[name]
                    done[label] = replace(register, name=label, next=self.at(Node("reg", register.width, (), name), frame + 1))
        return done

    # What is more than a delay

    def _counts(self) -> tuple[list[Count], dict[str, Node]]:
        """How each register counts that counts what is under way, and the outputs that show it.  Raises _Otherwise."""
        found: list[Count] = []
        shown: dict[str, Node] = {}
        for name in sorted(self.lags.counting):
            following = self.at(self.netlist.registers[name].next, 0)
            cycles = {label: key for key, label in self.kept.items()}
            left = {n for n in nodes_below(following) if n.op == "reg" and n.attr in cycles}
            if len(left) != 1 or (bit := left.pop()).width > 1:
                raise _Otherwise(name)
            pipeline = cycles[str(bit.attr)][0]
            if any(frame > self.lags.registers[pipeline] for frames in self.writes.values() for frame in frames):
                raise _Mixed  # it is written after what says that all is done
            count = Count(name, f"{name}.following", f"{name}.left", f"{name}.begun")
            shown[count.following] = self.nodes.replaced(following, {bit: Node("input", 1, (), count.left)}, {})
            shown[count.begun] = self.at(Node("reg", 1, (), pipeline), int(self.lags.registers[pipeline]))
            found.append(count)
        return found, shown

    def _without_waiting(self, whole: Netlist, delaying: dict[str, Register]) -> tuple[Netlist, tuple[str, ...], tuple[str, ...]]:
        """What says whether something is under way keeps its value; words are still delayed.  The names of both."""
        left: dict[str, Register] = {}
        waiting = {n: r for n, r in self.netlist.registers.items() if n in self.lags.counting}
        looked_at = roots(whole)
        while found := {n for root in looked_at for n in _delayed(root, delaying)} - left.keys() - waiting.keys():
            waiting |= {n: delaying[n] for n in found if delaying[n].width == 1}
            left |= {n: delaying[n] for n in found if delaying[n].width > 1}
            looked_at = [delaying[n].next for n in found if delaying[n].width > 1]
        kept = {n: replace(r, next=cleared(Node("reg", r.width, (), n), self.surface.reset, self.surface.reset_level)) for n, r in waiting.items()}
        return replace(whole, registers={**whole.registers, **left, **kept}), tuple(sorted(waiting)), tuple(sorted(left))

    def _hazards(self, looked_at: list[Node], covered: frozenset[tuple[Node, int]]) -> tuple[Hazard, ...]:
        """The reads and writes of one memory that are not of one time, where nothing is forwarded."""
        found = {
            Hazard(str(read.attr), written - frame)
            for read in nodes_below(*looked_at)
            if read.op == "memread"
            for frame in self.reads.get(read, ())
            for number, written in enumerate(self.writes.get(str(read.attr), ()))
            if written != frame and not ((read, number) in covered and written - frame == FORWARDED)
        }
        return tuple(sorted(found, key=lambda h: (h.memory, h.cycles)))

    def _described(self, whole: Netlist) -> Netlist:
        """With the names of values and the design's assertions, as far as they speak of one time."""
        wires: dict[str, Node] = {}
        for name, value in self.netlist.wires.items():
            if (now := self._alone(value)) is not None:
                wires[name] = now
        assertions = [replace(a, holds=now) for a in self.netlist.assertions if (now := self._alone(a.holds)) is not None]
        return replace(whole, wires=wires, assertions=tuple(assertions))

    def _alone(self, node: Node) -> Node | None:
        """The retimed value of a node that needs nothing delayed."""
        before = len(self.kept)
        try:
            now = self.at(node, self.lags.frame(node))
        except _Mixed:
            return None
        names = set(self.kept.values())
        return now if len(self.kept) == before and not any(n.op == "reg" and n.attr in names for n in nodes_below(now)) else None


def _delayed(root: Node, delaying: dict[str, Register]) -> set[str]:
    return {str(n.attr) for n in nodes_below(root) if n.op == "reg" and n.attr in delaying}
