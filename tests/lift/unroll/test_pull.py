"""Pipelines pulled back to the inputs some cycles ago: the functions are those that simulation shows, and say what they assume."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lift.errors import UserError
from lift.ir.build import build
from lift.ir.operations import functions, walk
from lift.passes import PASSES, run_passes
from lift.passes.b3_detect_mac import MAC
from lift.prove import Prover
from lift.unroll import terms
from lift.unroll.function import UpdateFunction
from lift.unroll.past import state_registers
from lift.unroll.pull import pulled, series
from lift.unroll.terms import Term
from tests.lift.unroll.pipelines import BYPASS, COUNTER, DESIGNS, EITHER, MAC_PIPELINE, READ, Reader, past, wide
from tests.lift.unroll.traces import check_by_simulation

# what is pulled


def test_a_value_is_a_function_of_the_inputs_of_its_own_cycle(design: Reader) -> None:
    function = pulled(design(MAC_PIPELINE), ["p"])["p"]
    product = terms.apply("mul", 16, (wide(past("a", 8, 1), 16), wide(past("b", 8, 1), 16)))
    assert function.result is not None and product in set(terms.walk(function.result))


def test_an_accumulator_is_state_and_what_is_added_comes_from_the_past(design: Reader) -> None:
    function = pulled(design(MAC_PIPELINE), ["sum"])["sum"]
    assert function.cycles == 2 and series(function) == {"a": 2, "b": 2, "rst_n": 2, "valid": 2}
    assert [(a.name, a.depth) for a in function.arguments if a.role == "state"] == [("sum", None)]


def test_a_register_that_may_hold_its_value_is_assumed_not_to_have(design: Reader) -> None:
    function = pulled(design(COUNTER), ["row"])["row"]
    assert past("running", 1, 1) in function.assumptions


def test_a_register_set_by_a_state_machine_is_state(design: Reader) -> None:
    netlist = design(COUNTER)
    assert state_registers(netlist) == {"running", "i", "first"}
    function = pulled(netlist, ["row"])["row"]
    assert {a.name: a.depth for a in function.arguments if a.role == "state"}.keys() >= {"first", "i"}


def test_the_reset_is_taken_to_be_inactive(design: Reader) -> None:
    function = pulled(design(MAC_PIPELINE), ["out_valid"])["out_valid"]
    assert function.result is past("valid", 1, 2)
    assert function.assumptions == tuple(past("rst_n", 1, age) for age in (0, 1, 2))


def test_without_a_target_all_outputs_and_all_state_they_need_are_pulled(design: Reader) -> None:
    assert set(pulled(design(COUNTER))) == {"out_valid", "row", "busy", "running", "i", "first"}
    assert set(pulled(design(BYPASS))) == {"written", "sum", "mem"}


def test_a_bypass_compares_what_was_asked_for_in_neighbouring_cycles(design: Reader) -> None:
    function = pulled(design(BYPASS), ["sum"])["sum"]
    assert function.result is not None
    assert terms.equal(past("index", 2, 1), past("index", 2, 2)) in set(terms.walk(function.result))


def test_a_word_read_before_is_assumed_not_to_be_written_since(design: Reader) -> None:
    function = pulled(design(READ), ["out"])["out"]
    written = terms.both(past("we", 1, 1), terms.equal(past("waddr", 6, 1), past("raddr", 6, 1)))
    assert terms.negate(written) in function.assumptions


def test_a_word_beyond_the_memory_is_assumed_not_to_be_read(design: Reader) -> None:
    function = pulled(design(READ), ["out"])["out"]
    assert terms.apply("ult", 1, (past("raddr", 6, 1), terms.const(40, 6))) in function.assumptions


def test_what_cannot_be_assumed_together_is_state(design: Reader) -> None:
    function = pulled(design(EITHER), ["out"])["out"]
    assert not function.assumptions and {a.name for a in function.arguments} == {"a", "b"}


def test_nothing_is_assumed_of_held_values_where_the_function_is_to_be_exact(design: Reader) -> None:
    function = pulled(design(COUNTER), ["row"], exact=True)["row"]
    assert past("running", 1, 1) not in function.assumptions
    assert "row" in {a.name for a in function.arguments if a.role == "state"}


def test_registers_beyond_the_depth_are_state(design: Reader) -> None:
    function = pulled(design(MAC_PIPELINE), ["out_valid"], depth=2)["out_valid"]
    assert function.result is past("valid", 1, 2)
    function = pulled(design(MAC_PIPELINE), ["out_valid"], depth=1)["out_valid"]
    assert function.result is past("v1", 1, 1)


def test_a_name_that_does_not_exist_is_the_users_mistake(design: Reader) -> None:
    with pytest.raises(UserError, match="no output, register, memory or variable 'nowhere'"):
        pulled(design(COUNTER), ["nowhere"])


# whether it is right


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("name", DESIGNS)
def test_functions_are_what_simulation_shows(name: str, exact: bool, design: Reader) -> None:
    netlist = design(DESIGNS[name])
    functions = pulled(netlist, exact=exact) | pulled(netlist, [*netlist.registers, *netlist.memories, *netlist.wires], exact=exact)
    for target, (compared, wrong) in check_by_simulation(netlist, functions, runs=60).items():
        assert compared >= 20 and not wrong, f"{target}: {wrong} of {compared}"


def changed(function: UpdateFunction, before: Term, after: Term) -> UpdateFunction:
    assert function.result is not None and before in set(terms.walk(function.result))
    return replace(function, result=terms.substitute(function.result, {before: after}))


@pytest.mark.parametrize(
    ("name", "target", "before", "after"),
    [
        ("mac", "sum", past("a", 8, 2), past("a", 8, 1)),
        ("mac", "sum", past("a", 8, 2), past("b", 8, 2)),
        ("counter", "row", past("first", 4, 1), past("base", 4, 1)),
        ("bypass", "sum", past("index", 2, 2), past("index", 2, 0)),
        ("read", "out", terms.load("mem", 8, past("raddr", 6, 1)), terms.load("mem", 8, past("raddr", 6, 0))),
    ],
)
def test_a_wrong_function_is_noticed(name: str, target: str, before: Term, after: Term, design: Reader) -> None:
    netlist = design(DESIGNS[name])
    wrong = changed(pulled(netlist, [target])[target], before, after)
    assert check_by_simulation(netlist, {target: wrong}, runs=60)[target][1]


def test_a_function_without_its_assumption_is_noticed(design: Reader) -> None:
    netlist = design(READ)
    wrong = replace(pulled(netlist, ["out"])["out"], assumptions=())
    assert check_by_simulation(netlist, {"out": wrong}, runs=200)["out"][1]


# what the passes make of it


def test_the_passes_find_the_multiply_accumulate(design: Reader) -> None:
    module = build(pulled(design(MAC_PIPELINE), ["sum"])["sum"])
    reports = run_passes(module, [each() for each in PASSES], Prover())
    assert not any(r.unknown or r.refuted for r in reports)
    assert any(MAC in op.attributes for f in functions(module) for op in walk(f.body.block))
