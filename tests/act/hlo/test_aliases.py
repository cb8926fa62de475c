"""Outputs that take over the memory of parameters, as the header of a module says."""

import pytest

from act.backend.compile import compile_module
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module, print_module
from act.hlo.model import Alias
from tests.act.backend.backends import systolic

TEXT = """HloModule sums, input_output_alias=ALIASES

ENTRY main {
  a = s32[16,16] parameter(0)
  b = s32[16,16] parameter(1)
  c = s8[16,16] parameter(2)
  ROOT s = s32[16,16] add(a, b)
}
"""


def module(aliases: str):
    return parse_module(TEXT.replace("ALIASES", aliases))


def test_aliases_are_read_and_printed():
    found = module("{ {}: (1, {}, must-alias) }")
    assert found.aliases == (Alias(0, 1, True),)
    assert parse_module(print_module(found)).aliases == found.aliases
    assert module("{ {0}: (0, {}) }").aliases == (Alias(0, 0, False),)


@pytest.mark.parametrize("kind", ["must", "may"])
def test_an_output_takes_over_the_memory_of_an_input(kind):
    kernel = module(f"{{ {{}}: (1, {{}}, {kind}-alias) }}")
    program = compile_module(systolic(), kernel).program
    places = {region.name: region.address for region in program.regions}
    assert places["out0"] == places["b"] != places["a"]
    assert disagreement(systolic().accelerator, kernel, program, seed=1, rounds=1) is None


def test_memory_that_must_be_shared_and_cannot_is_refused():
    with pytest.raises(UserError, match="256 bytes, and the output 1024"):
        compile_module(systolic(), module("{ {}: (2, {}, must-alias) }"))


def test_memory_that_may_be_shared_and_cannot_is_not():
    program = compile_module(systolic(), module("{ {}: (2, {}, may-alias) }")).program
    places = {region.name: region.address for region in program.regions}
    assert places["out0"] != places["c"]


@pytest.mark.parametrize("kind", ["must", "may"])
@pytest.mark.parametrize("alias", ["{}: (7, {}, ", "{1}: (0, {}, "])
def test_an_output_or_parameter_that_does_not_exist_is_refused(alias, kind):
    with pytest.raises(UserError, match=r"1:38: .*'main' has 1 outputs and 3 parameters, found output"):
        module(f"{{ {alias}{kind}-alias) }}")


def test_an_unknown_kind_of_alias_is_refused():
    with pytest.raises(UserError, match="expected may-alias or must-alias, found 'never-alias'"):
        module("{ {}: (1, {}, never-alias) }")


def test_tuples_in_tuples_are_refused():
    with pytest.raises(UserError, match="tuple"):
        module("{ {}: (1, {0}, must-alias) }")
