"""Lines of an HLO body: element types, broadcasts, paddings and cuts of tensors over index axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from act.taidl import Binary, Expr, Int, print_expr
from act.taidl import simplify as simplify_expr
from lift.assemble.errors import NoTemplate
from lift.unroll.terms import Term

Extents = dict[Term, Expr]


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


def size_text(expr: Expr) -> str:
    return str(expr.value) if isinstance(expr, Int) else f"`{print_expr(expr)}`"


def dims_text(extents: tuple[Expr, ...]) -> str:
    return ", ".join(size_text(e) for e in extents)


@dataclass(slots=True)
class Lines:
    """The operations of a body so far, each only once."""

    lines: list[str] = field(default_factory=list)
    _known: dict[object, Tensor] = field(default_factory=dict)

    def emit(self, dtype: str, axes: tuple[Term, ...], extents: tuple[Expr, ...], operation: str) -> Tensor:
        key = (dtype, axes, extents, operation)
        if key not in self._known:
            name = f"%v{len(self.lines)}"
            self.lines.append(f"{name} = {dtype}[{dims_text(extents)}] {operation}")
            self._known[key] = Tensor(name, dtype, axes, extents)
        return self._known[key]

    def like(self, value: Tensor, dtype: str, operation: str) -> Tensor:
        return self.emit(dtype, value.axes, value.extents, operation)

    @staticmethod
    def text(expr: Expr) -> str:
        return print_expr(simplify_expr(expr))

    def scalar(self, value: int, dtype: str) -> Tensor:
        return self.emit(dtype, (), (), f"constant({value})")

    def convert(self, value: Tensor, dtype: str) -> Tensor:
        """The same bits read as another type of the width, the same number in a wider one, the low bits in a narrower one."""
        bits = int(dtype[1:])
        if value.dtype == dtype:
            return value
        if value.bits == bits:
            return self.like(value, dtype, f"bitcast-convert({value.name})")
        if dtype[0] == "u" and value.dtype[0] == "s":
            return self.convert(self.convert(value, f"s{bits}"), dtype)
        return self.like(value, dtype, f"convert({value.name})")

    def number(self, value: Tensor, width: int, kind: str) -> Tensor:
        """The low `width` bits as a signed (`s`) or unsigned (`u`) number.  A value in a wider type is signed and has not wrapped."""
        if value.bits > width:
            return value if kind == "s" and value.dtype[0] == "s" else self.convert(self.convert(value, f"s{width}"), f"{kind}{width}")
        if value.bits < width:
            raise NoTemplate("a value that is narrower than its type")
        return self.convert(value, f"{kind}{width}")

    def extended(self, value: Tensor, width: int, kind: str, to: int) -> Tensor:
        """Sign- or zero-extension of `width` bits to at least `to` bits."""
        found = self.number(value, width, kind)
        return found if found.bits > to else self.convert(found, f"s{to}")

    def broadcast(self, value: Tensor, axes: tuple[Term, ...], want: Mapping[Term, Expr]) -> Tensor:
        """The value over all of `axes`."""
        if value.axes == axes:
            return value
        if not set(value.axes) <= set(axes):
            raise NoTemplate("an operand that varies along more axes than the result")
        value = self.transpose(value, tuple(a for a in axes if a in value.axes))
        if value.axes == axes:
            return value
        kept = ",".join(str(axes.index(a)) for a in value.axes)
        return self.emit(value.dtype, axes, tuple(want[a] for a in axes), f"broadcast({value.name}), dimensions={{{kept}}}")

    def transpose(self, value: Tensor, order: tuple[Term, ...]) -> Tensor:
        if value.axes == order:
            return value
        permutation = [value.axes.index(a) for a in order]
        extents = tuple(value.extents[p] for p in permutation)
        return self.emit(value.dtype, order, extents, f"transpose({value.name}), dimensions={{{','.join(str(p) for p in permutation)}}}")

    def pad(self, value: Tensor, want: Mapping[Term, Expr]) -> Tensor:
        """Zeros after the value's elements, up to what is wanted."""
        missing = [simplify_expr(Binary("-", want[a], e)) for a, e in zip(value.axes, value.extents, strict=True)]
        if all(m == Int(0) for m in missing):
            return value
        zero, padding = self.scalar(0, value.dtype), "x".join(f"0_{size_text(m)}" for m in missing)
        return self.emit(value.dtype, value.axes, tuple(want[a] for a in value.axes), f"pad({value.name}, {zero.name}), padding={padding}")

    def cut(self, value: Tensor, want: Mapping[Term, Expr]) -> Tensor:
        """The first elements along each axis, as many as are wanted."""
        extents = tuple(want[a] for a in value.axes)
        if extents == value.extents:
            return value
        return self.emit(value.dtype, value.axes, extents, f"slice({value.name}), slice={{{', '.join(f'[0:{size_text(e)}]' for e in extents)}}}")
