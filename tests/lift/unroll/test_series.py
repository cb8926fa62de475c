"""Transaction functions over arrays, and one mode at a time."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from lift.ir.build import build
from lift.unroll import terms
from lift.unroll.function import Store
from lift.unroll.past import AGE_BITS
from lift.unroll.paths import NotLifted
from lift.unroll.pull import assuming, modes, pulled
from lift.unroll.series import gathered, groups
from tests.lift.unroll.pipelines import ALU, BYPASS, COUNTER, ROW, Reader, past
from tests.lift.unroll.traces import Moment, check_by_simulation, simulated


def test_numbered_ports_and_registers_are_arrays(design: Reader) -> None:
    found = groups(design(ROW))
    assert {name: g.shape for name, g in found.items()} == dict.fromkeys(("valid", "w", "out", "lane.v1", "lane.p", "lane.sum"), (2,))
    assert found["lane.sum"].members == ("lane_0.sum", "lane_1.sum")


def test_names_that_leave_gaps_are_no_array(design: Reader) -> None:
    assert "w" not in groups(design(ROW.replace("w_1", "w_2")))


def test_all_elements_are_one_function_with_a_store_each(design: Reader) -> None:
    netlist = design(ROW)
    function = gathered(netlist, pulled(netlist))["lane.sum"]
    arrays = {a.name: (a.depth, a.role) for a in function.arguments}
    assert arrays == {"valid": (4, "input"), "w": (4, "input"), "x": (2, "input"), "lane.sum": (2, "array")}
    assert [s.address.attr for s in function.body if isinstance(s, Store)] == [0, 1]
    assert terms.load("w", 8, terms.const(3, AGE_BITS)) in set(terms.walk(*(s.data for s in function.body if isinstance(s, Store))))


def test_functions_over_arrays_are_what_simulation_shows(design: Reader) -> None:
    netlist = design(ROW)
    for target, (compared, wrong) in check_by_simulation(netlist, gathered(netlist, pulled(netlist)), runs=60).items():
        assert compared >= 20 and not wrong, f"{target}: {wrong} of {compared}"


SKEWED = """
module Pipeline(input clock, input reset, input [3:0] x, output reg [7:0] c_0, output reg [7:0] c_1);
    reg [3:0] step, late;
    always @(posedge clock) begin
        if (reset) step <= 4'd0; else step <= step + x;
        late <= step;
        c_0 <= c_0 + step;
        c_1 <= c_1 + late;
    end
endmodule
"""


def test_a_register_that_one_element_reads_now_and_another_in_the_past_is_one_series(design: Reader) -> None:
    netlist = design(SKEWED)
    functions = gathered(netlist, pulled(netlist))
    assert {a.name: a.depth for a in functions["c"].arguments} == {"c": 2, "step": 2}
    build(functions["c"])
    compared, wrong = check_by_simulation(netlist, {"c": functions["c"]}, runs=40)["c"]
    assert compared >= 20 and not wrong


def test_a_mistaken_element_is_noticed(design: Reader) -> None:
    netlist = design(ROW)
    function = gathered(netlist, pulled(netlist))["lane.sum"]
    first, second = function.body
    assert isinstance(first, Store) and isinstance(second, Store)
    crossed = replace(function, body=(replace(first, data=second.data), replace(second, data=first.data)))
    assert check_by_simulation(netlist, {"lane.sum": crossed}, runs=20)["lane.sum"][1]


def test_a_mode_is_the_function_where_a_condition_holds_too(design: Reader) -> None:
    netlist = design(BYPASS)
    function, same = pulled(netlist, ["sum"])["sum"], terms.equal(past("index", 2, 1), past("index", 2, 2))
    near = assuming(netlist, function, same)
    assert near.result is terms.apply("add", 8, (terms.sym("sum", 8), past("x", 8, 1)))
    assert same in near.assumptions and "mem" not in {a.name for a in near.arguments}


def test_control_splits_a_function_into_modes_and_data_does_not(design: Reader) -> None:
    netlist = design(ALU)
    found = {m.result for m in modes(netlist, pulled(netlist, ["out"])["out"])}
    a, operands = past("a", 8, 1), (past("b", 8, 1), past("x", 8, 0))
    sums = {terms.apply("add", 8, (a, c)) for c in operands}
    larger = {terms.mux(terms.apply("ult", 1, (a, c)), c, a) for c in operands}
    assert found == {terms.const(0, 8)} | sums | larger


def test_in_each_cycle_one_mode_holds_and_is_right(design: Reader) -> None:
    netlist = design(ALU)
    split, rng = modes(netlist, pulled(netlist, ["out"])["out"]), random.Random(1)
    for _ in range(40):
        moment = Moment(simulated(netlist, rng, 3), 1)
        holding = [m for m in split if moment.satisfies(m)]
        assert len(holding) == 1 and moment.agrees(holding[0])


def test_there_are_not_more_modes_than_asked_for(design: Reader) -> None:
    netlist = design(ALU)
    assert len(modes(netlist, pulled(netlist, ["out"])["out"], limit=2)) == 2


def test_a_mode_that_cannot_be_is_refused(design: Reader) -> None:
    netlist = design(COUNTER)
    with pytest.raises(NotLifted, match="cannot be"):
        assuming(netlist, pulled(netlist, ["row"])["row"], terms.negate(past("running", 1, 1)))
