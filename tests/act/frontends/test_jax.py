"""JAX functions and StableHLO become modules that compute what the function computes."""

import numpy as np
import pytest

from act.errors import UserError
from act.frontends.jax import module_from_function
from act.frontends.stablehlo import module_from_stablehlo
from act.hlo import flatten, parse_module, print_module
from act.hlo.evaluate import evaluate

jax = pytest.importorskip("jax", reason="jax is not installed: the frontends are not tried")
from jaxlib import xla_client  # noqa: E402

from tests.act.frontends.models import MODELS  # noqa: E402

each_model = pytest.mark.parametrize(("function", "arguments"), MODELS, ids=[function.__name__ for function, _ in MODELS])


def agree(module, function, arguments):
    found, expected = evaluate(module, arguments), jax.tree.leaves(function(*arguments))
    for mine, theirs in zip(found if isinstance(found, tuple) else (found,), expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-5)


@each_model
def test_a_function_becomes_a_module_that_computes_the_same(function, arguments):
    module = module_from_function(function, *arguments)
    agree(module, function, arguments)
    agree(flatten(module), function, arguments)
    assert parse_module(print_module(module)) == module


@each_model
def test_stablehlo_becomes_a_module_that_computes_the_same(function, arguments):
    agree(module_from_stablehlo(jax.jit(function).lower(*arguments).as_text()), function, arguments)


@each_model
def test_optimised_text_with_layouts_and_fusions_is_read(function, arguments):
    options = xla_client.hlo.HloPrintOptions()
    options.print_large_constants = True
    text = jax.jit(function).lower(*arguments).compile().runtime_executable().hlo_modules()[0].to_string(options)
    if "custom-call" in text:
        pytest.skip("XLA calls a library here")
    agree(parse_module(text), function, arguments)


def test_parameters_have_the_names_of_the_arguments():
    def function(left, right, unused):
        return left @ right

    shapes = [jax.ShapeDtypeStruct((4, 4), np.float32)] * 3
    assert [each.name for each in module_from_function(function, *shapes).main.parameters] == ["left", "right", "unused"]


def test_what_act_has_no_operator_for_is_refused_by_name():
    with pytest.raises(UserError, match="operator 'sort' is not supported"):
        module_from_function(jax.numpy.sort, np.zeros(8, np.float32))


def test_what_is_no_stablehlo_is_refused():
    with pytest.raises(UserError, match="no StableHLO that XLA reads"):
        module_from_stablehlo("module { nonsense }", "kernel.mlir")
