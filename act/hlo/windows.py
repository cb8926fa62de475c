"""Windows that slide over the dimensions of a tensor: their attributes, and how often they fit.

`window={size=3x3 stride=2x2 pad=1_1x1_1 lhs_dilate=2x2 rhs_dilate=2x2 rhs_reversal=1x1}` is read, and written, as

| attribute    | for each dimension of the window                                          |
|--------------|---------------------------------------------------------------------------|
| size         | how many elements it has                                                  |
| stride       | the distance of two places of it                                          |
| low, high    | places outside of the tensor before and after it; negative ones cut it    |
| lhs_dilation | the distance of two elements of the tensor (holes have no value)          |
| rhs_dilation | the distance of two elements of the window                                |
| reversal     | 1 where a convolution turns the window round                              |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from act.hlo.model import Dimension, Value
from act.hlo.sizes import Sizes

Raw = Mapping[str, Value]
Show = Callable[[Dimension], str]
_NAMES = {"stride": ("stride", 1), "lhs_dilate": ("lhs_dilation", 1), "rhs_dilate": ("rhs_dilation", 1), "rhs_reversal": ("reversal", 0)}


class WindowError(Exception):
    """What is wrong with a window or the labels of dimensions, without a location."""


def read_window(raw: Raw) -> dict[str, tuple[Value, ...]]:
    """The attributes above, from lists by the names of the text; `pad` is a list of (low, high, 0)."""
    unknown = set(raw) - {"size", "pad", *_NAMES}
    if unknown:
        raise WindowError(f"a window has no '{min(unknown)}'")
    raw = {name: value if isinstance(value, tuple) else (value,) for name, value in raw.items()}
    size = raw.get("size", ())
    found = {"size": size, **{name: raw.get(key, (default,) * len(size)) for key, (name, default) in _NAMES.items()}}
    pads = raw.get("pad", ((0, 0, 0),) * len(size))
    found |= {"low": tuple(pad[0] for pad in pads), "high": tuple(pad[1] for pad in pads)}
    for name, values in found.items():
        if len(values) != len(size):
            raise WindowError(f"the window has {len(size)} sizes and {len(values)} values of '{name}'")
    return found


def write_window(given: Raw, show: Show) -> str:
    """The text between `window={` and `}`; what is everywhere at its default is left out."""
    lists = [("size", given["size"])] if given["size"] else []
    lists += [(key, given[name]) for key, (name, default) in _NAMES.items() if name in given and any(not _is(value, default) for value in given[name])]
    words = {key: "x".join(map(show, values)) for key, values in lists}
    if any(not _is(value, 0) for value in given["low"] + given["high"]):
        words["pad"] = "x".join(f"{show(low)}_{show(high)}" for low, high in zip(given["low"], given["high"], strict=True))
    order = ("size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal")
    return " ".join(f"{key}={words[key]}" for key in order if key in words)


def _is(value: Dimension, number: int) -> bool:
    return isinstance(value, int) and value == number


def places(given: Raw, sizes: Sizes, extents: tuple[Dimension, ...]) -> Iterator[Dimension]:
    """For each dimension of the window, how many places it has in a tensor of `extents`."""
    names = ("size", "stride", "low", "high", "lhs_dilation", "rhs_dilation")
    for extent, size, stride, low, high, spread, gap in zip(extents, *(given[name] for name in names), strict=True):
        for value, what in ((stride, "stride"), (spread, "dilation"), (gap, "dilation")):
            if not sizes.at_most(1, value):
                raise WindowError(f"a window needs a {what} of at least 1, found {value}")
        if not sizes.at_most(0, size):
            raise WindowError(f"a window needs a size of at least 0, found {size}")
        total = sizes.total((_dilated(extent, spread, sizes), low, high))
        yield _fitting(total, _dilated(size, gap, sizes), stride, sizes)


def _dilated(extent: Dimension, distance: Dimension, sizes: Sizes) -> Dimension:
    if _is(distance, 1) or _is(extent, 0):
        return extent
    return sizes.add(sizes.multiply(sizes.subtract(extent, 1), distance), 1)


def _fitting(total: Dimension, window: Dimension, stride: Dimension, sizes: Sizes) -> Dimension:
    if isinstance(total, int) and isinstance(window, int) and (total < window or total <= 0):
        return 0
    if _is(window, 1) and _is(stride, 1) and sizes.at_most(0, total):
        return total
    if not sizes.at_most(window, total):
        raise WindowError(f"a window of {window} may not fit {total}")
    return sizes.add(sizes.divide(sizes.subtract(total, window), stride), 1)


def read_labels(text: str) -> dict[str, tuple[int, ...]]:
    """`b01f_01io->b01f` --> which dimension is batch, feature and each spatial one: lhs_dims (batch, feature, spatial ...), rhs_dims (input
    feature, output feature, spatial ...), out_dims (batch, feature, spatial ...)."""
    operands, arrow, result = text.partition("->")
    left, mark, right = operands.partition("_")
    if not (arrow and mark):
        raise WindowError(f"expected labels such as b01f_01io->b01f, found '{text}'")
    found = {"lhs_dims": _dims(left, "bf"), "rhs_dims": _dims(right, "io"), "out_dims": _dims(result, "bf")}
    if len({len(dims) for dims in found.values()}) != 1:
        raise WindowError(f"'{text}' does not have the same number of spatial dimensions everywhere")
    return found


def _dims(labels: str, first: str) -> tuple[int, ...]:
    wanted = first + "".join(map(str, range(len(labels) - 2)))
    if sorted(labels) != sorted(wanted):
        raise WindowError(f"expected each of '{wanted}' once, found '{labels}'")
    return tuple(labels.index(label) for label in wanted)


def write_labels(given: Raw) -> str:
    left, right, result = (_labels(given[name], first) for name, first in (("lhs_dims", "bf"), ("rhs_dims", "io"), ("out_dims", "bf")))
    return f"{left}_{right}->{result}"


def _labels(dims: tuple[int, ...], first: str) -> str:
    names = first + "".join(map(str, range(len(dims) - 2)))
    return "".join(names[dims.index(axis)] for axis in range(len(dims)))
