"""The account of the proofs is right: every test is of some step, and a failure is never counted as proved."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from proofs.claims import FILES, STEPS, claims_of, second_solver, step_of
from proofs.table import BEGIN, END, README, table
from proofs.test_vta_lifted import EFFECTS, PAIRS
from proofs.workers import scope_of

HERE = Path(__file__).parent
TESTS = [(p.stem, n.name) for p in sorted(HERE.glob("test_*.py")) for n in ast.parse(p.read_text()).body if isinstance(n, ast.FunctionDef)]
NAMES = {f"{file}.{function}" for file, function in TESTS if function.startswith("test_")}


def test_every_test_is_of_a_step() -> None:
    missing = [name for name in NAMES if name.partition(".")[0] != "test_claims" and name not in STEPS and name.partition(".")[0] not in FILES]
    assert not missing


def test_no_step_is_of_a_test_that_is_gone() -> None:
    assert set(STEPS) <= NAMES


@pytest.mark.parametrize(
    ("outcome", "text", "result"),
    [
        ("passed", "", "proved"),
        ("skipped", "", "not run"),
        ("failed", "Undecided: ...", "unknown"),
        ("failed", "Refuted: ...", "refuted"),
        ("failed", "", "failed"),
    ],
)
def test_only_what_passed_is_proved(outcome: str, text: str, result: str) -> None:
    name = "proofs/test_passes.py::test_every_application_is_proved[gemmini-mvin-mem-DIM4]"
    (claim,) = claims_of(name, outcome, 1.0, {"parameters": {"dim": 4, "instruction": "mvin", "target": "mem"}}, text)
    assert (claim["result"], claim["instruction"], claim["effect"], claim["dim"]) == (result, "mvin", "mem", 4)


def test_an_execution_is_tested_and_a_refutation_is_neither() -> None:
    assert step_of("test_passes.test_the_lifted_function_does_what_the_unlifted_one_does").kind == "tested"
    assert step_of("test_mutations.test_a_mutation_of_the_rtl_is_refuted").kind == "can fail"


def test_a_claim_that_was_not_proved_keeps_its_result() -> None:
    name = "proofs/test_specification.py::test_the_specification_does_what_was_lifted[x]"
    made = [{"instruction": "a", "result": "proved"}, {"instruction": "b", "result": "unknown"}]
    assert [c["result"] for c in claims_of(name, "failed", 1.0, {"claims": made})] == ["proved", "unknown"]


def test_a_failure_outside_of_the_recorded_claims_is_one_of_its_own() -> None:
    name = "proofs/test_specification.py::test_the_specification_does_what_was_lifted[x]"
    made = [{"instruction": "a", "result": "proved"}, {"instruction": "b", "result": "proved"}]
    assert [c["result"] for c in claims_of(name, "failed", 1.0, {"claims": made})] == ["proved", "proved", "failed"]


def test_what_a_second_solver_was_asked_is_counted_once_a_test() -> None:
    counted = {"agreed": 2, "unknown": 1, "alone": 0}
    assert second_solver([{"test": "a", "second": counted}, {"test": "a", "second": counted}, {"test": "b", "second": counted}]) == {
        "agreed": 4, "unknown": 2, "alone": 0,
    }  # fmt: skip
    assert second_solver([{"test": "a"}]) == {}


@pytest.mark.parametrize("page", ["README.md", "OVERLAP.md"])
def test_every_test_that_a_page_names_exists(page: str) -> None:
    files = [*HERE.glob("test_*.py"), *(HERE.parent / "tests").rglob("test_*.py")]
    known = {p.stem for p in files} | {n.name for p in files for n in ast.parse(p.read_text()).body if isinstance(n, ast.FunctionDef)}
    named = {word for each in re.findall(r"`([^`]+)`", (HERE / page).read_text()) for word in re.findall(r"test_\w+", each)}
    assert named and named <= known


def test_the_table_in_the_readme_is_what_the_tests_claim() -> None:
    """`python -m proofs.table` writes it anew."""
    assert f"{BEGIN}{table()}{END}" in README.read_text()


def test_two_workers_share_the_instructions_of_the_longest_file_and_every_other_file_is_of_one() -> None:
    about = {i: {scope_of(f"proofs/test_vta_lifted.py::test_x[vta-{n}-{t}]") for n, t in PAIRS if n == i} for i in EFFECTS}
    assert all(len(scopes) == 1 for scopes in about.values())
    assert len(set[str]().union(*about.values())) == 2
    assert scope_of("proofs/test_pe.py::test_x[vta-gemm-a]") == scope_of("proofs/test_pe.py::test_y[vta-store-a]") == "proofs/test_pe.py"
