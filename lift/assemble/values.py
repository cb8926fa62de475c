"""The value of a template -> reads of buffers and an HLO body over them.

Values are computed over the ranges of the written elements.  An operand under its own mask is read over its own range and padded with zeros; a dot
product whose operands are masked alike is one over that range.  Sums narrower than the result are computed at the result's width only where they
cannot wrap (interval arithmetic on the operands' types).
"""

from __future__ import annotations

from dataclasses import replace

from act.taidl import Expr, Int
from lift.assemble import elementwise
from lift.assemble.errors import NoTemplate
from lift.assemble.guards import below, conjuncts, inequality
from lift.assemble.integers import indices_of, is_index, to_expr, without
from lift.assemble.padding import padded
from lift.assemble.places import over_axes
from lift.assemble.reads import Operands
from lift.assemble.relu import fused_relu
from lift.assemble.rewriting import clamp_bounds, neutral_of, reduction
from lift.assemble.tensors import Extents, Lines, Tensor
from lift.assemble.windows import windowed
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.terms import Term

BASE = "%base"
"""The name that the body of one result has for another result that it is computed from."""
_REDUCTIONS = {"sum": "add", "max": "maximum", "min": "minimum", "umax": "maximum", "umin": "minimum"}
_ARITHMETIC = {"add": "add", "sub": "subtract", "mul": "multiply"}


class Body:
    """Builds one body.  `known` are facts about the indices of the template."""

    def __init__(self, operands: Operands, known: list[Term]) -> None:
        self.operands, self.known = operands, known
        self.lines: Lines = operands.lines

    @property
    def order(self) -> tuple[Term, ...]:
        return self.operands.order

    @property
    def sizes(self) -> dict[Term, int]:
        return self.operands.sizes

    def text(self) -> list[str]:
        """The body without the root marker."""
        return self.operands.parameters + self.lines.lines

    def render(self, term: Term, want: Extents) -> Tensor:
        """`term` over the axes of `want` that it depends on, as a signed number of its width or, where it cannot have wrapped, of more."""
        masked = self._masked(term, want) or windowed(term, want, self.operands, self.known, self._knowing) or self._padded(term, want)
        found = masked or self.operands.find(term, want) or elementwise.scalar(self, term)
        if found is not None:
            return found
        if (bounded := fused_relu(term)) is not None:
            return self.render(bounded, want)
        match term.op:
            case "dot":
                return self._dot(term, want)
            case "clamp":
                return self._clamp(term, want)
            case "sext" | "zext":
                kind = "s" if term.op == "sext" else "u"
                return self.lines.extended(self.render(term.args[0], want), term.args[0].width, kind, term.width)
            case "extract" if term.attr in (0, None):
                inner = self.lines.number(self.render(term.args[0], want), term.args[0].width, "s")
                return self.lines.convert(inner, f"s{term.width}")
            case "add" | "sub" | "mul":
                return self._arithmetic(term, want)
            case "const":
                return self.lines.scalar(terms.signed(int(term.attr or 0), term.width), f"s{term.width}")
            case "reduce":
                return self._reduce(term, want)
            case "lane":
                return self._lanes(term, want)
            case "sym" if is_index(term):
                return self._position(term, want)
        if (found := elementwise.rendered(self, term, want)) is not None:
            return found
        raise NoTemplate(f"no tensor operation for the operator {term.op} on data", term)

    def _padded(self, term: Term, want: Extents) -> Tensor | None:
        return padded(term, want, self.operands, self.known, self.render)

    def _knowing(self, term: Term, want: Extents, known: list[Term]) -> Tensor:
        """`term` with more known of its indices."""
        before, self.known = self.known, known
        try:
            return self.render(term, want)
        finally:
            self.known = before

    def stored(self, term: Term, want: Extents, element: str) -> Tensor:
        """`term` as elements of type `element`, over all axes of the result; the name of an operation, never of an operand."""
        value = self.lines.number(self.render(term, want), term.width, "s" if int(element[1:]) != term.width else element[0])
        value = self.lines.broadcast(self.lines.convert(value, element), self.order, want)
        return value if value.name.startswith("%v") else self.lines.like(value, value.dtype, f"copy({value.name})")

    def low_bits(self, want: Extents, element: str) -> Tensor:
        """The low bits of another result over the same axes."""
        return self.lines.emit(element, self.order, tuple(want[a] for a in self.order), f"convert({BASE})")

    def _lanes(self, term: Term, want: Extents) -> Tensor:
        """The parts of computed elements along the last axis."""
        word, number = term.args
        parts, last = word.width // term.width, self.order[-1] if self.order else None
        lane = over_axes(self.operands.reading.exact(number), self.operands.indices)
        if last is None or lane != {(last,): 1} or self.sizes.get(last) != parts or parts * term.width != word.width:
            raise NoTemplate("a part of a computed value that is no element of it", term)
        whole = self.lines.number(self.render(word, {a: e for a, e in want.items() if a is not last}), word.width, "s")
        if last in whole.axes:
            raise NoTemplate("a part of a value that is another for each part", term)
        return self.lines.emit(f"u{term.width}", (*whole.axes, last), (*whole.extents, Int(parts)), f"bitcast-convert({whole.name})")

    def _arithmetic(self, term: Term, want: Extents) -> Tensor:
        width = f"s{term.width}"
        parts = [self.lines.convert(self.lines.number(self.render(a, want), a.width, "s"), width) for a in term.args]
        a, b = elementwise.aligned(self, parts, want)
        return self.lines.emit(width, a.axes, a.extents, f"{_ARITHMETIC[term.op]}({a.name}, {b.name})")

    def _clamp(self, term: Term, want: Extents) -> Tensor:
        low, high, is_signed = clamp_bounds(term)
        number, kind = _shifted(term.args[0], is_signed), "s" if is_signed else "u"
        x = self.lines.number(self.render(number, want), number.width, kind)
        if (name := _one_sided(low, high, x.dtype)) is not None and term.width == number.width:
            bound = self.lines.broadcast(self.lines.scalar(low if name == "maximum" else high, x.dtype), x.axes, want)
            return self.lines.like(x, x.dtype, f"{name}({x.name}, {bound.name})")
        bounds = [self.lines.scalar(v, x.dtype).name for v in (low, high)]
        return self.lines.convert(self.lines.like(x, x.dtype, f"clamp({bounds[0]}, {x.name}, {bounds[1]})"), f"{kind}{term.width}")

    def _position(self, symbol: Term, want: Extents) -> Tensor:
        """An index as data: how far along its axis an element is."""
        place = self.operands.indices.get(symbol, {(symbol,): 1})
        ((monomial, factor), *more) = place.items()
        if more or factor != 1 or len(monomial) != 1 or monomial[0] not in want:
            raise NoTemplate("an index as data that is no position along one axis", symbol)
        return self.lines.emit(f"s{symbol.width}", monomial, (want[monomial[0]],), "iota(), iota_dimension=0")

    # masks

    def _masked(self, term: Term, want: Extents) -> Tensor | None:
        """mux(bounds of indices, data, 0): read over the bounds, pad to what is wanted."""
        if not _is_mask(term):
            return None
        bounds = self._bounds(term.args[0])
        if any(want.get(axis) not in (b, Int(self.sizes.get(axis, 0))) for axis, b in bounds.items()):
            raise NoTemplate("a mask with other bounds than the result", term.args[0])
        found = self.operands.find(term.args[1], {axis: bounds.get(axis, extent) for axis, extent in want.items()})
        if found is None:
            raise NoTemplate("a mask over something that is not read from a buffer", term)
        if not set(bounds) <= set(found.axes):
            raise NoTemplate("a mask along an axis that the operand does not depend on", term)
        return self.lines.pad(found, want)

    def _bounds(self, guard: Term) -> Extents:
        """axis -> bound, for a conjunction of `index < bound`."""
        result: Extents = {}
        for condition in conjuncts(guard):
            found = inequality(condition, self.known, self.operands.reading)
            indices = indices_of(found)
            left = over_axes({m: -f for m, f in found.items() if indices & set(m)}, self.operands.indices)
            (monomial, factor), *more = left.items() or [((), 0)]
            if more or factor != 1 or len(monomial) != 1 or monomial[0] in result:
                raise NoTemplate("a mask that is no bound of one index", condition)
            bound = without(found, indices)
            if self.operands.reading.range(bound)[0] < 0:
                raise NoTemplate("a bound of an index that can be negative", condition)
            result[monomial[0]] = to_expr(bound, self.operands.leaves.expr)
        return result

    def _bounds_of(self, operand: Term) -> Extents:
        while operand.op in ("sext", "zext"):
            operand = operand.args[0]
        return self._bounds(operand.args[0]) if _is_mask(operand) else {}

    # reductions

    def axes(self, want: Extents) -> tuple[Term, ...]:
        """The axes of the result, then those that are reduced."""
        return (*self.order, *(a for a in want if a not in self.order))

    def _reduce(self, term: Term, want: Extents) -> Tensor:
        """One dimension combined; what it starts from is combined with the result."""
        initial, operand, count = term.args
        kind, name = reduction(term)
        k, steps = self._bind(name, int(count.attr or 0))
        operation, dtype, neutral = _REDUCTIONS[kind], f"{'u' if kind[0] == 'u' else 's'}{term.width}", neutral_of(kind, term.width)
        value = self._typed(operand, {**want, k: Int(steps)}, dtype)
        if k not in value.axes:
            raise NoTemplate("a reduction of an operand that does not depend on its index")
        place = value.axes.index(k)
        axes = (*value.axes[:place], *value.axes[place + 1 :])
        extents = (*value.extents[:place], *value.extents[place + 1 :])
        start = self.lines.scalar(neutral if dtype[0] == "u" else terms.signed(neutral, term.width), dtype)
        reduced = self.lines.emit(dtype, axes, extents, f"reduce({value.name}, {start.name}), dimensions={{{place}}}, to_apply={operation}")
        if initial.is_const and int(initial.attr or 0) == neutral:
            return reduced
        a, b = elementwise.aligned(self, [self._typed(initial, want, dtype), reduced], want)
        return self.lines.emit(dtype, a.axes, a.extents, f"{operation}({a.name}, {b.name})")

    def _typed(self, term: Term, want: Extents, dtype: str) -> Tensor:
        return self.lines.convert(self.lines.number(self.render(term, want), term.width, dtype[0]), dtype)

    # dot products

    def _dot(self, term: Term, want: Extents) -> Tensor:
        initial, a, b, count = term.args
        k, steps = self._bind(str(term.attr), int(count.attr or 0))
        masks = [self._bounds_of(operand) for operand in (a, b)]
        shared = masks[0][k] if k in masks[0] and masks[0][k] == masks[1].get(k) else Int(steps)
        inner = {axis: self._common(axis, extent, [*masks, self._bounds_of(initial)]) for axis, extent in want.items()}
        dtype = f"s{1 << (term.width - 1).bit_length()}" if _cannot_wrap(initial, a, b, steps, term.width) else f"s{term.width}"
        sides = [self._operand(operand, {**inner, k: shared}, dtype) for operand in (a, b)]
        product = self._contract(sides[0], sides[1], k, dtype)
        return self.lines.cut(self._plus_initial(product, initial, inner, dtype), want)

    def _bind(self, name: str, steps: int) -> tuple[Term, int]:
        k = terms.sym(name, INDEX_WIDTH)
        if self.sizes.setdefault(k, steps) != steps:
            raise NoTemplate("reductions of several lengths")
        self.operands.leaves.axes.setdefault(k, "k")
        self.operands.reading = replace(self.operands.reading, most={**self.operands.reading.most, k: steps - 1})
        self.known = [*self.known, *below([(k, steps)])]
        return k, steps

    def _common(self, axis: Term, extent: Expr, masks: list[Extents]) -> Expr:
        """The range over which a product is computed: what is wanted if every mask agrees, all that the hardware has otherwise."""
        if all(m.get(axis, extent) == extent for m in masks):
            return extent
        if axis not in self.sizes:
            raise NoTemplate("operands of a product with different bounds")
        return Int(self.sizes[axis])

    def _operand(self, operand: Term, want: Extents, dtype: str) -> Tensor:
        return self.lines.convert(self.lines.number(self.render(operand, want), operand.width, "s"), dtype)

    def _contract(self, a: Tensor, b: Tensor, k: Term, dtype: str) -> Tensor:
        if k not in a.axes or k not in b.axes:
            raise NoTemplate("a product with an operand that does not depend on its index")
        batch = [x for x in a.axes if x in b.axes and x is not k]
        free = [x for t in (a, b) for x in t.axes if x is not k and x not in batch]
        axes = (*batch, *free)
        extent = {x: e for t in (a, b) for x, e in zip(t.axes, t.extents, strict=True)}
        sides = [(name, [t.axes.index(x) for x in batch], t.axes.index(k)) for name, t in (("lhs", a), ("rhs", b))]
        numbers = [f"{name}_batch_dims={{{','.join(map(str, dims))}}}" for name, dims, _ in sides if dims]
        numbers += [f"{name}_contracting_dims={{{dim}}}" for name, _, dim in sides]
        product = self.lines.emit(dtype, axes, tuple(extent[x] for x in axes), f"dot({a.name}, {b.name}), {', '.join(numbers)}")
        return self.lines.transpose(product, tuple(x for x in self.order if x in axes))

    def _plus_initial(self, product: Tensor, initial: Term, inner: Extents, dtype: str) -> Tensor:
        if initial.is_const and initial.attr == 0:
            return product
        inside = initial.args[0] if initial.op == "sext" else initial
        start = self.lines.convert(self.lines.number(self.render(inside, inner), inside.width, "s"), dtype)
        start = self.lines.broadcast(start, product.axes, inner)
        return self.lines.like(product, dtype, f"add({start.name}, {product.name})")


def _one_sided(low: int, high: int, dtype: str) -> str | None:
    """The operation that a saturation is, where all numbers of the type are within one of its bounds."""
    bits = int(dtype[1:])
    least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype[0] == "s" else (0, (1 << bits) - 1)
    return "maximum" if high >= most else "minimum" if low <= least else None


def _shifted(term: Term, is_signed: bool) -> Term:
    """The highest bits of a value as what is left of it when it is shifted, which is the same number."""
    low = int(term.attr or 0) if term.op == "extract" else 0
    whole = term.args[0] if low else term
    if not low or low + term.width < whole.width:
        return term
    return terms.make("ashr" if is_signed else "lshr", whole.width, (whole, terms.const(low, whole.width)))


def _is_mask(term: Term) -> bool:
    return term.op == "mux" and term.args[2].is_const and term.args[2].attr == 0


def _cannot_wrap(initial: Term, a: Term, b: Term, steps: int, width: int) -> bool:
    """|initial| + steps * |a| * |b| fits the sum's width, by the operands' widths."""
    start = 0 if initial.is_const and initial.attr == 0 else 1 << (_significant(initial) - 1)
    return start + steps * (1 << (a.width - 1)) * (1 << (b.width - 1)) < 1 << (width - 1)


def _significant(term: Term) -> int:
    return _significant(term.args[0]) if term.op == "sext" else term.width
