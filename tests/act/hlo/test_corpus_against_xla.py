"""Kernels compute the same on XLA, up to the order of sums of floats: the examples, and others when TENSORLIFT_KERNELS names a folder that has some."""

import os
from pathlib import Path

import numpy as np
import pytest

from act.hlo import flatten, parse_module
from act.hlo.evaluate import evaluate
from act.hlo.samples import samples
from tests.act.hlo import xla

FOLDER = os.environ.get("TENSORLIFT_KERNELS")
TOLERANCES = {"bf16": 2**-6, "f32": 2**-18}
PATHS = sorted((*Path("examples/kernels").glob("*.hlo"), *Path(FOLDER or "/nowhere").rglob("*.hlo")))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_kernel_computes_what_xla_computes(path):
    module = flatten(parse_module(path.read_text(), str(path)))
    reference, tolerance = xla.reference(module), TOLERANCES.get(module.main.result.shape.dtype, 0)
    stream = samples([each.shape for each in module.main.parameters], np.random.default_rng(0))
    for _ in range(3):
        arguments = next(stream)
        np.testing.assert_allclose(evaluate(module, arguments), reference(arguments)[0], rtol=tolerance, atol=tolerance)
