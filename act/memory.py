"""Tensors <-> bytes in host memory: row-major, little-endian, each element in whole bytes; inputs -> memory image -> outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from act.errors import UserError
from act.hlo.arrays import as_array, bitcast, convert, numpy_dtype
from act.hlo.dtypes import is_float, is_signed, stored_bytes, width
from act.hlo.model import Shape
from act.program import Program, Region

Bytes = NDArray[np.uint8]


def to_bytes(array: NDArray[Any], dtype: str) -> Bytes:
    """An array of `numpy_dtype(dtype)` -> its bytes in memory, one-dimensional."""
    if dtype == "bf16":
        array = bitcast(array, "bf16", "u16", array.shape)
    contiguous = np.ascontiguousarray(array)
    raw = contiguous.reshape(-1).view(np.uint8).reshape(-1, contiguous.dtype.itemsize)
    return np.ascontiguousarray(raw[:, : stored_bytes(dtype)]).reshape(-1)


def from_bytes(data: Bytes, dtype: str, dims: tuple[int, ...]) -> NDArray[Any]:
    """The inverse of `to_bytes`; bits beyond the width of an integer type are ignored."""
    if dtype == "pred":
        return (data.reshape(dims) & 1).astype(np.bool_)
    if dtype == "bf16":
        return bitcast(data.copy().view(np.uint16).reshape(dims), "u16", "bf16", dims)
    container = numpy_dtype(dtype)
    raw = np.zeros((data.size // stored_bytes(dtype), container.itemsize), dtype=np.uint8)
    raw[:, : stored_bytes(dtype)] = data.reshape(-1, stored_bytes(dtype))
    array = raw.reshape(-1).view(container).reshape(dims)
    return array if is_float(dtype) else _wrapped(array, dtype)


def _wrapped(array: NDArray[Any], dtype: str) -> NDArray[Any]:
    """Sign and zero extension of the low `width` bits, whatever the bits above are."""
    full = f"{'s' if is_signed(dtype) else 'u'}{array.dtype.itemsize * 8}"
    return array if width(full) == width(dtype) else convert(array, full, dtype)


def memory_image(program: Program, inputs: Mapping[str, Any], fill: int = 0xA5) -> dict[str, Bytes]:
    """The host memories before the program runs: inputs and constants in place, all else `fill`.  `UserError` for inputs that do not fit."""
    _check_names(program, inputs)
    ends = {name: max([size, *(r.end for r in program.regions if r.buffer == name)]) for name, size in program.memory.items()}
    image = {name: np.full(size, fill, dtype=np.uint8) for name, size in ends.items()}
    for region in program.regions:
        if region.kind == "input":
            image[region.buffer][region.address : region.end] = to_bytes(_input(region, inputs[region.name]), region.dtype)
        elif region.data is not None:
            image[region.buffer][region.address : region.end] = np.frombuffer(region.data, dtype=np.uint8)
    return image


def _check_names(program: Program, inputs: Mapping[str, Any]) -> None:
    expected = [region.name for region in program.of_kind("input")]
    if set(expected) != set(inputs):
        found = ", ".join(sorted(inputs)) or "none"
        raise UserError(None, f"expected inputs {', '.join(expected) or 'none'}, found {found}", "name the arrays like the HLO parameters")
    unknown = {region.buffer for region in program.regions} - set(program.memory)
    if unknown:
        raise UserError(None, f"no size is given for memory {', '.join(sorted(unknown))}", "add a line 'memory NAME SIZE' to the program")


def _input(region: Region, value: Any) -> NDArray[Any]:
    try:
        return as_array(value, Shape(region.dtype, region.dims))
    except ValueError as error:
        raise UserError(None, f"input '{region.name}': {error}", "give an array of the HLO parameter's shape and type") from None


def outputs(program: Program, image: Mapping[str, Bytes]) -> dict[str, NDArray[Any]]:
    """The results `out0`, `out1`, ... in the memories after the program."""
    return {r.name: from_bytes(image[r.buffer][r.address : r.end], r.dtype, r.dims) for r in program.of_kind("output")}
