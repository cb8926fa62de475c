"""The value of a template -> reads of buffers and an HLO body over them.

Values are computed over the ranges of the written elements.  An operand under its own mask is read over its own range and padded with zeros; a dot
product whose operands are masked alike is one over that range.  Sums narrower than the result are computed at the result's width only where they
cannot wrap (interval arithmetic on the operands' types).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from act.taidl import Binary, Expr, Index, Int, Read, Slice, print_expr
from act.taidl import simplify as simplify_expr
from lift.assemble.bits import bits
from lift.assemble.family import NoTemplate
from lift.assemble.integers import Polynomial, indices_of, plus, polynomial, times, to_expr
from lift.assemble.leaves import Leaves
from lift.assemble.ranges import Axis, conjuncts
from lift.assemble.rewriting import clamp_bounds, plain
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import Term


@dataclass(frozen=True, slots=True)
class Storage:
    """How the specification sees a memory or state array: words of `unit` elements of `bits` bits; `plane` is a leading coordinate."""

    buffer: str
    element: str
    bits: int
    unit: tuple[int, ...]
    host: bool = False
    plane: Expr | None = None


@dataclass(frozen=True, slots=True)
class Tensor:
    """A value of the body: its name, element type, and extent along each axis, in the order of its dimensions."""

    name: str
    dtype: str
    axes: tuple[Term, ...]
    extents: tuple[Expr, ...]

    @property
    def bits(self) -> int:
        return int(self.dtype[1:])


Extents = dict[Term, Expr]


@dataclass(slots=True)
class Body:
    """Builds one body.  `order` are the axes of the result, `sizes` the number of values that the hardware has for an axis."""

    leaves: Leaves
    storage: Mapping[str, Storage]
    indices: dict[Term, Polynomial]
    order: tuple[Term, ...]
    sizes: dict[Term, int]
    reads: list[Read] = field(default_factory=list)
    parameters: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    _known: dict[object, Tensor] = field(default_factory=dict)

    # text

    def emit(self, dtype: str, axes: tuple[Term, ...], extents: tuple[Expr, ...], operation: str) -> Tensor:
        key = (dtype, axes, extents, operation)
        if key not in self._known:
            name = f"%v{len(self.lines)}"
            self.lines.append(f"{name} = {dtype}[{', '.join(_size(e) for e in extents)}] {operation}")
            self._known[key] = Tensor(name, dtype, axes, extents)
        return self._known[key]

    def scalar(self, value: int, dtype: str) -> Tensor:
        return self.emit(dtype, (), (), f"constant({value})")

    def text(self) -> str:
        """The body without the root marker."""
        return "\n".join(self.parameters + self.lines)

    # values

    def render(self, term: Term, want: Extents) -> Tensor:
        """`term` over the axes of `want` that it depends on."""
        found = self._masked(term, want) or self._data(term, want, None)
        if found is not None:
            return found
        if (bounded := _fused_relu(term)) is not None:
            return self.render(bounded, want)
        match term.op:
            case "dot":
                return self._dot(term, want)
            case "clamp":
                return self._clamp(term, want)
            case "sext":
                return self._extend(self.render(term.args[0], want), f"s{term.args[0].width}", f"s{term.width}")
            case "zext":
                return self._extend(self.render(term.args[0], want), f"u{term.args[0].width}", f"s{term.width}")
            case "extract" if term.attr in (0, None):
                return self.convert(self.render(term.args[0], want), f"s{term.width}")
            case "add" | "sub" | "mul":
                return self._arithmetic({"add": "add", "sub": "subtract", "mul": "multiply"}[term.op], term, want)
            case "const":
                return self.scalar(terms.signed(int(term.attr or 0), term.width), f"s{term.width}")
        if (gathered := self._gather(term, want)) is not None:
            return gathered
        raise NoTemplate(f"no tensor operation for the operator {term.op} on data")

    def convert(self, value: Tensor, dtype: str) -> Tensor:
        if value.dtype == dtype:
            return value
        operation = "bitcast-convert" if value.dtype[1:] == dtype[1:] else "convert"
        return self.emit(dtype, value.axes, value.extents, f"{operation}({value.name})")

    def broadcast(self, value: Tensor, axes: tuple[Term, ...], want: Extents) -> Tensor:
        """The value over all of `axes`."""
        if value.axes == axes:
            return value
        kept = [axes.index(a) for a in value.axes]
        if kept != sorted(kept):
            order = tuple(a for a in axes if a in value.axes)
            value = self._transpose(value, order)
            kept = [axes.index(a) for a in value.axes]
        extents = tuple(want[a] for a in axes)
        return self.emit(value.dtype, axes, extents, f"broadcast({value.name}), dimensions={{{','.join(str(k) for k in kept)}}}")

    def _transpose(self, value: Tensor, order: tuple[Term, ...]) -> Tensor:
        permutation = [value.axes.index(a) for a in order]
        extents = tuple(value.extents[p] for p in permutation)
        return self.emit(value.dtype, order, extents, f"transpose({value.name}), dimensions={{{','.join(str(p) for p in permutation)}}}")

    def _extend(self, value: Tensor, narrow: str, wide: str) -> Tensor:
        """Extension of a value read as `narrow`; a value that is already wider holds the same number."""
        if value.bits >= int(wide[1:]):
            return value
        if value.bits == int(narrow[1:]):
            value = self.convert(value, narrow)
        return self.convert(value, wide)

    def _arithmetic(self, operation: str, term: Term, want: Extents) -> Tensor:
        parts = [self._extend(self.render(a, want), f"s{a.width}", f"s{term.width}") for a in term.args]
        axes = tuple(a for a in self.order if any(a in p.axes for p in parts))
        a, b = (self.broadcast(p, axes, want) for p in parts)
        return self.emit(f"s{term.width}", axes, a.extents, f"{operation}({a.name}, {b.name})")

    def _clamp(self, term: Term, want: Extents) -> Tensor:
        low, high, is_signed = clamp_bounds(term)
        if not is_signed:
            raise NoTemplate("an unsigned saturation of data")
        x = self.render(term.args[0], want)
        x = self.convert(x, "s" + x.dtype[1:])
        bound = [self.scalar(v, x.dtype).name for v in (low, high)]
        return self.convert(self.emit(x.dtype, x.axes, x.extents, f"clamp({bound[0]}, {x.name}, {bound[1]})"), f"s{term.width}")

    # reads

    def _masked(self, term: Term, want: Extents) -> Tensor | None:
        """mux(bounds of indices, data, 0): read over the bounds, pad to what is wanted."""
        if term.op != "mux" or not (term.args[2].is_const and term.args[2].attr == 0):
            return None
        bounds = self._bounds(term.args[0])
        if bounds is None:
            return None
        inner = {axis: bounds.get(axis, extent) for axis, extent in want.items()}
        found = self._data(term.args[1], want, inner)
        if found is None:
            raise NoTemplate("a mask over something that is not read from a buffer")
        return self._pad(found, want)

    def _bounds(self, guard: Term) -> Extents | None:
        """axis -> bound, for a conjunction of `index < bound`; None for anything else."""
        result: Extents = {}
        for condition in conjuncts(guard):
            if condition.op != "ult":
                return None
            left = self._over_axes(polynomial(condition.args[0]))
            if len(left) != 1 or next(iter(left.values())) != 1 or len(next(iter(left))) != 1:
                return None
            result[next(iter(left))[0]] = to_expr(self._over_axes(polynomial(condition.args[1])), self.leaves.expr)
        return result

    def _pad(self, value: Tensor, want: Extents) -> Tensor:
        missing = [simplify_expr(Binary("-", want[a], e)) for a, e in zip(value.axes, value.extents, strict=True)]
        if all(m == Int(0) for m in missing):
            return value
        padding = "x".join(f"0_{_size(m)}" for m in missing)
        zero = self.scalar(0, value.dtype)
        return self.emit(value.dtype, value.axes, tuple(want[a] for a in value.axes), f"pad({value.name}, {zero.name}), padding={padding}")

    def _data(self, term: Term, want: Extents, over: Extents | None) -> Tensor | None:
        """A read of one element: a host byte, a lane of a word, a member of a state array."""
        over = want if over is None else over
        match term.op:
            case "load" if term.attr in self.storage:
                return self._read(str(term.attr), term, {}, over)
            case "lane" if term.args[0].op == "load":
                return self._lane(term, self._over_axes(polynomial(term.args[1])), over)
            case "extract" if term.args[0].op == "load" and self._is_lane(term):
                return self._lane(term, {(): int(term.attr or 0) // term.width} if term.attr else {}, over)
            case "extract" if term.attr in (0, None) and (index := _shifted_lane(term)) is not None:
                return self._lane(terms.make("lane", term.width, (term.args[0].args[0], index)), self._over_axes(polynomial(index)), over)
        return None

    def _is_lane(self, term: Term) -> bool:
        storage = self.storage.get(str(term.args[0].attr))
        return storage is not None and bool(storage.unit) and storage.bits == term.width

    def _lane(self, term: Term, index: Polynomial, over: Extents) -> Tensor:
        word = term.args[0]
        storage = self.storage[str(word.attr)]
        if storage.bits == term.width:
            return self._read(str(word.attr), word, index, over)
        return self._part_of_element(term, index, storage.bits // term.width, over)

    def _part_of_element(self, term: Term, index: Polynomial, parts: int, over: Extents) -> Tensor:
        """A byte of an element: the element as bytes, with the byte's axis last."""
        axis = next((m[0] for m, f in index.items() if f == 1 and len(m) == 1 and self.sizes.get(m[0]) == parts), None)
        rest = {m: f for m, f in index.items() if m != (axis,)}
        if axis is None or any(f % parts for f in rest.values()) or self.order[-1] is not axis:
            raise NoTemplate("a part of an element that is no byte of it")
        element = {m: f // parts for m, f in rest.items()}
        whole = self._read(str(term.args[0].attr), term.args[0], element, {a: e for a, e in over.items() if a is not axis})
        return self.emit(f"u{term.width}", (*whole.axes, axis), (*whole.extents, Int(parts)), f"bitcast-convert({whole.name})")

    def _gather(self, term: Term, want: Extents) -> Tensor | None:
        """Bytes at consecutive host addresses, packed with the first lowest: read as bytes and seen as one element."""
        count = term.width // 8
        parts = [bits(term, 8 * n, 8) for n in range(count)] if term.width % 8 == 0 else []
        if not parts or any(p.op != "load" or p.attr not in self.storage or not self.storage[str(p.attr)].host for p in parts):
            return None
        addresses = [self._over_axes(polynomial(p.args[0])) for p in parts]
        if any(plus(a, addresses[0], -1) != ({(): n} if n else {}) for n, a in enumerate(addresses)):
            return None
        byte = terms.sym(f"index:part{count}", INDEX_WIDTH)
        self.leaves.axes.setdefault(byte, "b")
        over = {**want, byte: Int(count)}
        saved, self.order = self.order, (*self.order, byte)
        raw = self._slice_read(str(parts[0].attr), plus(addresses[0], {(byte,): 1}, 1), {}, over)
        self.order = saved
        return self.emit(f"s{term.width}", raw.axes[:-1], raw.extents[:-1], f"bitcast-convert({raw.name})")

    def _read(self, memory: str, load: Term, lane: Polynomial, over: Extents) -> Tensor:
        return self._slice_read(memory, self._over_axes(polynomial(load.args[0])), lane, over)

    def _slice_read(self, memory: str, address: Polynomial, lane: Polynomial, over: Extents) -> Tensor:
        where = place(self.storage[memory], address, lane, self.leaves)
        used = _axes_of(address) | _axes_of(lane)
        first = {a: n for n, p in reversed(list(enumerate((address, lane)))) for a in _axes_of(p)}
        axes = tuple(sorted((a for a in (*self.order, *[x for x in over if x not in self.order]) if a in used), key=lambda a: self._rank(a, first, memory, address)))
        extents = tuple(over[a] for a in axes)
        chosen = Slice(where[0], where[1], tuple(Index(self.leaves.axes[a], e) for a, e in zip(axes, extents, strict=True)))
        key = ("read", chosen)
        if key not in self._known:
            name = f"x{len(self.reads)}"
            self.reads.append(Read(name, chosen))
            dtype = self.storage[memory].element
            self.parameters.append(f"%{name} = {dtype}[{', '.join(_size(e) for e in extents)}] parameter({len(self.reads) - 1})")
            self._known[key] = Tensor(f"%{name}", dtype, axes, extents)
        return self._known[key]

    def _rank(self, axis: Term, first: dict[Term, int], memory: str, address: Polynomial) -> int:
        """Position of the coordinate in which an axis occurs first: a tensor's dimensions are in the order of the buffer's."""
        if len(self.storage[memory].unit) > 1:
            return -max(abs(f) for m, f in address.items() if axis in m)
        return first[axis]

    def _over_axes(self, p: Polynomial) -> Polynomial:
        return over_axes(p, self.indices)

    # dot products

    def _dot(self, term: Term, want: Extents) -> Tensor:
        initial, a, b, count = term.args
        k = terms.sym(str(term.attr), INDEX_WIDTH)
        steps = int(count.attr or 0)
        self.leaves.axes.setdefault(k, "k")
        self.sizes[k] = steps
        masks = [self._mask(operand) for operand in (a, b)]
        shared = masks[0].get(k) if k in masks[0] and masks[0].get(k) == masks[1].get(k) else Int(steps)
        inner = {**{axis: self._common(axis, extent, [*masks, self._mask(initial)]) for axis, extent in want.items()}, k: shared}
        left, right = (self._operand(operand, inner) for operand in (a, b))
        dtype = f"s{term.width}"
        if _cannot_wrap(initial, a, b, steps, term.width):
            dtype = f"s{1 << (term.width - 1).bit_length()}"
        product = self._contract(left, right, k, dtype)
        total = self._plus_initial(product, initial, inner, dtype)
        return self._cut(total, want)

    def _mask(self, operand: Term) -> Extents:
        while operand.op in ("sext", "zext"):
            operand = operand.args[0]
        return (self._bounds(operand.args[0]) or {}) if operand.op == "mux" else {}

    def _common(self, axis: Term, extent: Expr, masks: list[Extents]) -> Expr:
        """The range over which a product is computed: what is wanted if every mask agrees, all that the hardware has otherwise."""
        if all(m.get(axis, extent) == extent for m in masks) or axis not in self.sizes:
            return extent
        return Int(self.sizes[axis])

    def _operand(self, operand: Term, want: Extents) -> Tensor:
        value = self.render(operand, want)
        return self.convert(value, f"s{operand.width}")

    def _contract(self, a: Tensor, b: Tensor, k: Term, dtype: str) -> Tensor:
        if k not in a.axes or k not in b.axes:
            raise NoTemplate("a product with an operand that does not depend on its index")
        batch = [x for x in a.axes if x in b.axes and x is not k]
        if batch:
            raise NoTemplate("a product with a batch dimension")
        wide = [self.convert(t, dtype) for t in (a, b)]
        axes = tuple(x for t in (a, b) for x in t.axes if x is not k)
        extents = tuple(e for t in (a, b) for x, e in zip(t.axes, t.extents, strict=True) if x is not k)
        contracting = f"lhs_contracting_dims={{{a.axes.index(k)}}}, rhs_contracting_dims={{{b.axes.index(k)}}}"
        product = self.emit(dtype, axes, extents, f"dot({wide[0].name}, {wide[1].name}), {contracting}")
        order = tuple(x for x in self.order if x in axes)
        return product if order == axes else self._transpose(product, order)

    def _plus_initial(self, product: Tensor, initial: Term, inner: Extents, dtype: str) -> Tensor:
        if initial.is_const and initial.attr == 0:
            return product
        inside = initial.args[0] if initial.op == "sext" else initial
        start = self.convert(self._extend(self.render(inside, inner), f"s{inside.width}", dtype), dtype)
        start = self.broadcast(start, product.axes, inner)
        return self.emit(dtype, product.axes, product.extents, f"add({start.name}, {product.name})")

    def _cut(self, value: Tensor, want: Extents) -> Tensor:
        if all(want[a] == e for a, e in zip(value.axes, value.extents, strict=True)):
            return value
        extents = tuple(want[a] for a in value.axes)
        return self.emit(value.dtype, value.axes, extents, f"slice({value.name}), slice={{{', '.join(f'[0:{_size(e)}]' for e in extents)}}}")


def _axes_of(p: Polynomial) -> set[Term]:
    return indices_of(p) | {t.args[0] for m in p for t in m if t.op in ("udiv", "urem")}


def over_axes(p: Polynomial, indices: Mapping[Term, Polynomial]) -> Polynomial:
    """A polynomial over index symbols as one over axes; size * (x / size) + x % size is x."""
    result: Polynomial = {}
    for monomial, factor in p.items():
        product: Polynomial = {(): factor}
        for leaf in monomial:
            product = times(product, indices.get(leaf, {(leaf,): 1}))
        result = plus(result, product, 1)
    return _recombined(result)


def _recombined(p: Polynomial) -> Polynomial:
    for monomial, factor in list(p.items()):
        quotient = next((t for t in monomial if t.op == "udiv"), None)
        if quotient is None or monomial not in p:
            continue
        rest = tuple(t for t in monomial if t is not quotient)
        size = int(quotient.args[1].attr or 0)
        remainder = terms.make("urem", quotient.width, quotient.args)
        partner = tuple(sorted((*rest, remainder), key=lambda t: t.serial))
        if p.get(partner, 0) * size == factor:
            p = plus(p, {monomial: factor, partner: p[partner], tuple(sorted((*rest, quotient.args[0]), key=lambda t: t.serial)): -p[partner]}, -1)
    return p


def place(storage: Storage, address: Polynomial, lane: Polynomial, leaves: Leaves) -> tuple[str, tuple[Expr, ...]]:
    """Buffer and coordinates of an access: the access dimension, then the unit's."""
    leaves.addressing = True
    try:
        return storage.buffer, _coordinates(storage, address, lane, leaves)
    finally:
        leaves.addressing = False


def _coordinates(storage: Storage, address: Polynomial, lane: Polynomial, leaves: Leaves) -> tuple[Expr, ...]:
    plane = () if storage.plane is None else (storage.plane,)
    if len(storage.unit) > 1 or (storage.plane is not None and not lane):
        return (*plane, *_split(address, storage.unit, leaves))
    unit = (to_expr(lane, leaves.expr),) if storage.unit else ()
    return (*plane, to_expr(address, leaves.expr), *unit)


def _split(address: Polynomial, shape: tuple[int, ...], leaves: Leaves) -> tuple[Expr, ...]:
    """A flat index of an array as one coordinate for each dimension: terms with a factor of at least the dimension's stride belong to it."""
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * shape[d + 1]
    parts: list[Polynomial] = [{} for _ in shape]
    for monomial, factor in address.items():
        d = next(n for n, s in enumerate(strides) if abs(factor) >= s)
        if factor % strides[d]:
            raise NoTemplate("an index of an array that mixes its dimensions")
        parts[d] = plus(parts[d], {monomial: factor // strides[d]}, 1)
    return tuple(to_expr(p, leaves.expr) for p in parts)


def _size(expr: Expr) -> str:
    return str(expr.value) if isinstance(expr, Int) else f"`{print_expr(expr)}`"


def _shifted_lane(term: Term) -> Term | None:
    """The lane that `word >> width * index` begins with."""
    shift = term.args[0]
    if shift.op != "lshr" or shift.args[0].op != "load":
        return None
    amount = polynomial(shift.args[1])
    if any(f % term.width for f in amount.values()) or len(amount) != 1:
        return None
    (monomial, factor), = amount.items()
    return monomial[0] if len(monomial) == 1 and factor == term.width else None


def _fused_relu(term: Term) -> Term | None:
    """max(x, 0) before or after a saturation is a saturation with another lower bound (proved each time)."""
    found: Term | None = None
    if term.op == "mux" and term.args[1].is_const and term.args[1].attr == 0 and term.args[2].op == "clamp":
        found = _raised(term.args[2], term.args[2].args[0])
    elif term.op == "clamp" and term.args[0].op == "mux" and term.args[0].args[1].is_const and term.args[0].args[1].attr == 0:
        found = _raised(term, term.args[0].args[2])
    if found is None or implied([], terms.equal(plain(term), plain(found))) is not Verdict.PROVED:
        return None
    return found


def _raised(clamp: Term, x: Term) -> Term:
    low, high, is_signed = clamp_bounds(clamp)
    return terms.make("clamp", clamp.width, (x,), f"{max(low, 0)}:{high}:{int(is_signed)}")


def _cannot_wrap(initial: Term, a: Term, b: Term, steps: int, width: int) -> bool:
    """|initial| + steps * |a| * |b| fits the sum's width, by the operands' widths."""
    start = 0 if initial.is_const and initial.attr == 0 else 1 << (_significant(initial) - 1)
    return start + steps * (1 << (a.width - 1)) * (1 << (b.width - 1)) < 1 << (width - 1)


def _significant(term: Term) -> int:
    return _significant(term.args[0]) if term.op == "sext" else term.width


def axis_sizes(axes: tuple[Axis, ...]) -> dict[Term, int]:
    return {a.symbol: a.size for a in axes if a.size is not None}


__all__ = ["Body", "Storage", "Tensor", "axis_sizes", "over_axes", "place"]
