"""Buffers and registers of the specification, from the state variables of the lifted unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import gcd

from act.taidl import Buffer, Int, State, Word
from act.taidl.clauses import RESERVED
from lift.assemble.bases import base_registers
from lift.assemble.leaves import Registers
from lift.assemble.places import Storage
from lift.unroll import terms
from lift.unroll.extract import Lift
from lift.unroll.function import stores
from lift.unroll.grids import StateArray
from lift.unroll.paths import statement_terms
from lift.unroll.terms import Term

BYTE = 8
PLAIN = frozenset("mem memory ram bank banks array data storage".split())  # words that say of a memory only that it is one
NUMBERS = frozenset(("count", "value"))
NUMBERED = re.compile(r"(.*?)_?(\d+)$")


@dataclass(frozen=True, slots=True)
class Layout:
    """`storage` for what holds data, `registers` for the rest; `bases` are the states that say where something lies."""

    words: tuple[Word, ...]
    buffers: dict[str, Buffer]
    states: dict[str, State]
    storage: dict[str, Storage]
    registers: Registers
    bases: frozenset[str] = frozenset()

    def is_data(self, name: str) -> bool:
        return name in self.storage


def layout(lift: Lift) -> Layout:
    """How the specification sees the unit's state."""
    contract, netlist = lift.unit.contract, lift.unit.machine.netlist
    assert contract.command is not None
    words = tuple(Word(w, netlist.inputs[p]) for w, p in contract.command.words.items())
    roots = _all_terms(lift)
    signed = _with_results(lift, _signed_memories(roots))
    buffers: dict[str, Buffer] = {}
    storage: dict[str, Storage] = {}
    if contract.memory is not None:
        name = contract.memory.name
        buffers[name] = Buffer(name, "u8", (1 << contract.memory.address_bits,), (), hbm=True)
        storage[name] = Storage(name, "u8", 8, (), 1 << contract.memory.address_bits, host=True)
    short, tables = _Names(), _tables(lift, roots)
    for place in sorted({p for p in lift.unit.machine.places.values() if _touched(lift, p.name)}, key=lambda p: p.name):
        if place.bank:
            continue
        bits = place.width if place.name in tables else _lane_bits(lift, place.name, place.width, roots)
        element = f"{'s' if place.name in signed - tables else 'u'}{bits}"
        unit = (place.width // bits,) if place.width > bits else ()
        buffer = short.of(place.name)
        buffers[buffer] = Buffer(buffer, element, (place.words,), unit)
        storage[place.name] = Storage(buffer, element, bits, unit, place.words)
    _array_buffers(lift, roots, signed, short, buffers, storage)
    bases = base_registers(lift)
    states, registers = _states(lift, storage, short, bases)
    where = frozenset(registers[r][0] for r in bases if r in registers)
    return Layout(words, buffers, states, storage, Registers(registers, _low_only(roots)), where)


class _Names:
    """Short unique names: the last telling component of a memory's path, the last of a register's, longer where taken."""

    def __init__(self) -> None:
        self.taken: set[str] = set(RESERVED)

    def of(self, path: str) -> str:
        """The last component that says more than that it is a memory, with those before it where that is taken."""
        components = path.split(".")
        telling = [c for c in components if c not in PLAIN] or components[:1]
        return self.unique(list(reversed(telling)))

    def last(self, path: str) -> str:
        """The last component that says more than that it is a number."""
        components = path.split(".")
        return self.unique(list(reversed([c for c in components if c not in NUMBERS] or components)))

    def unique(self, components: list[str]) -> str:
        for count in range(1, len(components) + 1):
            name = re.sub(r"\W+", "_", "_".join(reversed(components[:count]) if count > 1 else components[:1])).strip("_")
            if name not in self.taken:
                self.taken.add(name)
                return name
        return self.unique([f"{components[0]}_{len(self.taken)}"])


def _all_terms(lift: Lift) -> list[Term]:
    functions = [f for modes in lift.modes.values() for m in modes for f in m.functions.values()]
    return [t for f in functions for s in f.body for t in statement_terms(s)] + [f.result for f in functions if f.result is not None]


def _tables(lift: Lift, roots: list[Term]) -> set[str]:
    """Memories that addresses are read from."""
    functions = [f for modes in lift.modes.values() for m in modes for f in m.functions.values()]
    addresses = [s.address for f in functions for s in stores(f.body)]
    addresses += [t.args[0] for t in terms.walk(*roots) if t.op == "load"]
    return {str(t.attr) for t in terms.walk(*addresses) if t.op == "load"}


def _low_only(roots: list[Term]) -> frozenset[str]:
    """Registers and arrays of which nothing but part-selects from bit 0 on are used."""
    whole: set[str] = set()
    sliced: set[str] = set()
    for term in terms.walk(*roots):
        for a in term.args:
            if a.op in ("sym", "load"):
                (sliced if term.op == "extract" and not term.attr else whole).add(str(a.attr))
    return frozenset(sliced - whole - {str(r.attr) for r in roots if r.op in ("sym", "load")})


def _touched(lift: Lift, memory: str) -> bool:
    return any(a.name == memory for modes in lift.modes.values() for m in modes for f in m.functions.values() for a in f.arguments)


def _lane_bits(lift: Lift, memory: str, width: int, roots: list[Term]) -> int:
    """The greatest width that divides every piece of every word stored; of words that are only copied from the host's memory, every piece that is
    read."""
    functions = [m.functions[memory] for modes in lift.modes.values() for m in modes if memory in m.functions]
    stored = [s.data for f in functions for s in stores(f.body)]
    host = lift.unit.contract.memory.name if lift.unit.contract.memory else ""
    pieces = [_pieces(data) for data in stored if not _is_copied(data, host)]
    if not pieces:
        read = [t for t in terms.walk(*roots) if t.op == "extract" and t.args[0].op == "load" and t.args[0].attr == memory]
        pieces = [gcd(int(t.attr or 0), t.width) for t in read if t.width > 1]  # one bit is a sign
    return gcd(width, *(pieces or [BYTE if stored and width % BYTE == 0 else width]))


def _is_copied(data: Term, host: str) -> bool:
    """Is it bytes of the host's memory, or a constant in their place?"""
    match data.op:
        case "mux":
            return all(a.is_const or _is_copied(a, host) for a in data.args[1:])
        case "concat":
            return all(_is_copied(a, host) for a in data.args)
        case "extract":
            return _is_copied(data.args[0], host)
    return data.op == "load" and data.attr == host


def _pieces(data: Term) -> int:
    """Greatest common divisor of the positions at which a packed word is cut."""
    if data.op == "mux":
        return gcd(*(_pieces(a) for a in data.args[1:] if not a.is_const)) or data.width
    if data.op == "zext":
        found = gcd(data.width, *_cuts(data.args[0]))
        return found if found % BYTE == 0 else data.width
    return gcd(data.width, *_cuts(data))


def _cuts(data: Term) -> Iterator[int]:
    """The positions between the parts of a packed word, from the lowest; zeros above a part extend it."""
    position = 0
    for part, above in pairwise(reversed(data.args if data.op == "concat" else ())):
        position += part.width
        if not (above.is_const and above.attr == 0):
            yield position


def _signed_memories(roots: list[Term]) -> set[str]:
    """Memories and arrays whose elements are sign-extended, compared as signed or added to sign-extended values, or that hold such."""
    found: set[str] = set()
    for term in terms.walk(*roots):
        if term.op in ("sext", "slt", "sle") or (term.op in ("add", "sub") and any(map(_is_signed, term.args))):
            found |= {name for a in term.args for name in _elements(a)}
        elif term.op == "concat" and len(set(term.args[:-1])) == 1 and term.args[0].op == "extract" and len(term.args) > 2:
            found |= set(_elements(term.args[0].args[0]))
    return found


def _with_results(lift: Lift, signed: set[str]) -> set[str]:
    """Memories that are given what is computed from signed elements hold signed ones."""
    host = {lift.unit.contract.memory.name} if lift.unit.contract.memory else set()
    functions = [f for modes in lift.modes.values() for m in modes for f in m.functions.values()]
    made = [s for f in functions for s in stores(f.body) if s.memory not in host]
    return signed | {s.memory for s in made if any(t.op == "load" and t.attr in signed for t in terms.walk(s.data))}


def _is_signed(term: Term) -> bool:
    """A sign-extended value, or a sum or product of such."""
    return term.op == "sext" or (term.op in ("add", "sub", "mul") and all(map(_is_signed, term.args)))


def _elements(term: Term) -> list[str]:
    """The memories that a value is an element of, through masks and part-selects."""
    while term.op in ("mux", "extract", "and", "or"):
        term = next((a for a in term.args[1:] if not a.is_const), term.args[0]) if term.op == "mux" else term.args[0]
    return [str(term.attr)] if term.op == "load" else []


def _array_buffers(lift: Lift, roots: list[Term], signed: set[str], short: _Names, buffers: dict[str, Buffer], storage: dict[str, Storage]) -> None:
    """State arrays that hold data; those that differ in a trailing number are planes of one buffer.  Those of which only some element may be written are
    words of one."""
    groups: dict[tuple[str, tuple[int, ...], int], list[StateArray]] = {}
    data = _data_arrays(lift)
    for array in lift.arrays.values():
        if array.name in lift.data and len(array.shape) == 1:
            buffer, element = short.last(array.name), f"{'s' if array.name in signed else 'u'}{array.width}"
            buffers[buffer] = Buffer(buffer, element, (len(array.members),), ())
            storage[array.name] = Storage(buffer, element, array.width, (), len(array.members))
        elif array.name in data:
            match = NUMBERED.fullmatch(array.name)
            groups.setdefault((match.group(1) if match else array.name, array.shape, array.width), []).append(array)
    for (stem, shape, width), members in groups.items():
        members.sort(key=lambda a: a.name)
        buffer = short.last(stem)
        element = f"s{width}"
        buffers[buffer] = Buffer(buffer, element, (len(members),), shape)
        for number, array in enumerate(members):
            storage[array.name] = Storage(buffer, element, width, shape, len(members), plane=Int(number))


def _data_arrays(lift: Lift) -> set[str]:
    """Arrays of registers of rank two and more, those that are known to be data, and those that take values from a memory or from such an array."""
    data = {a.name for a in lift.arrays.values() if len(a.shape) > 1} | lift.data & lift.arrays.keys()
    memories = {p.name for p in lift.unit.machine.places.values()} | ({lift.unit.contract.memory.name} if lift.unit.contract.memory else set())
    while True:
        found = {a for a in lift.arrays if a not in data and _loads(lift, a) & (memories | data)}
        if not found:
            return data
        data |= found


def _loads(lift: Lift, array: str) -> set[str]:
    """What the values that an array is given are read from."""
    functions = [m.functions[array] for modes in lift.modes.values() for m in modes if array in m.functions]
    made = [s for f in functions for s in stores(f.body)]
    return {str(t.attr) for t in terms.walk(*(s.data for s in made)) if t.op == "load"}


def _states(lift: Lift, storage: dict[str, Storage], short: _Names, bases: set[str]) -> tuple[dict[str, State], dict[str, tuple[str, int | None]]]:
    states: dict[str, State] = {}
    names: dict[str, tuple[str, int | None]] = {}
    netlist, idle = lift.unit.machine.netlist, lift.unit.idle
    staged = _set_beside_data(lift) - _computed_with(lift, storage) | bases
    for name in sorted(lift.registers):
        state = short.last(name)
        initial = int(idle[name].attr or 0) if idle[name].is_const else None
        states[state] = State(state, "staged" if name in staged else "config", f"u{netlist.registers[name].width}", None, initial)
        names[name] = (state, None)
    for array in sorted(lift.arrays.values(), key=lambda a: a.name):
        if array.name in storage:
            continue
        state = short.last(array.name)
        first = idle[array.members[0]]
        initial = int(first.attr or 0) if first.is_const else None
        states[state] = State(state, "staged" if array.name in staged else "config", f"u{array.width}", len(array.members), initial)
        names[array.name] = (state, len(array.members))
    return states, names


def _set_beside_data(lift: Lift) -> set[str]:
    """Registers that an instruction which also moves data sets: they carry something from it to a later one."""
    memories = {p.name for p in lift.unit.machine.places.values()} | _data_arrays(lift)
    return {t for modes in lift.modes.values() for m in modes if set(m.functions) & memories for t in m.functions if t not in memories}


_DECISIONS = ("eq", "ult", "ule", "slt", "sle", "redor", "redand", "redxor")


def _computed_with(lift: Lift, storage: Mapping[str, Storage]) -> set[str]:
    """Registers, and arrays of them, whose values data is computed from: where they only say where something lies, or are compared, does not count."""
    functions = [f for modes in lift.modes.values() for m in modes for f in m.functions.values()]
    seen, stack = set[Term](), [s.data for f in functions for s in stores(f.body) if s.memory in storage]
    found: set[str] = set()
    while stack:
        term = stack.pop()
        if term not in seen:
            seen.add(term)
            found |= {str(term.attr)} if term.op in ("sym", "load") else set()
            stack += () if term.op in ("load", *_DECISIONS) else term.args[1:] if term.op == "mux" else term.args
    return found
