"""Elements of memories and arrays in a value -> operands of the body, each a slice of a buffer read over the axes that it depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from act.taidl import Index, Int, Read, Slice
from lift.assemble.bits import bits
from lift.assemble.errors import NoTemplate
from lift.assemble.integers import Polynomial, Reading, index, plus
from lift.assemble.leaves import Leaves
from lift.assemble.places import Place, Storage, over_axes, place
from lift.assemble.tensors import Extents, Lines, Tensor, dims_text
from lift.unroll.terms import Term


@dataclass(slots=True)
class Operands:
    """The operands so far.  `order` are the axes of the result, `sizes` the number of values that the hardware has for an axis."""

    leaves: Leaves
    storage: Mapping[str, Storage]
    indices: dict[Term, Polynomial]
    order: tuple[Term, ...]
    sizes: dict[Term, int]
    reading: Reading
    lines: Lines = field(default_factory=Lines)
    reads: list[Read] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    _known: dict[Slice, Tensor] = field(default_factory=dict)

    def find(self, term: Term, over: Extents) -> Tensor | None:
        """The operand that `term` is: a host byte, a lane of a word, a member of a state array.  None when it is no such thing."""
        match term.op:
            case "load" if self._of(term) is not None:
                return self._word(term, over)
            case "lane" if self._of(term.args[0]) is not None:
                return self._lane(term.args[0], term.width, self.reading.exact(term.args[1]), over)
            case "extract" if (found := self._of(term.args[0])) is not None and found.bits == term.width and int(term.attr or 0) % term.width == 0:
                number = int(term.attr or 0) // term.width
                return self._lane(term.args[0], term.width, {(): number} if number else {}, over)
            case "extract" if term.attr in (0, None) and (lane := self._shifted(term)) is not None:
                return self._lane(term.args[0].args[0], term.width, lane, over)
        return self._gather(term, over)

    def _of(self, term: Term) -> Storage | None:
        return self.storage.get(str(term.attr)) if term.op == "load" else None

    def _word(self, load: Term, over: Extents) -> Tensor:
        storage = self.storage[str(load.attr)]
        if storage.bits != load.width:
            raise NoTemplate("a word of several elements that is used whole", load)
        return self._read(self._place(load, {}), over)

    def _lane(self, word: Term, width: int, lane: Polynomial, over: Extents) -> Tensor:
        """Bits [width * lane + width - 1 : width * lane] of a word."""
        storage = self.storage[str(word.attr)]
        if storage.bits == width and storage.unit:
            return self._read(self._place(word, lane), over)
        if storage.bits <= width or storage.bits % width:
            raise NoTemplate("a part of a word that is no element of it")
        return self._part(word, width, over_axes(lane, self.indices), storage.bits // width, over)

    def _part(self, word: Term, width: int, lane: Polynomial, parts: int, over: Extents) -> Tensor:
        """A byte of an element: the element as bytes, with the byte's axis last, or one of its bytes."""
        number = lane.get((), 0) % parts
        if all(f % parts == 0 for m, f in lane.items() if m):
            return self._one_part(word, width, {m: f // parts for m, f in lane.items() if f // parts}, number, over)
        axis = next((m[0] for m, f in lane.items() if f == 1 and len(m) == 1 and self.sizes.get(m[0]) == parts), None)
        rest = {m: f for m, f in lane.items() if m != (axis,)}
        if axis is None or any(f % parts for f in rest.values()):
            raise NoTemplate("a part of an element that is no byte of it")
        element = {m: f // parts for m, f in rest.items()}
        storage = self.storage[str(word.attr)]
        if element and not storage.unit:
            raise NoTemplate("a part of a word that is no element of it")
        whole = self._read(self._place(word, element), {a: e for a, e in over.items() if a is not axis})
        if any(self.order.index(a) > self.order.index(axis) for a in whole.axes):
            raise NoTemplate("bytes of an element that are not its last direction")
        return self.lines.emit(f"u{width}", (*whole.axes, axis), (*whole.extents, Int(parts)), f"bitcast-convert({whole.name})")

    def _one_part(self, word: Term, width: int, element: Polynomial, number: int, over: Extents) -> Tensor:
        """Bits [width * number + width - 1 : width * number] of an element."""
        storage = self.storage[str(word.attr)]
        whole = self._read(self._place(word, element if storage.unit else {}), over)
        if number:
            amount = self.lines.scalar(width * number, whole.dtype)
            amount = self.lines.broadcast(amount, whole.axes, dict(zip(whole.axes, whole.extents, strict=True)))
            whole = self.lines.like(whole, whole.dtype, f"shift-right-logical({whole.name}, {amount.name})")
        return self.lines.convert(whole, f"{whole.dtype[0]}{width}")

    def _shifted(self, term: Term) -> Polynomial | None:
        """The lane that `word >> width * lane` begins with."""
        shift = term.args[0]
        if shift.op != "lshr" or self._of(shift.args[0]) is None:
            return None
        amount = self.reading.exact(shift.args[1])
        if any(f % term.width for f in amount.values()) or self.reading.range(amount)[1] + term.width > shift.width:
            return None
        return {m: f // term.width for m, f in amount.items()}

    def _gather(self, term: Term, over: Extents) -> Tensor | None:
        """Bytes at consecutive host addresses, packed with the first lowest: read as bytes and seen as one element."""
        parts = [bits(term, 8 * n, 8) for n in range(term.width // 8)] if term.width % 8 == 0 and term.width > 8 else []
        storages = [self._of(p) for p in parts]
        if not parts or any(s is None or not s.host for s in storages):
            return None
        storage = storages[0]
        assert storage is not None
        first, *others = (self.reading.modular(p.args[0], storage.address_bits) for p in parts)
        if any(plus(a, first, -1) != {(): n} for n, a in enumerate(others, 1)):
            return None
        byte = index(f"part{len(parts)}")
        self.leaves.axes.setdefault(byte, "b")
        found = Place(storage, (plus(over_axes(first, self.indices), {(byte,): 1}, 1),))
        raw = self._read(found, {**over, byte: Int(len(parts))})
        return self.lines.emit(f"s{term.width}", raw.axes[:-1], raw.extents[:-1], f"bitcast-convert({raw.name})")

    def _place(self, load: Term, lane: Polynomial) -> Place:
        return place(self.storage[str(load.attr)], load.args[0], lane, self.reading, self.indices)

    def _read(self, where: Place, over: Extents) -> Tensor:
        """A slice over the axes that occur in it: a tensor's dimensions are in the order of the buffer's, and of the steps in each."""
        missing = where.axes - set(over)
        if missing:
            raise NoTemplate("an operand that varies along an axis without a range")
        inner = [a for a in over if a not in self.order]
        axes = tuple(sorted((a for a in (*self.order, *inner) if a in where.axes), key=where.rank))
        extents = tuple(over[a] for a in axes)
        chosen = Slice(where.storage.buffer, where.exprs(self.leaves), tuple(Index(self.leaves.axes[a], e) for a, e in zip(axes, extents, strict=True)))
        if chosen not in self._known:
            name = f"x{len(self.reads)}"
            self.reads.append(Read(name, chosen))
            self.parameters.append(f"%{name} = {where.storage.element}[{dims_text(extents)}] parameter({len(self.reads) - 1})")
            self._known[chosen] = Tensor(f"%{name}", where.storage.element, axes, extents)
        return self._known[chosen]
