"""A netlist and inputs to outputs and state, clock cycle by clock cycle, with concrete two-state values.

Plain interpretation of the nodes in topological order, by the operators' table in `fold`: the reference for everything that computes
symbolically.  What Verilog leaves undefined (x digits, registers before reset, division by zero, words out of range) comes from one
function, zero unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from lift.netlist.fold import evaluate
from lift.netlist.model import Memory, Netlist, Node

Undefined = Callable[[int], int]


def order(roots: list[Node]) -> Iterator[Node]:
    """The nodes below `roots`, operands first, each once."""
    done: set[Node] = set()
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if node in done:
            continue
        if ready:
            done.add(node)
            yield node
        else:
            stack.append((node, True))
            stack += [(a, False) for a in node.args if a not in done]


class Simulator:
    """`registers` and `memories` are the present state and may be changed between steps; `undefined(width)` gives the value of what is
    undefined."""

    def __init__(self, netlist: Netlist, undefined: Undefined = lambda width: 0) -> None:
        self._netlist, self._undefined = netlist, undefined
        registers = netlist.registers.values()
        self.registers = {r.name: undefined(r.width) if r.initial is None else r.initial for r in registers}
        self.memories = {m.name: self._contents(m) for m in netlist.memories.values()}
        self._outputs = list(order(list(netlist.outputs.values())))
        self._all = list(order(self._roots()))

    def outputs(self, inputs: Mapping[str, int]) -> dict[str, int]:
        """The outputs for `inputs` in the present state.  An input that is missing is 0."""
        values = self._evaluate(self._outputs, inputs)
        return {name: values[node] for name, node in self._netlist.outputs.items()}

    def step(self, inputs: Mapping[str, int]) -> dict[str, int]:
        """The outputs for `inputs`; then the clock edge."""
        values = self._evaluate(self._all, inputs)
        self.registers = {r.name: values[r.next] for r in self._netlist.registers.values()}
        self._write(values)
        return {name: values[node] for name, node in self._netlist.outputs.items()}

    def value(self, node: Node, inputs: Mapping[str, int]) -> int:
        """The value of one node, such as a wire."""
        return self._evaluate(list(order([node])), inputs)[node]

    def _contents(self, m: Memory) -> list[int]:
        known = m.initial or (None,) * m.depth
        return [self._undefined(m.width) if word is None else word for word in known]

    def _roots(self) -> list[Node]:
        netlist = self._netlist
        roots = [*netlist.outputs.values(), *(r.next for r in netlist.registers.values())]
        for memory in netlist.memories.values():
            for w in memory.writes:
                roots += [n for n in (w.enable, w.address, w.data, w.mask) if n is not None]
        return roots

    def _write(self, values: dict[Node, int]) -> None:
        for memory in self._netlist.memories.values():
            words = self.memories[memory.name]
            for w in memory.writes:
                address = values[w.address]
                if values[w.enable] and address < memory.depth:
                    mask = -1 if w.mask is None else values[w.mask]
                    words[address] = (words[address] & ~mask) | (values[w.data] & mask)

    def _evaluate(self, nodes: list[Node], inputs: Mapping[str, int]) -> dict[Node, int]:
        values: dict[Node, int] = {}
        for node in nodes:
            values[node] = self._node(node, values, inputs)
        return values

    def _node(self, node: Node, values: dict[Node, int], inputs: Mapping[str, int]) -> int:
        match node.op, node.attr:
            case "const", int(value):
                return (value & ~node.xmask) | (self._undefined(node.width) & node.xmask) if node.xmask else value
            case "input", str(name):
                return inputs.get(name, 0) & ((1 << node.width) - 1)
            case "reg", str(name):
                return self.registers[name]
            case "undef", _:
                return self._undefined(node.width)
            case "memread", str(name):
                words, address = self.memories[name], values[node.args[0]]
                return words[address] if address < len(words) else self._undefined(node.width)
            case "extract", int(low):
                return values[node.args[0]] >> low & ((1 << node.width) - 1)
            case "mux", _:
                return values[node.args[1 if values[node.args[0]] else 2]]
            case "concat", _:
                return _joined(node, values)
        result = evaluate(node.op, node.width, node.args[0].width, [values[a] for a in node.args])
        return self._undefined(node.width) if result is None else result


def _joined(node: Node, values: dict[Node, int]) -> int:
    result = 0
    for part in node.args:
        result = result << part.width | values[part]
    return result
