"""Runs HLO text on XLA's CPU: the second implementation that the evaluator is compared with."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from act.hlo import Module, Shape, print_module

# Every operator rounds, and NaN goes through maximum and minimum, as HLO says; by default XLA's CPU is laxer.
os.environ.setdefault("XLA_FLAGS", "--xla_allow_excess_precision=false --xla_cpu_enable_fast_min_max=false")
jax = pytest.importorskip("jax", reason="jax is not installed: the evaluator is not compared with XLA")
jax.config.update("jax_enable_x64", True)

import ml_dtypes  # noqa: E402
from jaxlib import xla_client  # noqa: E402
from jaxlib.xla_client import hlo  # noqa: E402

SMALL = {"bf16": ml_dtypes.bfloat16, "s4": ml_dtypes.int4, "u4": ml_dtypes.uint4}
"""Element types that numpy does not have; the evaluator keeps them in wider ones."""


def compiled(text: str) -> Callable[[list[Any]], list[np.ndarray]]:
    """A function to all outputs of the entry; the arguments must have the types of its parameters."""
    module = hlo.hlo_module_from_text(text)
    stable = xla_client._xla.mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
    device = jax.devices("cpu")[0]
    executable = device.client.compile_and_load(stable, xla_client.DeviceList((device,)))

    def run(arguments: list[Any]) -> list[np.ndarray]:
        results = executable.execute_sharded([jax.device_put(argument) for argument in arguments])
        return [np.asarray(each[0]) for each in results.disassemble_into_single_device_arrays()]

    return run


def reference(module: Module) -> Callable[[list[Any]], list[np.ndarray]]:
    """Like `compiled`, with arguments and results as the evaluator has them."""
    shapes = [each.shape for each in module.main.parameters]
    run = compiled(print_module(module))

    def call(arguments: list[Any]) -> list[np.ndarray]:
        given = [np.asarray(each).astype(SMALL[shape.dtype]) if _small(shape) else each for each, shape in zip(arguments, shapes, strict=True)]
        return [_widened(each) for each in run(given)]

    return call


def _small(shape: Any) -> bool:
    return isinstance(shape, Shape) and shape.dtype in SMALL


def _widened(array: np.ndarray) -> np.ndarray:
    for small, wide in ((ml_dtypes.bfloat16, np.float32), (ml_dtypes.int4, np.int8), (ml_dtypes.uint4, np.uint8)):
        if array.dtype == small:
            return array.astype(wide)
    return array
