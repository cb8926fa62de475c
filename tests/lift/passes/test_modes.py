"""Which modes `taidl.specialize` and the options of B4 name, and what is said of those that cannot be."""

from __future__ import annotations

import pytest
from xdsl.dialects import func
from xdsl.parser import Parser

from lift.errors import UserError
from lift.ir.operations import context, functions
from lift.passes.modes import mode_name, modes


def function(attribute: str = "") -> func.FuncOp:
    given = f" attributes {{taidl.specialize = {attribute}}}" if attribute else ""
    text = f"""func.func @f(%x: i8, %a: i2 {{rtl.name = "cmd.act"}}, %d: i1 {{rtl.name = "dataflow"}}, %w: i12, %m: memref<4xi8>){given} {{ func.return }}"""
    (found,) = functions(Parser(context(), text).parse_module())
    return found


@pytest.mark.parametrize(
    ("attribute", "found", "named"),
    [
        ("", [{}], False),
        ("{dataflow = 1}", [{"dataflow": 1}], False),
        ("{dataflow = -1}", [{"dataflow": -1}], False),
        ("[{dataflow = 1}]", [{"dataflow": 1}], True),
        ("{dataflow = [0, 1], x = 3}", [{"dataflow": 0, "x": 3}, {"dataflow": 1, "x": 3}], True),
        ("[{dataflow = 0}, {x = [1, 2]}]", [{"dataflow": 0}, {"x": 1}, {"x": 2}], True),
    ],
)
def test_the_attribute_names_modes(attribute: str, found: list[dict[str, int]], named: bool) -> None:
    assert modes(function(attribute), (), ()) == (found, named)


def test_options_and_attribute_are_combined() -> None:
    found, named = modes(function("{dataflow = [0, 1]}"), ("x=7", "nothing=1"), ("cmd.act", "nobody"))
    assert named and len(found) == 8
    assert found[3] == {"x": 7, "cmd.act": 1, "dataflow": 1}


def test_several_values_of_one_name_are_several_modes() -> None:
    assert modes(function(), ("x=1", "x=0x10"), ()) == ([{"x": 1}, {"x": 16}], True)


def test_a_mode_is_named_by_all_its_values() -> None:
    assert mode_name({"cmd.act": 2, "dataflow": 1}) == "cmd_act_2__dataflow_1"


@pytest.mark.parametrize(
    ("attribute", "fixed", "each", "message"),
    [
        ("{act = 1}", (), (), "taidl.specialize names 'act', which is no scalar argument"),
        ("{m = 1}", (), (), "taidl.specialize names 'm', which is no scalar argument"),
        ("{cmd.act = 4}", (), (), "cmd.act = 4 does not fit its 2 bits"),
        ("3", (), (), "neither a dictionary nor a list of dictionaries"),
        ('{x = "one"}', (), (), "gives 'x' what is no integer"),
        ("", ("x=256",), (), "x = 256 does not fit its 8 bits"),
        ("", ("x",), (), "expected NAME=VALUE in `set`, found 'x'"),
        ("", (), ("w",), "more than 256 modes"),
        ("", (), ("x", "dataflow"), "more than 256 modes"),
    ],
)
def test_what_is_no_mode_is_an_error_of_the_user(attribute: str, fixed: tuple[str, ...], each: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError) as error:
        modes(function(attribute), fixed, each)
    assert message in str(error.value)
