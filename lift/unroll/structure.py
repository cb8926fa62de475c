"""What depends on what in a netlist: the sources of every register, which registers are control, which are counters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lift.netlist.model import Netlist, Node

MEMORY_SOURCE = "memory:"


def source_of(node: Node) -> str | None:
    """The register, input or memory that a leaf reads."""
    if node.op in ("reg", "input"):
        return str(node.attr)
    return MEMORY_SOURCE + str(node.attr) if node.op == "memread" else None


def nodes_below(*roots: Node) -> Iterator[Node]:
    """Every node of the combinational cone of `roots`, once."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            stack.extend(node.args)


def support(*roots: Node) -> frozenset[str]:
    """Registers, inputs and memories (as `memory:name`) that `roots` depend on combinationally."""
    return frozenset(source for node in nodes_below(*roots) if (source := source_of(node)) is not None)


def real_support(name: str, next_value: Node) -> frozenset[str]:
    """`support` of a register without itself where it only holds its value (a leaf of the multiplexers at the top)."""
    seen: set[int] = set()
    roots: list[Node] = []
    stack = [next_value]
    while stack:
        node = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.op == "mux":
            roots.append(node.args[0])
            stack += node.args[1:]
        elif not (node.op == "reg" and node.attr == name):
            roots.append(node)
    return support(*roots)


@dataclass(frozen=True, slots=True)
class Structure:
    """`sources[r]`: support of register r.  `control`: registers in a cycle of dependencies other than holding (finite-state machines
    and counters, but operands latched by them too: the caller keeps those with a reset value).  `machines`: those of them that take only
    constants, also from tables, and functions of themselves, the finite-state machines and counters proper.  `counters`: registers that add to
    themselves; `sums`: those of them that add more than constants (running addresses).
    `toggles`: one-bit registers one of whose values is their own negation (ping-pong bits).  `latches`: control registers that have
    no say in their own next value, nor is that computed from registers which have.  `shifts`: registers that pass on their own bits (delay lines).
    `deciding`: control registers that have a say in their own next value, more than holding it.
    `next_in_line[r]`: registers that take the value of r in each cycle, but for reset."""

    sources: dict[str, frozenset[str]]
    dependents: dict[str, frozenset[str]]
    control: frozenset[str]
    machines: frozenset[str]
    counters: frozenset[str]
    sums: frozenset[str]
    toggles: frozenset[str]
    latches: frozenset[str]
    shifts: frozenset[str]
    deciding: frozenset[str]
    next_in_line: dict[str, tuple[str, ...]]

    def followers(self, names: Iterable[str]) -> frozenset[str]:
        """`names` and the registers that take their values later, unchanged and always."""
        found, waiting = set(names), list(names)
        while waiting:
            new = [n for n in self.next_in_line.get(waiting.pop(), ()) if n not in found]
            found.update(new)
            waiting += new
        return frozenset(found)


def analyse(netlist: Netlist) -> Structure:
    sources = {name: support(r.next) for name, r in netlist.registers.items()}
    real = {name: real_support(name, r.next) for name, r in netlist.registers.items()}
    dependents: dict[str, list[str]] = {}
    for name, used in sources.items():
        for source in used:
            dependents.setdefault(source, []).append(name)
    components = strongly_connected({name: [s for s in used if s in netlist.registers] for name, used in real.items()})
    control = {name for part in components for name in part if len(part) > 1 or name in real[name]}
    taken = {name: [leaf for leaf in leaves(r.next) if not (leaf.op == "reg" and leaf.attr == name)] for name, r in netlist.registers.items()}
    machines = {name for name in control if all(_is_chosen(leaf) or name in support(leaf) for leaf in taken[name])}
    added = {name: _added_to_itself(name, r.next) for name, r in netlist.registers.items() if name in sources[name]}
    counters = {name for name, addends in added.items() if addends}
    sums = {name for name in counters if any(support(a) for a in added[name])}
    toggles = {name for name, r in netlist.registers.items() if r.width == 1 and any(_inverts(leaf, name) for leaf in taken[name])}
    deciding = {name for name in control if name in real[name]}
    latches = {name for name in control - deciding if not support(*taken[name]) & deciding}
    shifts = {name for name in sources if any(name in support(leaf) for leaf in taken[name]) and all(_is_wiring(leaf) for leaf in taken[name])}
    sets = (frozenset(s) for s in (control, machines, counters, sums, toggles, latches, shifts, deciding))
    line: dict[str, list[str]] = {}
    for name, r in netlist.registers.items():
        before = [str(leaf.attr) for leaf in leaves(r.next) if leaf.op == "reg"]
        passes_on = len(before) == 1 and before[0] != name and real[name] & netlist.registers.keys() == set(before)
        if passes_on and all(leaf.op in ("reg", "const") for leaf in leaves(r.next)):
            line.setdefault(before[0], []).append(name)
    return Structure(sources, {k: frozenset(v) for k, v in dependents.items()}, *sets, {k: tuple(v) for k, v in line.items()})


def leaves(next_value: Node) -> list[Node]:
    """What the multiplexers at the top of a value choose from."""
    found: dict[int, Node] = {}
    stack = [next_value]
    while stack:
        node = stack.pop()
        if id(node) not in found:
            found[id(node)] = node
            stack += node.args[1:] if node.op == "mux" else ()
    return [n for n in found.values() if n.op != "mux"]


def _is_chosen(value: Node) -> bool:
    """Is it a constant, or an element of a table of constants?"""
    table = value.args[0] if value.op == "extract" else value
    return (table.args[0] if table.op == "lshr" else table).op == "const"


def _inverts(value: Node, name: str) -> bool:
    """Is `value` the negation of a one-bit register, or its sum with something?  Flags that are set and cleared are not."""
    return value.op in ("not", "xor", "add", "sub") and any(a.op == "reg" and a.attr == name for a in value.args)


def _is_wiring(value: Node) -> bool:
    return value.op in ("const", "reg", "input") or (value.op in ("concat", "extract", "zext", "sext") and all(_is_wiring(a) for a in value.args))


def _added_to_itself(name: str, next_value: Node) -> list[Node]:
    """What a register adds to itself."""

    def leads_to_register(node: Node) -> bool:
        while node.op in ("zext", "sext", "extract"):
            node = node.args[0]
        if node.op == "mux":  # one of several that are counted by one adder
            return any(leads_to_register(a) for a in node.args[1:])
        return node.op == "reg" and node.attr == name

    adders = [node for node in nodes_below(next_value) if node.op in ("add", "sub")]
    return [other for node in adders for one, other in (node.args, node.args[::-1]) if leads_to_register(one)]


def strongly_connected(edges: dict[str, list[str]]) -> list[list[str]]:
    """Tarjan's algorithm (SIAM J. Comput. 1(2), 1972), without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    components: list[list[str]] = []
    for root in edges:
        if root in index:
            continue
        work: list[tuple[str, Iterator[str]]] = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, successors = work[-1]
            following = next(successors, None)
            if following is not None:
                if following not in index:
                    index[following] = low[following] = len(index)
                    stack.append(following)
                    on_stack.add(following)
                    work.append((following, iter(edges[following])))
                elif following in on_stack:
                    low[node] = min(low[node], index[following])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                component: list[str] = []
                while True:
                    member = stack.pop()
                    on_stack.discard(member)
                    component.append(member)
                    if member == node:
                        break
                components.append(component)
    return components
