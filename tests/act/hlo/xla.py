"""Runs HLO text on XLA's CPU: the second implementation that the evaluator is compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="jax is not installed: the evaluator is not compared with XLA")
jax.config.update("jax_enable_x64", True)

from jaxlib import xla_client  # noqa: E402
from jaxlib.xla_client import hlo  # noqa: E402


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
