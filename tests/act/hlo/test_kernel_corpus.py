"""Kernels from elsewhere, when TENSORLIFT_KERNELS names a folder that has some."""

import os
from pathlib import Path

import numpy as np
import pytest

from act.hlo import flatten, parse_module, print_module
from act.hlo.evaluate import evaluate
from act.hlo.samples import samples

FOLDER = os.environ.get("TENSORLIFT_KERNELS")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TENSORLIFT_KERNELS names no folder of .hlo files")


@pytest.mark.parametrize("path", sorted(Path(FOLDER or "/nowhere").rglob("*.hlo")), ids=lambda path: path.stem)
def test_a_kernel_parses_prints_and_computes_the_same_flattened(path):
    module = parse_module(path.read_text(), str(path))
    assert parse_module(print_module(module)) == module
    arguments = next(samples([each.shape for each in module.main.parameters], np.random.default_rng(0)))
    np.testing.assert_array_equal(evaluate(flatten(module), arguments), evaluate(module, arguments))
