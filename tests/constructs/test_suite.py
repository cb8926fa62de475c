"""Every module means the same to both readers, Icarus Verilog, Verilator and yosys, on random inputs."""

from __future__ import annotations

import shutil
from collections.abc import Mapping

import pytest

from tests.constructs import netlists, simulators, smt, suite
from tests.constructs.bench import Case, Trace

CASES = {case.name: case for case in suite.cases()}
READ = [(reader, name) for reader in suite.READERS for name in CASES]
UNDEFINED = [name for name in CASES if name.startswith("undefined_")]
# Whose outputs are undefined at almost all times.
HARDLY_COMPARED = {"undefined_constant_quotient", "undefined_register", "undefined_port", "undefined_bit", "undefined_bit_of_ascending"}
Traces = Mapping[str, Trace]


@pytest.fixture(scope="module")
def icarus(tmp_path_factory: pytest.TempPathFactory) -> Traces:
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog")
    return simulators.icarus(list(CASES.values()), suite.FILES, tmp_path_factory.mktemp("icarus"))


@pytest.fixture(scope="module")
def verilator(tmp_path_factory: pytest.TempPathFactory) -> Traces:
    if shutil.which("verilator") is None:
        pytest.skip("needs verilator")
    return simulators.verilator(list(CASES.values()), suite.FILES, tmp_path_factory.mktemp("verilator"))


@pytest.fixture(scope="module")
def yosys(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    if shutil.which("yosys") is None:
        pytest.skip("needs yosys")
    return smt.models(list(CASES.values()), suite.FILES, tmp_path_factory.mktemp("yosys"))


@pytest.fixture
def expected(icarus: Traces, request: pytest.FixtureRequest) -> Traces:
    """The reference of each case."""
    if not any(tool == "icarus" for tool, _ in suite.KNOWN_FAULTS):
        return icarus
    others: Traces = request.getfixturevalue("verilator")
    return {name: others[name] if ("icarus", name) in suite.KNOWN_FAULTS else icarus[name] for name in CASES}


def test_there_are_more_than_a_hundred_modules() -> None:
    assert len(CASES) > 150


@pytest.mark.parametrize(("reader", "name"), READ)
def test_netlist_agrees(reader: str, name: str, expected: Traces) -> None:
    found = netlists.trace(suite.netlist(reader, name), CASES[name].rows)
    wrong = netlists.differences(CASES[name], expected[name], found)
    assert not wrong, "\n".join(wrong[:5])


@pytest.mark.parametrize(("reader", "name"), [(r, n) for r, n in READ if n in UNDEFINED])
def test_what_is_undefined_in_the_source_is_undefined_in_the_netlist(reader: str, name: str, icarus: Traces) -> None:
    found = netlists.trace(suite.netlist(reader, name), CASES[name].rows, random_choices=12)
    wrong = netlists.differences(CASES[name], icarus[name], found, unknown=True)
    assert not wrong, "\n".join(wrong[:5])


@pytest.mark.parametrize("name", CASES)
def test_enough_is_compared(name: str, expected: Traces) -> None:
    assert netlists.compared(CASES[name], expected[name]) >= 40 or name in HARDLY_COMPARED


@pytest.mark.parametrize("name", [n for n in CASES if ("verilator", n) not in suite.KNOWN_FAULTS and ("icarus", n) not in suite.KNOWN_FAULTS])
def test_verilator_agrees(name: str, icarus: Traces, verilator: Traces) -> None:
    wrong = netlists.differences(CASES[name], icarus[name], verilator[name])
    assert not wrong, "\n".join(wrong[:5])


@pytest.mark.parametrize("name", [n for n in CASES if ("yosys", n) not in suite.KNOWN_FAULTS])
def test_yosys_agrees(name: str, expected: Traces, yosys: Mapping[str, str]) -> None:
    assert smt.difference(CASES[name], yosys[name], expected[name]) is None


def one_bit_off(case: Case, trace: Trace) -> Trace:
    """`trace` with the last known bit of the last cycle inverted."""
    name, digits = next((n, d) for n, d in reversed(trace[-1].items()) if d[-1] in "01")
    return [*trace[:-1], {**trace[-1], name: digits[:-1] + {"0": "1", "1": "0"}[digits[-1]]}]


def test_a_wrong_bit_is_seen(icarus: Traces, yosys: Mapping[str, str]) -> None:
    case = CASES["sign_of_sum"]
    wrong = one_bit_off(case, icarus[case.name])
    assert netlists.differences(case, wrong, icarus[case.name])
    assert smt.difference(case, yosys[case.name], wrong)
