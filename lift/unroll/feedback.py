"""A netlist -> which registers a value cannot be pulled through: those on a cycle of dependencies, and those that keep what they were once told.

A register that holds its value through an enable depends on itself, but only in cycles that do not matter to a value in flight: where the enable
travels along with the data it is a valid bit.  Where it is decided by state (a command captured while idle), what it holds is state.
"""

from __future__ import annotations

from lift.netlist.model import Netlist, Node
from lift.unroll.structure import real_support, strongly_connected, support

LOW_ACTIVE = ("_n", "_b", "n_reset", "rst_ni", "resetn", "rstn")


def quiet_reset(netlist: Netlist) -> dict[str, int]:
    """The reset input at the level at which it does nothing."""
    return {} if netlist.reset is None else {netlist.reset: int(netlist.reset.endswith(LOW_ACTIVE))}


def state_registers(netlist: Netlist) -> frozenset[str]:
    """Registers in genuine cycles (counters, finite-state machines, accumulators), and those that hold under conditions which read such
    registers, unless the condition is a valid bit of a pipeline."""
    state = cyclic(netlist)
    holds = {n: found for n, r in netlist.registers.items() if n not in state and (found := hold_conditions(n, r.next))}
    reads = {n: [(_key(c), support(c)) for c in conditions] for n, conditions in holds.items()}
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
            found.add(_key(node))
    return frozenset(found)


def _key(node: Node) -> object:
    """Leaves by name, other nodes as such."""
    return (node.op, node.attr) if node.op in ("reg", "input") else node
