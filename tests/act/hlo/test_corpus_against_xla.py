"""Kernels from elsewhere compute the same on XLA, when TENSORLIFT_KERNELS names a folder that has some."""

import os
from pathlib import Path

import numpy as np
import pytest

from act.hlo import flatten, parse_module, print_module
from act.hlo.evaluate import evaluate
from act.hlo.samples import samples
from tests.act.hlo import xla

FOLDER = os.environ.get("TENSORLIFT_KERNELS")
PATHS = sorted((*Path("examples/kernels").glob("*.hlo"), *Path(FOLDER or "/nowhere").rglob("*.hlo")))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_kernel_computes_what_xla_computes(path):
    module = flatten(parse_module(path.read_text(), str(path)))
    if any("bf16" in str(each.shape) for each in module.main):
        pytest.skip("bf16 is in float32 here")
    reference = xla.compiled(print_module(module))
    stream = samples([each.shape for each in module.main.parameters], np.random.default_rng(0))
    for _ in range(3):
        arguments = next(stream)
        np.testing.assert_array_equal(evaluate(module, arguments), reference(arguments)[0])
