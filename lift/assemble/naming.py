"""Names of fields: what the design calls the registers that latch them."""

from __future__ import annotations

from lift.assemble.leaves import Part, field_part
from lift.discover.commands import PayloadSlice, payload_slices
from lift.netlist.model import Netlist
from lift.unroll.extract import Lift
from lift.unroll.structure import leaves, nodes_below
from lift.unroll.terms import Term

Slices = dict[str, PayloadSlice]  # wires that are a slice of the command, by name


def slices_of(lift: Lift) -> Slices:
    command = lift.unit.contract.command
    assert command is not None
    return payload_slices(lift.unit.machine.netlist, command)


def field_names(lift: Lift, instruction: str, slices: Slices) -> dict[Part, str]:
    """Slices of the command's words -> the last component of a register that ends with that slice; the instruction's own units first."""
    command, netlist = lift.unit.contract.command, lift.unit.machine.netlist
    assert command is not None
    words = {w: netlist.inputs[p] for w, p in command.words.items()}
    execution = lift.unit.executions[instruction]
    found: dict[Part, list[str]] = {}
    for path in execution.paths:
        for name, term in path.final.registers.items():
            part = field_part(term, words) if isinstance(term, Term) else None
            if part is not None:
                found.setdefault(part, []).append(name)
    for part, label in {(s.word, s.low, s.width): name for name, s in slices.items() if s.width < words[s.word]}.items():
        found.setdefault(part, []).append(label)
    return {part: _last(min(candidates, key=lambda n: (_is_word(n, words), n.count("."), len(n)))) for part, candidates in found.items()}


def _is_word(name: str, words: dict[str, int]) -> bool:
    return name.rsplit(".", 1)[-1] in words


def _last(name: str) -> str:
    last = name.rsplit(".", 1)[-1]
    head, _, tail = last.rpartition("_")
    return head if tail.isdigit() and head else last


class AtomNames:
    """What the design calls a one-bit condition: a register or wire that holds it, or the constant that a value is compared with."""

    def __init__(self, lift: Lift, slices: Slices) -> None:
        netlist, command = lift.unit.machine.netlist, lift.unit.contract.command
        assert command is not None
        self.words = {w: netlist.inputs[p] for w, p in command.words.items()}
        self.slices = {id(netlist.wires[n]): s for n, s in slices.items() if n in netlist.wires}
        self.known: dict[tuple[object, int], str] = {}
        self._registers(netlist)
        self._labels(netlist)
        for wire, part in slices.items():
            if part.width == 1:
                self.known.setdefault(((part.word, part.low, 1), 1), _last(wire))
        self._register_bits(netlist)
        self.terms = lift.names
        widths = {_last(n): r.width for n, r in netlist.registers.items()}
        self.flags = {n for n, width in widths.items() if width == 1}

    def _registers(self, netlist: Netlist) -> None:
        for name, register in netlist.registers.items():
            for leaf in leaves(register.next) if register.width == 1 else ():
                part = self._part(leaf.args[0]) if leaf.op == "eq" else self._part(leaf)
                if part is not None:
                    value = int(leaf.args[1].attr or 0) if leaf.op == "eq" else 1
                    self.known.setdefault((part, value), _last(name))

    def _part(self, node: object) -> Part | None:
        found = self.slices.get(id(node))
        return (found.word, found.low, found.width) if found is not None else None

    def _labels(self, netlist: Netlist) -> None:
        stored = (w.data for m in netlist.memories.values() for w in m.writes)
        for node in nodes_below(*(r.next for r in netlist.registers.values()), *netlist.wires.values(), *stored):
            if node.op == "eq" and node.args[1].op == "const" and node.args[1].label and node.args[0].op == "reg":
                self.known.setdefault((_last(str(node.args[0].attr)), int(node.args[1].attr or 0)), node.args[1].label.lower())

    def _register_bits(self, netlist: Netlist) -> None:
        """Wires that are one bit of a register."""
        for wire in sorted(netlist.wires, key=lambda n: (len(_last(n)), n)):
            node = netlist.wires[wire]
            if node.op == "extract" and node.width == 1 and node.args[0].op == "reg":
                self.known.setdefault(((str(node.args[0].attr), int(node.attr or 0)), 1), _last(wire))

    def of(self, atom: Term) -> str | None:
        """A name for `atom` being true: where the end of what the design calls it is itself a flag of the design, that flag."""
        name = self._of(atom)
        if name is None:
            return None
        parts = name.split("_")
        return next((end for k in range(1, len(parts)) if (end := "_".join(parts[k:])) in self.flags), name)

    def unless(self, atom: Term) -> str | None:
        """A name for `atom` being false: the constant that a one-bit register is compared with."""
        return self.known.get((_last(str(atom.attr)), 0)) if atom.op == "sym" and atom.width == 1 else None

    def _of(self, atom: Term) -> str | None:
        if atom in self.terms:
            return self.terms[atom]
        subject, value = (atom.args[0], int(atom.args[1].attr or 0)) if atom.op == "eq" and atom.args[1].is_const else (atom, 1)
        part = field_part(subject, self.words)
        if part is not None:
            return self.known.get((part, value))
        if subject.op == "extract" and subject.args[0].op == "sym":
            return self.known.get(((str(subject.args[0].attr), int(subject.attr or 0)), value))
        if subject.op in ("sym", "load"):
            name = str(subject.attr)
            label = self.known.get((_last(name), value))
            if label is None and self.unless(subject) is not None:
                return None  # the design names the other value
            return label or (_last(name) if subject.width == 1 else f"{_last(name)}_{value}")
        return None
