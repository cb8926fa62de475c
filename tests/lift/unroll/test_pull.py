"""Pipelines pulled back to the inputs some cycles ago: the functions are those that simulation shows, and say what they assume."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lift.errors import UserError
from lift.ir.build import build
from lift.ir.operations import functions, walk
from lift.netlist.model import Netlist
from lift.passes import PASSES, run_passes
from lift.passes.b3_detect_mac import MAC
from lift.prove import Prover
from lift.unroll import terms
from lift.unroll.function import Store, UpdateFunction
from lift.unroll.past import AGE_BITS, state_registers
from lift.unroll.paths import NotLifted
from lift.unroll.pull import assuming, pulled, series
from lift.unroll.series import gathered, groups
from lift.unroll.terms import Term
from lift.verilog import read
from tests.lift.unroll.traces import check_by_simulation

# Operands, then their product, then what is added up: three cycles, a valid bit beside the data, a low-active reset.
MAC_PIPELINE = """
module Pipeline (input clock, input rst_n, input valid, input signed [7:0] a, input signed [7:0] b, output reg out_valid, output reg signed [19:0] sum);
    reg v1, v2;
    reg signed [7:0] a1, b1;
    reg signed [15:0] p;
    always @(posedge clock) begin
        if (!rst_n) begin v1 <= 1'b0; v2 <= 1'b0; out_valid <= 1'b0; end
        else begin v1 <= valid; v2 <= v1; out_valid <= v2; end
        if (valid) begin a1 <= a; b1 <= b; end
        if (v1) p <= a1 * b1;
        if (!rst_n) sum <= 20'd0;
        else if (v2) sum <= sum + p;
    end
endmodule
"""

# A state machine captures a command; while it runs, a counter names the rows that leave two cycles later.
COUNTER = """
module Pipeline (input clock, input reset, input start, input [3:0] base, input [3:0] last, output reg out_valid, output reg [3:0] row, output busy);
    reg running, v1;
    reg [3:0] i, first, r1;
    assign busy = running;
    always @(posedge clock) begin
        if (reset) begin running <= 1'b0; v1 <= 1'b0; out_valid <= 1'b0; i <= 4'd0; end
        else begin
            v1 <= running;
            out_valid <= v1;
            if (!running) begin running <= start; i <= 4'd0; end
            else begin i <= i + 4'd1; if (i == last) running <= 1'b0; end
        end
        if (!running && start) first <= base;
        if (running) r1 <= first + i;
        if (v1) row <= r1;
    end
endmodule
"""

# Rows are read, added to and written back two cycles later; what was just written is taken from beside the memory.
BYPASS = """
module Pipeline (input clock, input reset, input valid, input [1:0] index, input [7:0] x, output [7:0] written);
    reg v1, v2;
    reg [1:0] index1, index2;
    reg [7:0] word, x1, sum, before;
    reg [7:0] mem [0:3];
    assign written = sum;
    wire [7:0] present = (index1 == index2) ? sum : word;
    always @(posedge clock) begin
        if (reset) begin v1 <= 1'b0; v2 <= 1'b0; end
        else begin v1 <= valid; v2 <= v1; end
        index1 <= index; index2 <= index1; x1 <= x;
        word <= mem[index];
        sum <= present + x1;
        if (v2) mem[index2] <= sum;
    end
endmodule
"""

# A synchronous memory: what was read may have been written to since.
READ = """
module Pipeline (input clock, input reset, input we, input [5:0] waddr, input [7:0] data, input [5:0] raddr, output reg [7:0] out);
    reg [7:0] mem [0:39];
    reg [7:0] word;
    always @(posedge clock) begin
        if (we) mem[waddr] <= data;
        word <= mem[raddr];
        out <= word;
    end
endmodule
"""

# Two registers that never take a value in the same cycle.
EITHER = """
module Pipeline (input clock, input which, input [7:0] x, output [7:0] out);
    reg [7:0] a, b;
    assign out = a ^ b;
    always @(posedge clock) begin if (which) a <= x; else b <= x; end
endmodule
"""
# A row of multipliers with numbered ports, and sums that stay.
ROW = """
module Lane (input clock, input valid, input [7:0] x, input [7:0] w, output reg [15:0] sum);
    reg v1;
    reg [15:0] p;
    always @(posedge clock) begin
        v1 <= valid;
        p <= x * w;
        if (v1) sum <= sum + p;
    end
endmodule
module Pipeline (input clock, input valid_0, input valid_1, input [7:0] x, input [7:0] w_0, input [7:0] w_1, output [15:0] out_0, output [15:0] out_1);
    Lane lane_0(clock, valid_0, x, w_0, out_0);
    Lane lane_1(clock, valid_1, x, w_1, out_1);
endmodule
"""
DESIGNS = {"mac": MAC_PIPELINE, "counter": COUNTER, "bypass": BYPASS, "read": READ, "either": EITHER, "row": ROW}
Reader = Callable[[str], Netlist]


@pytest.fixture
def design(tmp_path: Path) -> Reader:
    def reader(text: str) -> Netlist:
        file = tmp_path / "pipeline.v"
        file.write_text(text)
        return read([file], "Pipeline")

    return reader


def past(name: str, width: int, age: int) -> Term:
    return terms.load(name, width, terms.const(age, AGE_BITS))


def wide(term: Term, width: int) -> Term:
    return terms.apply("sext", width, (term,))


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


def test_a_mode_is_the_function_where_a_condition_holds_too(design: Reader) -> None:
    netlist = design(BYPASS)
    function, same = pulled(netlist, ["sum"])["sum"], terms.equal(past("index", 2, 1), past("index", 2, 2))
    near = assuming(netlist, function, same)
    assert near.result is terms.apply("add", 8, (terms.sym("sum", 8), past("x", 8, 1)))
    assert same in near.assumptions and "mem" not in {a.name for a in near.arguments}


def test_a_mode_that_cannot_be_is_refused(design: Reader) -> None:
    netlist = design(COUNTER)
    with pytest.raises(NotLifted, match="cannot be"):
        assuming(netlist, pulled(netlist, ["row"])["row"], terms.negate(past("running", 1, 1)))


# arrays


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


def test_a_mistaken_element_is_noticed(design: Reader) -> None:
    netlist = design(ROW)
    function = gathered(netlist, pulled(netlist))["lane.sum"]
    first, second = function.body
    assert isinstance(first, Store) and isinstance(second, Store)
    crossed = replace(function, body=(replace(first, data=second.data), replace(second, data=first.data)))
    assert check_by_simulation(netlist, {"lane.sum": crossed}, runs=20)["lane.sum"][1]


# what the passes make of it


def test_the_passes_find_the_multiply_accumulate(design: Reader) -> None:
    module = build(pulled(design(MAC_PIPELINE), ["sum"])["sum"])
    reports = run_passes(module, [each() for each in PASSES], Prover())
    assert not any(r.unknown or r.refuted for r in reports)
    assert any(MAC in op.attributes for f in functions(module) for op in walk(f.body.block))
