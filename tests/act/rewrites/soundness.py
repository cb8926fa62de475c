"""Whether what a rule proposes is equal: on samples that include the edges of every element type, and for all inputs by Z3."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from act.backend.classes import Rule
from act.hlo import Computation, Shape
from act.hlo.arrays import numpy_dtype, round_float
from act.hlo.dtypes import is_float
from act.hlo.evaluate import kernel
from act.hlo.samples import samples
from tests.act.rewrites import symbolic
from tests.act.rewrites.graphs import Extraction, frozen, inputs, proposals

Array = np.ndarray
EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -3.0, 7.25, np.inf, -np.inf, np.nan, 1e30, -1e-30)
FIRST = 8
"""Samples: of the whole range, edges, small ones, and mixtures of these."""


def pairs(rule: Rule, program: Computation) -> Iterator[tuple[Computation, Computation]]:
    """Each node on which the rule says something, and what it says, as computations of the same parameters."""
    graph = frozen(program)
    extraction, parameters = Extraction(graph), inputs(program)
    for _, node, found in proposals(graph, (rule,)):
        yield extraction.of(node, parameters), extraction.of(found, parameters)


def fires(rule: Rule, program: Computation) -> bool:
    return any(True for _ in proposals(frozen(program), (rule,)))


def _edges(shape: Shape, random: np.random.Generator) -> Array:
    with np.errstate(over="ignore"):
        return round_float(random.choice(np.array(EDGES), shape.dims), shape.dtype).astype(numpy_dtype(shape.dtype))


def arguments(program: Computation, count: int, seed: int = 2) -> Iterator[list[Array]]:
    """Floats are edges half of the time, with NaN and infinities among them; small whole numbers where the order of a sum would matter."""
    exact = any(each.opcode in ("dot", "reduce", "convolution", "reduce-window") for each in program)
    random = np.random.default_rng(seed)
    shapes = [each.shape for each in program.parameters if isinstance(each.shape, Shape)]
    stream = samples(shapes, random)
    for number in range(count):
        values = next(stream)
        yield [_float(shape, random, number, exact) if is_float(shape.dtype) else value for shape, value in zip(shapes, values, strict=True)]


def _float(shape: Shape, random: np.random.Generator, number: int, exact: bool) -> Array:
    if exact:
        return round_float(np.asarray(random.integers(-4, 5, shape.dims)), shape.dtype)
    return _edges(shape, random) if number % 2 else round_float(random.normal(size=shape.dims), shape.dtype)


def same(one: Array, other: Array) -> bool:
    """Bit for bit, but for the payload and sign of a NaN."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype.kind != "f":
        return np.array_equal(one, other)
    return np.array_equal(one, other, equal_nan=True) and np.array_equal(np.signbit(one) & ~np.isnan(one), np.signbit(other) & ~np.isnan(other))


def differs(before: Computation, after: Computation, count: int = FIRST) -> bool:
    """Whether the two computations give different values on some of the samples."""
    one, other = kernel(before), kernel(after)
    with np.errstate(all="ignore"):
        return any(not same(np.asarray(one(*values)), np.asarray(other(*values))) for values in arguments(before, count))


def proved(before: Computation, after: Computation) -> bool | None:
    """The answer of Z3, None where it has none or the operators are not those of bit vectors."""
    try:
        return symbolic.equal(before, after)
    except symbolic.NotExpressible:
        return None
