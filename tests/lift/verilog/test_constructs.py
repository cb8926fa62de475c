"""Every construct means what Icarus Verilog computes for it, on random inputs, for both readers."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.netlist.model import Netlist
from lift.verilog import read
from tests.lift.verilog import icarus

FOLDER = Path(__file__).parent / "constructs"
FILES = sorted(FOLDER.glob("*.v"))
CASES = [(frontend, file.stem) for frontend in ("slang", "pyverilog") for file in FILES]
Results = dict[str, tuple[list[dict[str, int]], list[dict[str, str]]]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    icarus.require()
    netlists: dict[str, Netlist] = {file.stem: read([file], file.stem) for file in FILES}
    runs = {name: (netlist, icarus.vectors(netlist, seed)) for seed, (name, netlist) in enumerate(netlists.items())}
    expected = icarus.simulate(FILES, runs, tmp_path_factory.mktemp("constructs"))
    return {name: (runs[name][1], expected[name]) for name in runs}


@pytest.mark.parametrize(("frontend", "name"), CASES)
def test_construct_agrees_with_icarus(frontend: str, name: str, results: Results) -> None:
    netlist = read([FOLDER / f"{name}.v"], name, frontend=frontend)
    rows, expected = results[name]
    wrong, compared = icarus.differences(netlist, rows, expected)
    assert not wrong, "\n".join(wrong[:5])
    assert compared > 50
