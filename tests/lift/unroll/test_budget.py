"""Executions are given up after so many steps, at the same place each time, and say so."""

from __future__ import annotations

from pathlib import Path

import pytest
import z3

from lift.discover.bursts import single_beats
from lift.discover.commands import decoder
from lift.discover.contract import discover
from lift.discover.recorders import recorded
from lift.discover.state import find
from lift.discover.unit import Unit
from lift.unroll import budget, solver, terms
from lift.unroll.extract import Lift
from lift.unroll.forget import forgetting
from lift.unroll.machine import Machine, with_deep_recursion
from lift.unroll.paths import TooMuch
from lift.verilog import read
from tests.lift import small
from tests.lift.lifted import RTL
from tests.rtl.vta_model import SMALL

TOGGLES = """
    always @(posedge clock) begin
        if (reset) state <= IDLE;
        else case (state)
            IDLE: if (run) state <= BUSY;
            BUSY: state <= LAST;
            default: state <= BUSY;
        endcase
    end
"""


def fill(folder: Path) -> Lift:
    return small.machine(small.FILL, folder)


def reasons(lift: Lift) -> dict[str, str | None]:
    return {name: e.opaque for name, e in lift.unit.executions.items()}


def given(monkeypatch: pytest.MonkeyPatch, instruction: int, unit: int) -> None:
    monkeypatch.setattr(budget, "STEPS_A_REGISTER", 0)
    monkeypatch.setattr(budget, "INSTRUCTION_STEPS", instruction)
    monkeypatch.setattr(budget, "UNIT_STEPS", unit)


def test_an_instruction_that_takes_too_many_steps_is_opaque(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, 2_000, 1_000_000)
    found = reasons(fill(tmp_path))
    assert found["run"] == "more than 2000 steps of one execution"
    assert found["set"] is None


def test_the_steps_of_all_instructions_count_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, 1_000_000, 1_000)
    assert "more than 1000 steps of the unit" in reasons(fill(tmp_path)).values()


def test_the_same_steps_are_counted_each_time(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = (small.machine(small.NEST, tmp_path / name) for name in "ab")
    assert {n: e.steps for n, e in first.unit.executions.items()} == {n: e.steps for n, e in second.unit.executions.items()}


def test_a_machine_that_goes_round_for_ever_is_found_after_a_few_cycles(tmp_path: Path) -> None:
    lift = small.machine(TOGGLES, tmp_path)
    assert lift.unit.executions["run"].opaque == "it does not come to rest: after 4 cycles it is where it was after 2"


def cost(condition: terms.Term) -> int:
    before = solver.effort()
    solver.satisfiable([condition])
    return solver.effort() - before


def test_hard_questions_cost_more_than_easy_ones_and_the_same_each_time() -> None:
    a, b = terms.sym("budget.a", 14), terms.sym("budget.b", 14)
    wide = [terms.apply("zext", 28, (each,)) for each in (a, b)]
    product = terms.equal(terms.apply("mul", 28, tuple(wide)), terms.const(16381 * 16369, 28))
    hard = terms.both(product, terms.apply("ult", 1, (a, b)))
    easy = terms.equal(a, terms.const(3, 14))
    assert cost(easy) < cost(hard) == cost(hard)


def test_what_others_ask_of_z3_is_not_counted() -> None:
    c = terms.sym("budget.c", 14)
    first = cost(terms.equal(c, terms.const(3, 14)))
    x, y = z3.BitVecs("x y", 20)
    z3.solve_using(z3.Solver(), x * y == 1048573, z3.ULT(1, x), z3.ULT(1, y), show=False)
    assert abs(cost(terms.equal(c, terms.const(4, 14))) - first) <= 5


def micro_coded() -> Unit:
    """rtl/vta with small blocks, executed."""
    netlist = read([RTL.parent / "vta"], "VTA", parameters=SMALL.parameters(), assertions=True)
    contract = discover(netlist)
    assert contract.command is not None
    decoded = decoder(netlist, contract.command)
    assert decoded is not None
    return find(Machine(recorded(single_beats(netlist, contract), contract)), contract, decoded)


@pytest.mark.parametrize("design", ["systolic", "micro-coded"])
def test_designs_in_the_tree_use_less_than_a_third_of_the_budget(design: str, request: pytest.FixtureRequest) -> None:
    unit = request.getfixturevalue("gemmini").unit if design == "systolic" else with_deep_recursion(micro_coded)
    assert unit.steps * 3 < budget.of_unit(unit.machine).limit
    assert max(e.steps for e in unit.executions.values()) * 3 < budget.of_instruction(unit.machine).limit


def test_an_instruction_that_takes_too_much_leaves_steps_for_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = fill(tmp_path).unit.machine
    given(monkeypatch, 1_000, 1_200)
    unit = budget.of_unit(machine)
    first = budget.of_instruction(machine, unit)
    first.piece()
    with pytest.raises(TooMuch, match="more than 600 steps of one execution"):
        first.piece()
    assert unit.left
    assert budget.of_instruction(machine, unit).limit == unit.left // 2


def test_units_of_one_design_share_what_one_may_take(tmp_path: Path) -> None:
    machine = fill(tmp_path).unit.machine
    assert budget.of_unit(machine, 4).limit == budget.of_unit(machine).limit // 4


# With cmd_a[8], each of 30 bits is a decision; without it, one word is written.
WALK_OR_WRITE = """
    reg [31:0] left;
    always @(posedge clock) begin
        if (reset) begin state <= IDLE; i <= 8'd0; j <= 8'd0; end
        else case (state)
            IDLE: if (run) begin state <= cmd_a[8] ? BUSY : LAST; left <= cmd_b; end
            BUSY: begin
                left <= left >> 1;
                i <= i == 8'd30 ? 8'd0 : i + 8'd1;
                j <= i == 8'd30 ? 8'd0 : left[0] ? j + 8'd3 : j + 8'd1;
                if (i == 8'd30) state <= IDLE;
            end
            default: state <= IDLE;
        endcase
    end
    always @(posedge clock) if (state != IDLE) mem[base] <= {8'd0, j};
"""


def test_a_branch_that_takes_too_many_steps_does_not_take_those_of_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, 20_000, 1_000_000)
    execution = small.machine(WALK_OR_WRITE, tmp_path).unit.executions["run"]
    assert execution.opaque is None
    assert [reason.endswith("steps of one branch") for _, reason in execution.excluded] == [True]
    assert len(execution.paths) == 1


def test_terms_of_a_unit_are_forgotten_and_those_before_stay() -> None:
    kept = terms.equal(terms.sym("budget.before", 8), terms.const(3, 8))
    size = terms.size()
    with forgetting():
        made = terms.equal(terms.sym("budget.inside", 8), terms.const(3, 8))
        assert solver.satisfiable([made, kept])
    assert terms.size() == size
    assert terms.equal(terms.sym("budget.before", 8), terms.const(3, 8)) is kept
    assert solver.satisfiable([kept])


def test_what_is_remembered_is_bounded_and_makes_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [tmp_path / name for name in ("whole", "little")]
    for folder in folders:
        folder.mkdir()
    whole = small.machine(small.NEST, folders[0]).unit
    monkeypatch.setattr("lift.unroll.machine.MAX_REMEMBERED", 60)
    little = small.machine(small.NEST, folders[1]).unit
    kept = [sum(len(plan.known) for plan in unit.machine._plans.values() if plan is not None) for unit in (whole, little)]
    assert kept[1] < 10 < kept[0]
    paths = [[(p.facts, p.statements) for e in unit.executions.values() for p in e.paths] for unit in (whole, little)]
    assert paths[0] == paths[1]
