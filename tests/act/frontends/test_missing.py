"""Without jax the frontends say what to install."""

import sys

import pytest

from act.errors import UserError
from act.frontends.jax import module_from_function
from act.frontends.stablehlo import module_from_stablehlo


def test_a_function_needs_jax(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(UserError, match=r"jax is not installed(.|\n)*tensorlift\[jax\]"):
        module_from_function(lambda x: x, 1)


def test_stablehlo_needs_jaxlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "jaxlib.xla_client", None)
    with pytest.raises(UserError, match=r"not installed(.|\n)*tensorlift\[jax\]"):
        module_from_stablehlo("module {}")
