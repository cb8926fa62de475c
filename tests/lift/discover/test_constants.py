"""Registers that turn out to be constants once every instruction was executed with their symbols."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.discover import state
from lift.discover.opcodes import Opcode
from lift.discover.unit import Execution
from lift.unroll import terms
from lift.unroll.extract import Lift
from tests.lift import small

# `spare` is kept by everything, and never written: commands come in IDLE only.
TWO_DEEP = """
    reg [7:0] front, spare;
    always @(posedge clock)
        if (reset) begin front <= 8'd0; spare <= 8'd0; end
        else begin
            if (run) front <= cmd_a[15:8];
            else if (state == BUSY) front <= spare;
            if (run && state == BUSY) spare <= cmd_a[15:8];
        end
"""


class Counted:
    """How often each instruction was executed."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.names: list[str] = []
        execute = state._Search._execute

        def counted(search: state._Search, code: Opcode) -> Execution:
            self.names.append(code.name)
            return execute(search, code)

        patch.setattr(state._Search, "_execute", counted)


def finals(lift: Lift, instruction: str, register: str) -> set[terms.Term]:
    return {path.final.value(register) for path in lift.unit.executions[instruction].paths}


def test_an_execution_whose_ends_alone_mention_a_constant_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch)
    lift = small.machine(TWO_DEEP + small.PIPELINE, tmp_path)
    assert "spare" not in lift.unit.architectural
    assert finals(lift, "run", "front") == {terms.const(0, 8)}
    assert counted.names.count("run") == 1


def test_one_that_writes_it_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(monkeypatch)
    lift = small.machine(TWO_DEEP + small.PIPELINE.replace("{8'd0, twice}", "{spare, twice}"), tmp_path)
    (mode,) = lift.modes["run"]
    assert "spare" not in {a.name for a in mode.functions["mem"].arguments}
    assert counted.names.count("run") == 2
