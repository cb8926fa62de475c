"""How far a result may be from XLA's: not at all, some units in the last place (ULP), or the error of adding in another order.

One ULP of a value is the distance of floats of its magnitude; of subnormal values the smallest normal one's, and XLA may flush them to 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from act.hlo.dtypes import is_float
from act.hlo.model import Instruction, Shape
from act.hlo.opcodes import FUNCTIONS

FRACTION = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
LEAST = {"f16": -14, "bf16": -126, "f32": -126, "f64": -1022}
ULP = {"sqrt": 0, "log-plus-one": 256, "logistic": 256, "power": 256}
"""XLA's distances from the evaluator, as measured; `OTHERS` bounds the other functions."""
OTHERS = 8


def check(each: Instruction, operands: Sequence[np.ndarray], found: np.ndarray, expected: np.ndarray) -> None:
    """Fails when the results of `each` are further apart than they may be."""
    shape = each.shape
    assert isinstance(shape, Shape) and found.shape == expected.shape
    if not is_float(shape.dtype):
        np.testing.assert_array_equal(found, expected, err_msg=str(each))
        return
    limit = _limit(each, operands, found)
    with np.errstate(all="ignore"):
        mine, theirs = found.astype(np.longdouble), expected.astype(np.longdouble)
        same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs)) | (np.abs(mine - theirs) <= limit)
    assert same.all(), f"{each}: {found[~same][:3]} and {expected[~same][:3]}, operands {[x[:3] if x.ndim else x for x in operands]}"


def _limit(each: Instruction, operands: Sequence[np.ndarray], found: np.ndarray) -> np.ndarray:
    assert isinstance(each.shape, Shape)
    dtype = each.shape.dtype
    exponents = np.frexp(np.where(np.isfinite(found), found, 0).astype(np.longdouble))[1] - 1
    ulp = np.ldexp(np.longdouble(1), np.maximum(exponents, LEAST[dtype]) - FRACTION[dtype])
    least = np.ldexp(np.longdouble(1), LEAST[dtype])
    if each.opcode in FUNCTIONS or each.opcode in ("power", "atan2"):
        return ulp * ULP.get(each.opcode, OTHERS) + (least if each.opcode != "sqrt" else 0)
    if each.opcode in ("dot", "convolution") or each.attributes.get("kind") == "add":
        return ulp + least + _of_sum(each, operands)
    return np.zeros(found.shape, np.longdouble)


def _of_sum(each: Instruction, operands: Sequence[np.ndarray]) -> np.longdouble:
    """Every partial sum is rounded: to f32 or f64 in products, and by XLA to the element type in reductions."""
    assert isinstance(each.shape, Shape)
    largest = [np.longdouble(np.max(np.abs(np.where(np.isfinite(x), x, 0)), initial=0)) for x in operands]
    product = each.opcode in ("dot", "convolution")
    bits = max(FRACTION[each.shape.dtype], FRACTION["f32"]) if product else FRACTION[each.shape.dtype]
    terms = max(x.size for x in operands) + 1
    return terms * terms * (largest[0] * largest[1] if product else max(largest)) * np.ldexp(np.longdouble(1), -bits)
