"""Elements (i, j) of one form -> the form at symbolic i and j: the homogeneity of a grid as something that proofs can use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import z3

from proofs.forms import Form
from proofs.integers import Integer, constant
from proofs.meaning import variable

Point = tuple[int, int]
INDEX_BITS = 8


@dataclass(frozen=True, slots=True)
class Family:
    """Elements that are `form` at `parameters`, for every (i, j) within `under`; `size` of them."""

    form: Form
    i: Integer
    j: Integer
    parameters: tuple[z3.BitVecRef, ...]
    under: tuple[z3.BoolRef, ...]
    size: int


def families(forms: Mapping[Point, Form]) -> list[Family]:
    """Every element is in one family.  Elements of one form whose constants are not linear in i and j are families of their own."""
    groups: dict[object, dict[Point, Form]] = {}
    for point, each in forms.items():
        groups.setdefault(each.key, {})[point] = each
    found: list[Family] = []
    for group in groups.values():
        laws = [_law({p: f.constants[k] for p, f in group.items()}, w) for k, w in enumerate(next(iter(group.values())).widths)]
        if None in laws:
            found += [_family({p: f}, [(0, 0, c) for c in f.constants]) for p, f in group.items()]
        else:
            found.append(_family(group, [law for law in laws if law is not None]))
    return found


def _law(values: Mapping[Point, int], width: int) -> tuple[int, int, int] | None:
    """(a, b, c) with value = a * i + b * j + c modulo 2**width at every point."""
    (origin, first), *others = values.items()
    slopes = [0, 0]
    for axis in (0, 1):
        for point, value in others:
            if point[1 - axis] == origin[1 - axis] and point[axis] - origin[axis] in (1, -1):
                slopes[axis] = (value - first) * (point[axis] - origin[axis])
    a, b = slopes
    c = first - a * origin[0] - b * origin[1]
    return (a, b, c) if all((a * i + b * j + c - v) % (1 << width) == 0 for (i, j), v in values.items()) else None


def _family(group: Mapping[Point, Form], laws: list[tuple[int, int, int]]) -> Family:
    representative = next(iter(group.values()))
    under: list[z3.BoolRef] = []
    axes = [_axis(name, sorted({p[k] for p in group}), under) for k, name in enumerate(("i", "j"))]
    parameters = tuple(_at(law, axes, w) for law, w in zip(laws, representative.widths, strict=True))
    return Family(representative, axes[0], axes[1], parameters, tuple(under), len(group))


def _axis(name: str, values: list[int], under: list[z3.BoolRef]) -> Integer:
    low, high = values[0], values[-1]
    if low == high:
        return constant(low)
    index = variable(name, INDEX_BITS)
    under += [z3.UGE(index, low), z3.ULE(index, high)]
    return Integer(z3.ZeroExt(1, index), low, high)


def _at(law: tuple[int, int, int], axes: list[Integer], width: int) -> z3.BitVecRef:
    a, b, c = law
    total = z3.BitVecVal(c, width)
    for slope, axis in ((a, axes[0]), (b, axes[1])):
        if slope:
            total = total + slope * axis.resized(width)
    return z3.simplify(total)


__all__ = ["Family", "families"]
