"""Instructions that move the extremes of windows over a padded image: an iteration of the lifted function at a free pixel is the text's elements there.

The first two indices of the write are the loops' (row and column of a pixel), the third is the number of the stored byte.  Both sides read words of a memory:
each word that the specification reads is one that the function reads, wherever its place is in the image (`polynomials`).  The words are then variables, equal
in pairs where they are in the image; Z3 compares what is made of each (masks, padding, saturation), and then, with these as variables, the extremes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import z3

from act.taidl import Write
from proofs.dma import resize
from proofs.integers import Integer, constant, exact, less, plus, times, unsigned
from proofs.meaning import Access, Incomparable, Meaning, variable
from proofs.polynomials import Polynomials
from proofs.solve import NotProved, Refuted, prove, prove_equal
from proofs.specification import Command
from proofs.tensors import window_places

WINDOW = "reduce-window"
FEW = 4


def has_window(command: Command) -> bool:
    return any(op.opcode == WINDOW for op in _operators(command))


@dataclass(frozen=True, slots=True)
class Read:
    """A word of a memory in what an element is made of, and when it is looked at."""

    word: z3.BitVecRef
    when: z3.BoolRef


def prove_pixels(what: str, command: Command, write: Write, effect: Meaning, under: list[z3.BoolRef]) -> None:
    """Stores of single elements, in the order of their third index.  A counterexample has few pixels, if there is one that has."""
    try:
        _prove_pixels(what, command, write, effect, under)
    except Refuted:
        few = [less(exact(i.extent, command.names), constant(FEW)) for i in write.slice.indices]
        _prove_pixels(what, command, write, effect, [*under, *few])
        raise


def _prove_pixels(what: str, command: Command, write: Write, effect: Meaning, under: list[z3.BoolRef]) -> None:
    row, column, lanes = (exact(i.extent, command.names) for i in write.slice.indices)
    loops = effect.stores[0].loops
    if any(s.loops != loops for s in effect.stores) or len(loops) != 2:
        raise Incomparable(f"{what}: other loops than over rows and columns of pixels")
    pixel = [unsigned(variable(name, _bits(extent))) for name, extent in (("pixel row", row), ("pixel column", column))]
    for loop, extent in zip(loops, (row, column), strict=True):
        prove_equal(f"{what}: iterations", resize(extent.bits, 64), loop.count, under)
    within = [*under, *(less(i, n) for i, n in zip(pixel, (row, column), strict=True))]
    _prove_inside(what, command, pixel, within)
    most = _most(command, lanes, under)
    if len(effect.stores) < most:
        raise NotProved(f"{what}: {len(effect.stores)} stores for {most} elements")
    values = {loop.index: resize(z3.Extract(i.bits.size() - 2, 0, i.bits), 64) for loop, i in zip(loops, pixel, strict=True)}
    pairs = _Pairs(what, within)
    for number, store in enumerate(effect.stores):
        found = store.substituted(values)
        if number >= most:
            prove(f"{what}: there is no byte {number}", z3.Not(found.condition), within)
        else:
            _prove_element(f"{what}: byte {number}", command, write, (*pixel, constant(number)), found, pairs)


def _bits(extent: Integer) -> int:
    """Of an index below it."""
    return max(extent.high - 1, 1).bit_length()


def _most(command: Command, extent: Integer, under: list[z3.BoolRef]) -> int:
    """The most elements of a pixel that the conditions admit."""
    prove(f"{command.operation.name}: bytes of a pixel", z3.Not(less(constant(extent.high), extent)), under)
    return extent.high


def _operators(command: Command) -> list[Any]:
    return list(command.body.by_name.values()) if command.body is not None else []


def _prove_inside(what: str, command: Command, pixel: list[Integer], within: list[z3.BoolRef]) -> None:
    """Every place of the window is in the padded image, whose extents are stated."""
    tensors = command.tensors
    for op in _operators(command):
        if op.opcode != WINDOW:
            continue
        extents = [tensors.integer(n) for n in tensors.shape(op.operands[0]).dims]
        places = list(window_places(op))
        for d, (index, stride) in enumerate(zip(pixel, op.attributes["stride"], strict=False)):
            for n in sorted({place[d] for place in places}):
                at = plus(times(index, tensors.integer(stride)), constant(n))
                prove(f"{what}: place {n} of dimension {d} is in the image", less(at, extents[d]), within)


def _prove_element(what: str, command: Command, write: Write, index: tuple[Integer, ...], store: Access, pairs: _Pairs) -> None:
    """It is stored exactly where it is written, at its address, and is what is stated."""
    (place,) = command.places(write.slice, index)
    inside = command.inside(write.slice, index)
    prove(f"{what} is written", store.condition == inside, pairs.within)
    reaching = [*pairs.within, inside]
    _prove_same_address(f"{what}: its address", place.address, store.address, Polynomials(reaching))
    stated = command.tensors.element(write.name, index)
    pairs.prove_combined(what, *pairs.cut(what, stated, store.data, reaching))


def _prove_same_address(what: str, stated: z3.BitVecRef, found: z3.BitVecRef, polynomials: Polynomials) -> None:
    if not polynomials.same(stated, found):
        prove_equal(what, resize(stated, 64), resize(found, 64), polynomials.assuming)


class _Pairs:
    """What both sides read, word by word: `equal` says which words are the same, and when; each is a variable."""

    def __init__(self, what: str, within: list[z3.BoolRef]) -> None:
        self.what, self.within = what, within
        self.equal: list[tuple[z3.BoolRef, z3.BitVecRef, z3.BitVecRef]] = []
        self.combined: list[tuple[z3.BitVecRef, z3.BitVecRef]] = []
        self.variables: dict[int, tuple[z3.ExprRef, z3.ExprRef]] = {}
        self.found: dict[int, tuple[z3.BitVecRef, z3.BitVecRef]] = {}  # word that is stated to be read, by its number -> it, and the word that is read

    def cut(self, what: str, stated: z3.BitVecRef, lifted: z3.BitVecRef, under: list[z3.BoolRef]) -> tuple[z3.BitVecRef, z3.BitVecRef]:
        """Both sides over the same variables, one for each element that is made of one word: those are proved equal one by one.  Raises NotProved."""
        left, right = _Value(stated), _Value(lifted)
        for number, read in enumerate(left.reads()):
            if read.word.get_id() not in self.found:
                self._pair(f"{self.what}: word {number} that is stated to be read is one that is read", read, right.words.values())
        ours, theirs, cuts = left.elements(), right.elements(), list[tuple[z3.BitVecRef, z3.BitVecRef, z3.BitVecRef]]()
        for number, (word, other) in enumerate(self.found[n] for n in left.words):
            a, b = ours[word.get_id()], theirs[other.get_id()]
            known = [z3.Implies(when, a == b) for when, a, b in self.equal if a.eq(self._variable(word))]
            prove_equal(f"{what}: element {number} of the window", self._abstract(a, word), self._abstract(b, other), [*under, *known])
            cuts.append((a, b, variable(f"element {number}", a.size())))
        return z3.substitute(stated, *((a, new) for a, _, new in cuts)), z3.substitute(lifted, *((b, new) for _, b, new in cuts))

    def prove_combined(self, what: str, stated: z3.BitVecRef, lifted: z3.BitVecRef) -> None:
        """Both sides make the same of the same elements; this is one claim for all bytes of a pixel.  Raises NotProved."""
        if not any(stated.eq(a) and lifted.eq(b) for a, b in self.combined):
            prove_equal(what, stated, lifted, self.within)
            self.combined.append((stated, lifted))

    def _pair(self, what: str, read: Read, theirs: Iterable[z3.BitVecRef]) -> None:
        """Raises Refuted with a state in which it is none of them."""
        theirs = [t for t in theirs if t.arg(0).eq(read.word.arg(0))]
        polynomials = Polynomials([*self.within, read.when])
        same = next((t for t in theirs if polynomials.same(read.word.arg(1), t.arg(1))), None)
        if same is None:
            prove(what, z3.Or(*(t.arg(1) == read.word.arg(1) for t in theirs)), [*self.within, read.when])
            raise Incomparable(f"{what}: which of them depends on the state")
        self.equal.append((read.when, self._variable(read.word), self._variable(same)))
        self.found[read.word.get_id()] = read.word, same

    def _variable(self, word: z3.BitVecRef) -> z3.BitVecRef:
        known = self.variables.setdefault(word.get_id(), (word, variable(f"word {len(self.variables)}", word.size())))
        return known[1]  # type: ignore[return-value]

    def _abstract(self, value: z3.BitVecRef, word: z3.BitVecRef) -> z3.BitVecRef:
        """A value that is made of one word, over the variable for it."""
        return z3.substitute(value, (word, self._variable(word)))  # type: ignore[return-value]


class _Value:
    """An element, with the words that each part of it is made of; parts and words by number."""

    def __init__(self, value: z3.BitVecRef) -> None:
        self.words: dict[int, z3.BitVecRef] = {}
        self.parts: dict[int, tuple[z3.ExprRef, frozenset[int]]] = {}
        self._visit(value)

    def _visit(self, term: z3.ExprRef) -> frozenset[int]:
        number = term.get_id()
        if number not in self.parts:
            if z3.is_select(term):
                self.words[number] = term  # type: ignore[assignment]
            below = frozenset({number}) if z3.is_select(term) else frozenset().union(*map(self._visit, term.children()))
            self.parts[number] = term, below
        return self.parts[number][1]

    def _of(self, term: z3.ExprRef) -> frozenset[int]:
        return self.parts[term.get_id()][1]

    @property
    def masks(self) -> Iterator[tuple[z3.ExprRef, frozenset[int]]]:
        """Choices that do not depend on words, the inner ones first."""
        return ((t, w) for t, w in self.parts.values() if w and z3.is_app_of(t, z3.Z3_OP_ITE) and not self._of(t.arg(0)))

    def reads(self) -> Iterator[Read]:
        """The words, each with the conditions of the choices around it, but for those that depend on words.  Which ones they are is no matter of soundness:
        words are compared where they hold, and said to be equal there only."""
        conditions: dict[int, list[z3.BoolRef]] = {number: [] for number in self.words}
        for term, _ in self.masks:
            then, other = (self._of(side) for side in term.children()[1:])
            for word in then ^ other:
                conditions[word].append(term.arg(0) if word in then else z3.Not(term.arg(0)))
        return (Read(word, z3.And(*conditions[number])) for number, word in self.words.items())

    def elements(self) -> dict[int, z3.BitVecRef]:
        """word -> the largest choice that is made of it alone and does not depend on words, or the word."""
        found = dict(self.words)
        for term, made_of in self.masks:
            if len(made_of) == 1:
                found[min(made_of)] = term  # type: ignore[assignment]
        return found


__all__ = ["has_window", "prove_pixels"]
