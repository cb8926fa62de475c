"""Every construct means what Icarus Verilog computes for it, on random inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.netlist.model import Netlist
from lift.verilog import read
from tests.lift.verilog import icarus

FILES = sorted((Path(__file__).parent / "constructs").glob("*.v"))
Results = dict[str, tuple[Netlist, list[dict[str, int]], list[dict[str, str]]]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    icarus.require()
    netlists = {file.stem: read([file], file.stem) for file in FILES}
    runs = {name: (netlist, icarus.vectors(netlist, seed)) for seed, (name, netlist) in enumerate(netlists.items())}
    expected = icarus.simulate(FILES, runs, tmp_path_factory.mktemp("constructs"))
    return {name: (*runs[name], expected[name]) for name in runs}


@pytest.mark.parametrize("name", [file.stem for file in FILES])
def test_construct_agrees_with_icarus(name: str, results: Results) -> None:
    netlist, rows, expected = results[name]
    wrong, compared = icarus.differences(netlist, rows, expected)
    assert not wrong, "\n".join(wrong[:5])
    assert compared > 50
