"""One definition, as we read it and as yosys reads it, to a verdict for each register, output, memory and port of an instance.

Both are functions of the same free variables: inputs, registers, memories and the outputs of instances.  Each function is compared by Z3
within a limit of its resource units, never of seconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import z3

from lift.crosscheck.bits import Bits, address_bits, const, extract, number
from lift.crosscheck.decide import RLIMIT, decide, decide_equal
from lift.crosscheck.definitions import Definition
from lift.crosscheck.meaning import Meaning, Value, array, variable
from lift.crosscheck.reading import Ports, Reading, Unreadable, read
from lift.crosscheck.verdicts import Counterexample, Row, Verdict
from lift.crosscheck.yosys import Section
from lift.ir.subterms import subterms
from lift.netlist.model import Memory, Netlist

PART = re.compile(r"(.*)\[(\d+):(\d+)\]$", re.DOTALL)
WORD = re.compile(r"(.*)\[(\d+)\]$", re.DOTALL)


class Missing(Exception):
    """yosys has nothing of that name."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two values of `target` that should be equal; `index` is the free address of a memory's word."""

    target: str
    ours: Value
    theirs: Bits
    location: str
    memory: Memory | None = None
    index: Bits | None = None


def compare(definition: Definition, section: Section, ports: Ports, rlimit: int = RLIMIT) -> Iterator[Verdict]:
    """A verdict for each target of a definition that we could read."""
    assert definition.netlist is not None
    quiet = {name: 1 - active for name, active in definition.resets.items()}
    try:
        signals, registers = _wanted(definition.netlist)
        reading = read(section, ports, quiet, signals, registers)
        yield from _Comparison(definition, definition.netlist, reading, rlimit).run()
    except (Unreadable, Missing) as error:
        yield Verdict(definition.label, "", "not comparable", str(error), location=str(definition.module.location))


def _wanted(netlist: Netlist) -> tuple[set[str], set[str]]:
    """The signals that are looked at before and after the step; a register may be a word of an array, or bits of a variable."""
    registers = {stem for name in netlist.registers for stem in _stems(name)}
    words = {f"{m.name}[{k}]" for m in netlist.memories.values() for k in range(m.depth)}
    clock = {netlist.clock} if netlist.clock else set[str]()
    return {*netlist.inputs, *netlist.outputs, *registers, *words, *clock}, registers


def _stems(name: str) -> Iterator[str]:
    yield name
    for pattern in (PART, WORD):
        if found := pattern.match(name):
            yield from _stems(found[1])


class _Comparison:
    def __init__(self, definition: Definition, netlist: Netlist, reading: Reading, rlimit: int) -> None:
        self.definition, self.netlist, self.reading, self.rlimit = definition, netlist, reading, rlimit
        self.meaning = Meaning(netlist)
        self.axioms: list[Bits] = []
        self.depths: dict[int, int] = {}  # of arrays, by Z3's number

    def run(self) -> Iterator[Verdict]:
        self._bind()
        self.axioms, within = self.reading.axioms, self._within()
        if self.axioms and decide(z3.BoolVal(False), self.axioms, self.rlimit)[0] == "agreed":
            raise Unreadable("what yosys says of this module contradicts itself")
        pairs: list[Pair] = []
        for target, location, make in self._targets():
            try:
                pairs.append(make())
            except Missing as missing:
                yield Verdict(self.definition.label, target, "not comparable", str(missing), location=location)
        for pair, theirs in zip(pairs, self.reading.resolve([p.theirs for p in pairs]), strict=True):
            yield self._judged(replace(pair, theirs=theirs), within)

    # Variables

    def _bind(self) -> None:
        for name, width in self.netlist.inputs.items():
            table = self.reading.before if name in self.definition.module.inputs else self.reading.pins
            if name in table:
                self._same_width(name, table[name], width)
                self.reading.bind(table[name], variable(name, width))
        arrays: dict[str, dict[int, Bits]] = {}
        for name, register in self.netlist.registers.items():
            word = WORD.match(name)
            if name not in self.reading.before and word and word[1] in self.reading.memories_before:
                arrays.setdefault(word[1], {})[int(word[2]) - self._base(word[1])] = variable(name, register.width)
            else:
                self._bind_register(name, register.width)
        for name, words in arrays.items():
            self._bind_words(name, words)
        for memory in self.netlist.memories.values():
            self._bind_memory(memory)

    def _same_width(self, name: str, theirs: Bits, width: int) -> None:
        found = 1 if z3.is_bool(theirs) else theirs.size()
        if found != width:
            raise Missing(f"yosys has {found} bits for {name}, not {width}")

    def _bind_register(self, name: str, width: int) -> None:
        with suppress(Missing):  # its own verdict says so
            self.reading.bind(self._signal(self.reading.before, self.reading.memories_before, name), variable(name, width))

    def _base(self, name: str) -> int:
        """The source index of word 0 of an array."""
        found = self.definition.module.variables.get(name)
        return found.base if found else 0

    def _bind_words(self, name: str, words: Mapping[int, Bits]) -> None:
        """A memory of yosys whose words are registers here; other words are 0, which is what we read beyond an array."""
        theirs = self.reading.memories_before[name]
        sort = theirs.sort()
        contents = z3.K(sort.domain(), const(0, sort.range().size()))
        for index, word in words.items():
            if word.size() == sort.range().size():
                contents = z3.Store(contents, const(index, sort.domain().size()), word)
        self.depths[contents.get_id()] = len(words)
        self.reading.bind(theirs, contents)

    def _bind_memory(self, memory: Memory) -> None:
        theirs = self.reading.memories_before.get(memory.name)
        if theirs is not None and theirs.sort().domain().size() == address_bits(memory.depth):
            self.depths[array(memory).get_id()] = memory.depth
            self.reading.bind(theirs, array(memory))
            return
        for index in range(memory.depth):
            word = self.reading.before.get(f"{memory.name}[{index}]")
            if word is not None:
                self.reading.bind(word, array(memory)[const(index, address_bits(memory.depth))])

    def _signal(self, signals: Mapping[str, Bits], memories: Mapping[str, Bits], name: str) -> Bits:
        """A signal, bits of one, or a word of a memory, by the name of our register."""
        if name in signals:
            return signals[name]
        if part := PART.match(name):
            whole = self._signal(signals, memories, part[1])
            low = int(part[3])
            return z3.simplify(extract(whole, low, int(part[2]) - low + 1))
        if (word := WORD.match(name)) and word[1] in memories:
            store = memories[word[1]]
            return store[const(int(word[2]) - self._base(word[1]), store.sort().domain().size())]
        raise Missing(f"yosys has no signal '{name}'")

    # Targets

    def _targets(self) -> Iterator[tuple[str, str, Callable[[], Pair]]]:
        for name in self.netlist.registers:
            yield name, self._location(name), lambda name=name: self._register(name)
        for name in self.netlist.outputs:
            yield name, self._location(name), lambda name=name: self._output(name)
        for pin in self.definition.clocks:
            yield pin, self._location(pin), lambda pin=pin: self._clock(pin)
        for name, memory in self.netlist.memories.items():
            yield name, str(memory.location), lambda memory=memory: self._memory(memory)

    def _location(self, name: str) -> str:
        return str(self.netlist.locations.get(name) or self.netlist.locations.get(name.split("[")[0]) or self.definition.module.location)

    def _register(self, name: str) -> Pair:
        theirs = self._signal(self.reading.after, self.reading.memories_after, name)
        return self._pair(name, self.meaning.value(self.netlist.registers[name].next), theirs)

    def _output(self, name: str) -> Pair:
        table = self.reading.before if name in self.definition.module.outputs else self.reading.pins
        if name not in table:
            raise Missing(f"yosys has no signal '{name}'")
        return self._pair(name, self.meaning.value(self.netlist.outputs[name]), table[name])

    def _clock(self, pin: str) -> Pair:
        clock = self.netlist.clock
        if pin not in self.reading.pins or clock is None:
            raise Missing(f"yosys has no signal '{pin}'")
        return self._pair(pin, Value(variable(clock, 1)), self.reading.pins[pin])

    def _pair(self, name: str, ours: Value, theirs: Bits) -> Pair:
        self._same_width(name, theirs, ours.bits.size())
        return Pair(name, ours, theirs, self._location(name))

    def _memory(self, memory: Memory) -> Pair:
        """Any word of a memory, after the step."""
        theirs = self.reading.memories_after.get(memory.name)
        index = z3.BitVec(f"{memory.name}[any]", address_bits(memory.depth))
        if theirs is None:
            raise Missing(f"yosys has no memory '{memory.name}'")
        bits = theirs.sort().domain().size()
        if bits != index.size():
            raise Missing(f"yosys addresses memory '{memory.name}' with {bits} bits, not {index.size()}")
        ours = self.meaning.word_after(memory, index)
        return Pair(memory.name, ours, theirs[index], str(memory.location), memory, index)

    def _within(self) -> list[Bits]:
        """Addresses wider than their memory needs are within it: yosys cuts them."""
        result: list[Bits] = []
        for memory in self.netlist.memories.values():
            for write in memory.writes:
                address = self.meaning.value(write.address).bits
                if address.size() > address_bits(memory.depth):
                    result.append(z3.ULT(address, const(memory.depth, address.size())))
        return result

    def _read_within(self, theirs: Bits) -> list[Bits]:
        """What yosys reads of an array is one of its words."""
        reads = [(t.arg(1), self.depths[t.arg(0).get_id()]) for t in subterms([theirs]) if z3.is_select(t) and t.arg(0).get_id() in self.depths]
        return [z3.ULT(index, const(depth, index.size())) for index, depth in reads if depth < 1 << index.size()]

    # Verdicts

    def _judged(self, pair: Pair, within: list[Bits]) -> Verdict:
        label, assumed = self.definition.label, [*self.axioms, *_in_range(pair)]
        answer, model = decide_equal(pair.ours.bits, pair.theirs, assumed, self.rlimit)
        note = ""
        if answer == "different" and (pair.ours.unknown is not None or (within := [*within, *self._read_within(pair.theirs)])):
            defined = const(-1, pair.theirs.size()) if pair.ours.unknown is None else ~pair.ours.unknown
            if z3.is_true(z3.simplify(defined == const(0, defined.size()))):
                return Verdict(label, pair.target, "not comparable", "the RTL leaves it undefined", location=pair.location)
            answer, model = decide((pair.ours.bits ^ pair.theirs) & defined == const(0, defined.size()), [*assumed, *within], self.rlimit)
            note = "where the RTL defines it" if pair.ours.unknown is not None else "with addresses within the memory"
        if answer == "different":
            assert model is not None
            shown = self._counterexample(pair, model, assumed)
            return Verdict(label, pair.target, "different", "", 0, shown, pair.location)
        if answer == "undecided":
            return Verdict(label, pair.target, "not comparable", f"undecided after {self.rlimit} resource units of Z3", location=pair.location)
        return Verdict(label, pair.target, "agreed", note, location=pair.location)

    def _counterexample(self, pair: Pair, model: z3.ModelRef, assumed: list[Bits]) -> Counterexample:
        rows = []
        for name, value, width in _assignment(model, [pair.ours.bits, pair.theirs, *assumed]):
            rows.append(Row(name, value, width, self._location(name)))
        width = pair.theirs.size()
        name = f"{pair.target}[{number(model, pair.index):#x}]" if pair.index is not None else pair.target
        ours, theirs = (Row(name, number(model, side), width, pair.location) for side in (pair.ours.bits, pair.theirs))
        return Counterexample(tuple(sorted(rows, key=lambda r: r.name)), ours, theirs, "yosys")


def _in_range(pair: Pair) -> list[Bits]:
    """The word that is compared is one of the memory."""
    if pair.memory is None or pair.index is None or pair.memory.depth == 1 << pair.index.size():
        return []
    return [z3.ULT(pair.index, const(pair.memory.depth, pair.index.size()))]


def _assignment(model: z3.ModelRef, roots: list[Bits]) -> Iterator[tuple[str, int, int]]:
    """Name, value and width of every free variable, and of every word that is read from a free array."""
    named: set[str] = set()
    for term in subterms(roots):
        if z3.is_bv(term) and z3.is_const(term) and z3.is_app_of(term, z3.Z3_OP_UNINTERPRETED):
            name = term.decl().name()
        elif z3.is_select(term) and z3.is_const(term.arg(0)):
            name = f"{term.arg(0).decl().name()}[{number(model, term.arg(1)):#x}]"
        else:
            continue
        if name not in named:
            named.add(name)
            yield name, number(model, term), term.size()
