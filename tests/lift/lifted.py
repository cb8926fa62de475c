"""Verilog files to their lift, for tests."""

from __future__ import annotations

from pathlib import Path

from lift.discover.commands import decoder, only
from lift.discover.contract import discover
from lift.discover.recorders import recorded
from lift.discover.state import find
from lift.unroll.extract import Lift, extract
from lift.unroll.machine import Machine, with_deep_recursion
from lift.verilog import read

RTL = Path(__file__).resolve().parents[2] / "rtl" / "gemmini"


def lift_of(paths: list[Path], top: str, parameters: dict[str, int] | None = None) -> Lift:
    """Everything from Verilog to update functions."""

    def work() -> Lift:
        netlist = read(paths, top, parameters=parameters or {}, assertions=True)
        contract = discover(netlist)
        assert contract.command is not None
        found = decoder(netlist, contract.command) or (only(contract.command) if contract.command.held else None)
        assert found is not None
        return extract(find(Machine(recorded(netlist, contract)), contract, found))

    return with_deep_recursion(work)
