"""A unit at rest to a proof that it stays there: the boundary condition of every instruction.

The state at rest is what the lift starts each instruction from: constants, values that follow from architectural registers, and architectural
registers, which may hold anything.  Claimed for one clock cycle without a command, whatever the inputs without a meaning are: each register has
the same again, memories keep their words, the next command would be taken, and nothing is asked of anybody.
"""

from __future__ import annotations

from collections.abc import Iterator

import z3

from lift.crosscheck.bits import Bits, address_bits, const, number
from lift.crosscheck.decide import RLIMIT, decide
from lift.crosscheck.meaning import Meaning, Value, array
from lift.crosscheck.verdicts import Counterexample, Row, Verdict
from lift.discover.environment import Surroundings
from lift.discover.rest import own, rest
from lift.ir.subterms import free
from lift.netlist.model import Node
from lift.unroll.extract import Lift
from lift.unroll.terms import Term, walk

SUBJECT = "at rest"


def at_rest(lift: Lift) -> dict[str, Term]:
    """Registers at rest as functions of the architectural ones; those of which nothing is known are left out, such as one that takes an input
    without a meaning."""
    unit = lift.unit
    inputs = Surroundings(unit.machine.netlist, unit.contract, None).idle()
    given = {n: own(unit.same.get(n, n), unit.idle[n]) for n in unit.architectural}
    registers = rest(unit.machine, unit.idle, inputs, given).values()
    known = {n: t for n, t in registers.items() if n in given or not (t.op == "sym" and t.attr == n)}
    return {n: t for n, t in known.items() if all(s.attr in registers for s in walk(t) if s.op == "sym")}


def stays_at_rest(lift: Lift, rlimit: int = RLIMIT) -> Iterator[Verdict]:
    """A verdict for each register that has a value at rest, each memory, and each output that must be quiet."""
    yield from _Invariant(lift, rlimit).run()


class _Invariant:
    def __init__(self, lift: Lift, rlimit: int) -> None:
        self.lift, self.netlist, self.rlimit = lift, lift.unit.machine.netlist, rlimit
        self.values = {n: self._value(t) for n, t in at_rest(lift).items()}
        inputs = Surroundings(self.netlist, lift.unit.contract, None).idle()
        fixed = {n: Value(const(int(t.attr or 0), t.width)) for n, t in inputs.items() if t.is_const}
        self.meaning = Meaning(self.netlist, {**fixed, **{n: Value(v) for n, v in self.values.items()}})

    def _value(self, root: Term) -> Bits:
        """A term over registers, by the table of operators of netlists, which has the same names."""
        nodes: dict[Term, Node] = {}
        for term in walk(root):
            op = {"sym": "reg", "load": "memread"}.get(term.op, term.op)
            nodes[term] = Node(op, term.width, tuple(nodes[a] for a in term.args), term.attr)  # type: ignore[arg-type]
        return Meaning(self.netlist).value(nodes[root]).bits

    def run(self) -> Iterator[Verdict]:
        for name, value in self.values.items():
            yield self._judged(name, value, self.meaning.value(self.netlist.registers[name].next))
        for name, expected in self._quiet().items():
            yield self._judged(name, const(expected, 1), self.meaning.value(self.netlist.outputs[name]))
        for memory in self.netlist.memories.values():
            index = z3.BitVec(f"{memory.name}[any]", address_bits(memory.depth))
            yield self._judged(memory.name, array(memory)[index], self.meaning.word_after(memory, index))

    def _quiet(self) -> dict[str, int]:
        """Outputs with the value that they have at rest."""
        contract = self.lift.unit.contract
        quiet = {str(c.valid): 0 for c in contract.channels if c.output and c.valid}
        if contract.memory:
            quiet[contract.memory.request_valid] = 0
        if contract.command and contract.command.ready:
            quiet[contract.command.ready] = 1
        return quiet

    def _judged(self, name: str, before: Bits, after: Value) -> Verdict:
        location = str(self.netlist.locations.get(name, ""))
        if after.unknown is not None and decide(after.unknown == const(0, after.unknown.size()), [], self.rlimit)[0] != "agreed":
            return Verdict(SUBJECT, name, "not comparable", "its next value may be undefined", location=location)
        answer, model = decide(before == after.bits, [], self.rlimit)
        if answer == "undecided":
            return Verdict(SUBJECT, name, "not comparable", f"undecided after {self.rlimit} resource units of Z3", location=location)
        if model is None:
            return Verdict(SUBJECT, name, "agreed", location=location)
        return Verdict(SUBJECT, name, "different", "", 0, self._shown(name, before, after.bits, model), location)

    def _shown(self, name: str, before: Bits, after: Bits, model: z3.ModelRef) -> Counterexample:
        def row(n: str, value: Bits) -> Row:
            return Row(n, number(model, value), value.size(), str(self.netlist.locations.get(n, "")))

        named = {t.decl().name(): t for t in free([before, after]) if z3.is_bv(t)}
        return Counterexample(tuple(row(n, named[n]) for n in sorted(named)), row(name, before), row(name, after), "one cycle without a command")
