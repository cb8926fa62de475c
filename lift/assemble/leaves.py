"""Leaves of address and bound polynomials as names of the specification: fields of the command, registers, index variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from act.taidl import Binary, Expr, Field, Int, Lookup, Name, Use
from act.taidl.clauses import RESERVED
from lift.assemble import choices
from lift.assemble.errors import NoTemplate, Overlap
from lift.assemble.integers import Reading, to_expr
from lift.term_text import term_text
from lift.unroll.terms import Term

if TYPE_CHECKING:
    from lift.assemble.places import Storage

Said = TypeVar("Said")
Part = tuple[str, int, int]  # word, low bit, width

AXIS_NAMES = ("i", "j", "l", "m", "n", "b", "k")  # no field or register has one of these names


@dataclass(frozen=True, slots=True)
class Registers:
    """How the specification sees the registers: name of a register or array -> (state name, number of members or None).  Of registers in
    `low_only` only low bits are ever used; in an address, which must lie in its buffer, the whole register may stand for them."""

    names: Mapping[str, tuple[str, int | None]]
    low_only: frozenset[str] = frozenset()


def field_part(term: Term, words: Mapping[str, int]) -> Part | None:
    """The bits of a command word that a term is."""
    if term.op == "sym" and term.attr in words:
        return str(term.attr), 0, term.width
    if term.op == "extract" and term.args[0].op == "sym" and term.args[0].attr in words:
        return str(term.args[0].attr), int(term.attr or 0), term.width
    return None


@dataclass(slots=True)
class Leaves:
    """Names leaves and remembers which fields and registers were named.  `given` replaces leaves; words in `whole` are one field each; elements of
    `storage` are looked up.  `spare` are values of bits without a name, of those that select no other case."""

    words: Mapping[str, int]
    registers: Registers
    field_names: Mapping[Part, str]
    given: dict[Term, Expr] = field(default_factory=dict)
    fields: dict[Part, str] = field(default_factory=dict)
    uses: dict[tuple[str, int | None], str] = field(default_factory=dict)
    axes: dict[Term, str] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    spare: dict[Part, int] = field(default_factory=dict)
    narrow: bool = False  # fields are the bits that are used, even in addresses
    storage: Mapping[str, Storage] = field(default_factory=dict)
    addressing: int = 0  # bits of the address that is being written, 0 outside of addresses

    def within(self, bits: int, write: Callable[[], Said]) -> Said:
        """What `write` makes of an address of `bits` bits."""
        before, self.addressing = self.addressing, bits
        try:
            return write()
        finally:
            self.addressing = before

    def expr(self, term: Term) -> Expr:
        """The expression for a leaf; NoTemplate when there is none."""
        if term in self.given:
            return self.given[term]
        if term in self.axes:
            return Name(self.axes[term])
        if (part := field_part(term, self.words)) is not None:
            return self.part(part)
        match term.op:
            case "const":
                return Int(int(term.attr or 0))
            case "sym" if term.attr in self.registers.names:
                return Name(self._use(str(term.attr), None))
            case "load" if term.attr in self.registers.names and term.args[0].is_const:
                return Name(self._use(str(term.attr), int(term.args[0].attr or 0)))
            case "load" if self._looked_up(term) is not None:
                return self._lookup(term)
            case "extract":
                return self._slice(term)
            case "udiv" | "urem":
                return Binary("/" if term.op == "udiv" else "%", self.expr(term.args[0]), self.expr(term.args[1]))
            case "zext":
                return self.expr(term.args[0])
        # Inside such an operator a register is a number as any other: what it decides does not lie in the buffer.
        if (found := self.within(0, lambda: choices.expression(term, self.number))) is not None:
            return found
        raise NoTemplate(f"no expression for {term_text(term)} in an address or a bound", term)

    def number(self, term: Term) -> Expr:
        """A term as an unsigned number."""
        return to_expr(Reading().exact(term), self.expr)

    def _slice(self, term: Term) -> Expr:
        low = int(term.attr or 0)
        register = term.args[0].op in ("sym", "load") and term.args[0].attr in self.registers.low_only
        if register and low == 0 and 0 < self.addressing <= term.width:
            return self.number(term.args[0])
        inner = self.within(0, lambda: self.number(term.args[0]))
        shifted = Binary("/", inner, Int(1 << low)) if low else inner
        whole = self._looked_up(term.args[0])
        to_the_top = low + term.width == term.args[0].width and (whole is None or whole.element.startswith("u"))
        return shifted if to_the_top else Binary("%", shifted, Int(1 << term.width))

    def _looked_up(self, term: Term) -> Storage | None:
        """The buffer whose element a term is."""
        storage = self.storage.get(str(term.attr)) if term.op == "load" else None
        return storage if storage is not None and not storage.is_array and not storage.unit and storage.bits == term.width else None

    def _lookup(self, term: Term) -> Expr:
        storage = self.storage[str(term.attr)]
        return Lookup(storage.buffer, (self.within(storage.address_bits, lambda: to_expr(Reading().modular(term.args[0], storage.address_bits), self.expr)),))

    def part(self, part: Part) -> Expr:
        """A field; of a word that is one field as a whole, some of its bits.  In an address, which must lie in its buffer, a whole field may stand
        for its low bits."""
        word, low, width = part
        if not self.narrow and 0 < self.addressing <= width and (larger := self._holder(part)) is not None:
            return self.part(larger)
        if word not in self.whole:
            larger = next((p for p in self.fields if p[:2] == part[:2] and p[2] > width), None)
            return Name(self._field(part)) if larger is None else Binary("%", Name(self._field(larger)), Int(1 << width))
        shifted = Binary("/", Name(self._field((word, 0, self.words[word]))), Int(1 << low))
        return shifted if low + width == self.words[word] else Binary("%", shifted, Int(1 << width))

    def _field(self, part: Part) -> str:
        if part not in self.fields:
            base = self.field_names.get(part) or self._enclosing(part) or f"{part[0]}_{part[1]}"
            base = base.replace(".", "_")
            self.fields[part] = base if base not in self._taken() else f"{base}_{part[1]}"
        return self.fields[part]

    def _taken(self) -> set[str]:
        return {*self.fields.values(), *self.uses.values(), *AXIS_NAMES, *RESERVED}

    def _enclosing(self, part: Part) -> str | None:
        """The name of the smallest named part that holds this one from its lowest bit on."""
        holder = self._holder(part)
        return None if holder is None else self.field_names[holder]

    def _holder(self, part: Part) -> Part | None:
        """The smallest named part that is larger and begins with the same bit."""
        holders = [p for p in self.field_names if p[:2] == part[:2] and p[2] > part[2]]
        return min(holders, key=lambda p: p[2], default=None)

    def _use(self, register: str, index: int | None) -> str:
        state, _ = self.registers.names[register]
        key = (register, index)
        if key not in self.uses:
            self.uses[key] = state if state not in self._taken() else f"{state}_now"
        return self.uses[key]

    def use_clauses(self) -> tuple[Use, ...]:
        return tuple(Use(self.registers.names[r][0], None if i is None else Int(i), name) for (r, i), name in self.uses.items())

    def encoding(self, fixed: Mapping[Part, int]) -> tuple[Field, ...]:
        """The fields named so far and the fixed bits, in the order of the words; NoTemplate when named fields overlap."""
        parts: list[tuple[Part, Expr]] = [*((p, Int(v)) for p, v in fixed.items()), *((p, Name(n)) for p, n in self.fields.items())]
        order = list(self.words)
        parts.sort(key=lambda entry: (order.index(entry[0][0]), entry[0][1]))
        for ((word, low, width), _), ((other, start, _), _) in pairwise(parts):
            if word == other and low + width > start:
                raise Overlap(word, start)
        return tuple(Field(word, low + width - 1, low, value) for (word, low, width), value in parts)


def conjunction_parts(choice: tuple[tuple[Term, bool], ...], words: Mapping[str, int]) -> tuple[dict[Part, int], list[tuple[Term, bool]]]:
    """What a choice fixes in the command's words, and the rest of it."""
    fixed: dict[Part, int] = {}
    rest: list[tuple[Term, bool]] = []
    for atom, holds in choice:
        if holds and atom.op == "eq" and atom.args[1].is_const and (part := field_part(atom.args[0], words)) is not None:
            fixed[part] = int(atom.args[1].attr or 0)
        elif atom.width == 1 and (part := field_part(atom, words)) is not None:
            fixed[part] = int(holds)
        else:
            rest.append((atom, holds))
    return fixed, rest
