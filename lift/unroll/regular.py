"""Stores that differ only by constants that are affine in their number -> one loop: the rows of a matrix that were stored one after another.

    a[s] = x[p][7:0] * y if 0 < n;  a[s + 1] = x[p + 1][15:8] * y if 1 < n; ...    -->    for i in 0 .. 16: a[s + i] = (x[p + i] >> 8 * i)[7:0] * y if i < n

What follows sees one row instead of all.  Every step is an identity: a term without the constant that the others have is that term plus 0, or times 1;
a product that has vanished is one times 0.  A load reads the state before the function in a loop as well, so nothing is assumed.  A loop is kept only if it
gives back, iteration by iteration, the very stores that it was made from.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from lift.unroll import terms
from lift.unroll.function import Loop, Statement, Store
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.micro import INDEX
from lift.unroll.paths import statement_terms, substitute_statement
from lift.unroll.terms import Term

WORTHWHILE = 2000  # terms in the stores: few are soon lifted as they are
LEAST = 4  # iterations


class _Irregular(Exception):
    """Terms that differ in more than constants."""


def regular(body: Sequence[Statement]) -> tuple[Statement, ...]:
    """The stores as a loop over as few of them as it takes; the same statements where there is no pattern, or it is not worth while."""
    made = [s for s in body if isinstance(s, Store)]
    if len(made) < max(LEAST, len(body)):
        return tuple(body)
    roots = [t for s in made for t in statement_terms(s)]
    if len(list(islice(terms.walk(*roots), WORTHWHILE))) < WORTHWHILE:
        return tuple(body)
    index = _unused(roots)
    for length in (n for n in range(1, len(made) // LEAST + 1) if len(made) % n == 0):
        try:
            loop = _loop(made, length, index)
        except _Irregular:
            continue
        if _iterations(loop) == made:
            return (loop,)
    return tuple(body)


def _iterations(loop: Loop) -> list[Statement]:
    """The stores of a loop with a constant count, written out."""
    found: list[Statement] = []
    for number in range(int(loop.count.attr or 0)):
        values, done = {loop.index: terms.const(number, INDEX_WIDTH)}, dict[Term, Term]()
        found += (substitute_statement(s, values, done) for s in loop.body)
    return found


def _unused(roots: list[Term]) -> Term:
    """The index of a loop that is not among these terms."""
    used = [int(m[1]) for t in terms.walk(*roots) if t.op == "sym" and (m := INDEX.fullmatch(str(t.attr)))]
    return terms.sym(f"i{max(used, default=-1) + 1}", INDEX_WIDTH)


def _loop(made: Sequence[Store], length: int, index: Term) -> Loop:
    """As a loop whose iterations have `length` stores.  Raises _Irregular."""
    together = _Together(index)
    body = tuple(together.store(made[n::length]) for n in range(length))
    return Loop(index, terms.const(len(made) // length, INDEX_WIDTH), body)


class _Together:
    """Columns of terms, one of each iteration, as terms over the index of the loop."""

    def __init__(self, index: Term) -> None:
        self.index = index
        self.done: dict[tuple[Term, ...], Term] = {}

    def store(self, column: Sequence[Store]) -> Store:
        if len({s.memory for s in column}) > 1:
            raise _Irregular
        parts = ([s.address for s in column], [s.data for s in column], [s.mask for s in column], [s.condition for s in column])
        address, data, mask, condition = (self.optional(p) for p in parts)
        assert address is not None and data is not None
        return Store(column[0].memory, address, data, mask, condition)

    def optional(self, column: Sequence[Term | None]) -> Term | None:
        """Of terms that are all there, or all not."""
        present = [t for t in column if t is not None]
        if not present:
            return None
        if len(present) < len(column):
            raise _Irregular
        return self.term(tuple(present))

    def term(self, column: tuple[Term, ...]) -> Term:
        first = column[0]
        if all(t is first for t in column):
            return first
        found = self.done.get(column)
        if found is None:
            found = self.done[column] = self._differing(column)
        return found

    def _differing(self, column: tuple[Term, ...]) -> Term:
        if all(t.is_const for t in column):
            return self._affine([int(t.attr or 0) for t in column], column[0].width)
        model = max(column, key=lambda t: (t.op == "add", t.op == "mul", t.op == "concat"))
        if model.op == "extract" and all(t.op == "extract" and t.width == model.width for t in column):
            return self._part(column)
        operands = [_like(model, t) for t in column]
        if not model.args or any(t.op == model.op and t.attr != model.attr for t in column):
            raise _Irregular
        args = tuple(self.term(each) for each in zip(*operands, strict=True))
        return terms.rebuild(model, args)

    def _part(self, column: tuple[Term, ...]) -> Term:
        """Bits at an affine position, of words or of parts of words: a part of a part is one of the word."""
        model = min(column, key=lambda t: t.args[0].width)
        whole, low = model.args[0].width, int(model.attr or 0)
        words, lows = [t.args[0] for t in column], [int(t.attr or 0) for t in column]
        if any(w.width != whole for w in words):
            starts = [0 if w.width == whole else place - low for w, place in zip(words, lows, strict=True)]
            if any(start < 0 or start + whole > w.width for w, start in zip(words, starts, strict=True)):
                raise _Irregular
            words = [terms.extract(w, start, whole) if w.width > whole else w for w, start in zip(words, starts, strict=True)]
            lows = [place - start for place, start in zip(lows, starts, strict=True)]
        word = self.term(tuple(words))
        if len(set(lows)) > 1:
            word, lows = terms.apply("lshr", whole, (word, self._affine(lows, whole, (len(lows) - 1).bit_length()))), [0]
        return terms.extract(word, lows[0], model.width)

    def _affine(self, values: list[int], width: int, bits: int = INDEX_WIDTH) -> Term:
        """Constants as base + step * index, modulo 2**width, where the index has no more than some bits (so that the range of a shift is plain)."""
        mask, step = (1 << width) - 1, values[1] - values[0]
        if width == 1 or any((values[0] + step * n - v) & mask for n, v in enumerate(values)):
            raise _Irregular
        bits = min(bits, width)
        place = terms.extract(self.index, 0, bits) if bits < INDEX_WIDTH else self.index
        place = terms.apply("zext", width, (place,)) if bits < width else place
        scaled, base = terms.apply("mul", width, (place, terms.const(abs(step), width))), terms.const(values[0], width)
        return terms.apply("sub", width, (base, scaled)) if step < 0 else terms.apply("add", width, (scaled, base))


def _like(model: Term, term: Term) -> tuple[Term, ...]:
    """The operands of `term` as one of the operator of `model`: it may have lost a constant to simplification."""
    if term.width != model.width:
        raise _Irregular
    if term.op == model.op and len(term.args) == len(model.args):
        if any(a.width != b.width for a, b in zip(term.args, model.args, strict=True)):
            raise _Irregular
        return term.args
    if model.op == "add":
        return term, terms.const(0, model.width)
    if model.op == "concat":
        places = [sum(a.width for a in model.args[n + 1 :]) for n in range(len(model.args))]
        return tuple(terms.extract(term, low, a.width) for a, low in zip(model.args, places, strict=True))
    if model.op == "mul" and (term is model.args[0] or (term.is_const and term.attr == 0)):
        return model.args[0], terms.const(int(term is model.args[0]), model.width)
    raise _Irregular
