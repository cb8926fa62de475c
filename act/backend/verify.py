"""A program against the HLO module it was compiled from: both run on the same inputs, on the oracle and in the reference evaluator.

This is for `--check` and for tests; it needs numpy, which compilation does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from act.backend.analysis import type_of
from act.hlo.arrays import numpy_dtype
from act.hlo.dtypes import integer_range, is_float
from act.hlo.evaluate import evaluate
from act.hlo.model import Module, Shape
from act.oracle import Machine
from act.program import Program
from act.records import dataclass
from act.taidl.model import Accelerator

Array = NDArray[Any]
LIMIT = 4
"""How many elements of a difference are shown."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The first output that differs, on the inputs described by `case`."""

    case: str
    output: str
    detail: str

    def __str__(self) -> str:
        return f"on inputs '{self.case}' {self.output} differs from the reference: {self.detail}"


def inputs(module: Module, seed: int, rounds: int = 2) -> Iterator[tuple[str, dict[str, Array]]]:
    """Named cases: all least, all greatest, alternating extremes, zeros and ones, small values, and random ones over the whole type."""
    random = np.random.default_rng(seed)
    makers = {
        "least": lambda shape: np.full(shape.dims, _limits(shape)[0]),
        "greatest": lambda shape: np.full(shape.dims, _limits(shape)[1]),
        "extremes": lambda shape: random.choice(np.array(_limits(shape)), shape.dims),
        "ones": lambda shape: random.integers(0, 2, shape.dims),
        "small": lambda shape: random.integers(max(-4, _limits(shape)[0]), min(4, _limits(shape)[1]), shape.dims, endpoint=True),
    }
    makers |= {f"random {number}": lambda shape: _random(random, shape) for number in range(rounds)}
    for case, make in makers.items():
        yield case, {each.name: np.asarray(make(type_of(each))).astype(numpy_dtype(type_of(each).dtype)) for each in module.main.parameters}


def _limits(shape: Shape) -> tuple[Any, Any]:
    if is_float(shape.dtype):
        return -1.0, 1.0
    return integer_range(shape.dtype)


def _random(random: np.random.Generator, shape: Shape) -> Array:
    if is_float(shape.dtype):
        return random.standard_normal(shape.dims)
    low, high = integer_range(shape.dtype)
    return random.integers(low, high, shape.dims, dtype=numpy_dtype(shape.dtype) if shape.dtype != "pred" else np.int8, endpoint=True)


def disagreement(accelerator: Accelerator, module: Module, program: Program, seed: int = 0, rounds: int = 2) -> Disagreement | None:
    """None when the outputs are equal bit for bit on all cases."""
    for case, values in inputs(module, seed, rounds):
        expected = evaluate(module, list(values.values()))
        references = expected if isinstance(expected, tuple) else (expected,)
        machine = Machine(accelerator, seed=seed)
        machine.disturb()
        found = machine.run(program, values)
        for number, reference in enumerate(references):
            name = f"out{number}"
            if found[name].tobytes() != np.ascontiguousarray(reference).astype(found[name].dtype).tobytes():
                return Disagreement(case, name, _difference(found[name], np.asarray(reference)))
    return None


def _difference(found: Array, reference: Array) -> str:
    places = np.argwhere(found != reference)
    shown = [f"[{','.join(map(str, place))}] is {found[tuple(place)]}, expected {reference[tuple(place)]}" for place in places[:LIMIT]]
    return f"{len(places)} of {found.size} elements; " + "; ".join(shown)
