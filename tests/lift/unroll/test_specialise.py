"""What was computed before a path forked is simplified by the decision."""

from __future__ import annotations

from pathlib import Path

from lift.unroll import terms
from lift.unroll.function import Store
from lift.unroll.paths import statement_terms
from lift.unroll.specialise import decided
from tests.lift import small
from tests.lift.unroll.test_small_designs import replays

# A word is stored that depends on a bit, and then another one if the bit is set; the machine forks on the bit after the first.
LATE = """
    always @(posedge clock) begin
        if (reset) state <= IDLE;
        else case (state)
            IDLE: if (run) state <= BUSY;
            BUSY: state <= step[0] ? LAST : IDLE;
            default: state <= IDLE;
        endcase
    end
    always @(posedge clock) begin
        if (state == BUSY) mem[base] <= step[0] ? 16'd7 : {8'd0, rows};
        if (state == LAST) mem[cols] <= 16'd9;
    end
"""


def test_a_store_before_the_decision_does_not_look_at_it(tmp_path: Path) -> None:
    lift = small.machine(LATE, tmp_path)
    bit = terms.extract(terms.sym("step", 8), 0, 1)
    assert len(lift.modes["run"]) == 2
    for mode in lift.modes["run"]:
        assert bit in [p for p, _ in mode.facts]
        assert bit not in terms.walk(*(t for s in mode.functions["mem"].body for t in statement_terms(s)))
    replays(lift, "run")


def test_a_store_that_the_decision_excludes_is_none(tmp_path: Path) -> None:
    lift = small.machine(LATE.replace("if (state == BUSY) mem", "if (state == BUSY && step[0]) mem"), tmp_path)
    stores = {mode.facts[-1][1]: mode.functions["mem"].body if "mem" in mode.functions else () for mode in lift.modes["run"]}
    assert [type(s) for s in stores[True]] == [Store, Store]
    assert all(s.condition is None for s in stores[True] if isinstance(s, Store))
    assert stores[False] == ()
    replays(lift, "run")


def test_a_comparison_of_bits_is_what_the_decided_one_leaves_of_it() -> None:
    a, b = terms.sym("a", 1), terms.sym("b", 1)
    same = terms.equal(a, b)
    assert decided([(same, True), (a, True)]) == ((b, True), (a, True))
    assert decided([(same, False), (a, True)]) == ((b, False), (a, True))


def test_what_follows_from_decided_bits_is_no_fact() -> None:
    a, b = terms.sym("a", 1), terms.sym("b", 1)
    assert decided([(terms.equal(a, b), False), (a, True), (b, False)]) == ((a, True), (b, False))
