"""What holds of the project as a whole: the documented commands exist, the two halves stay apart, nothing in them names an accelerator."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
SCRIPTS: dict[str, str] = PROJECT["scripts"]


def tracked(*patterns: str) -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "--", *patterns], cwd=REPOSITORY, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [REPOSITORY / line for line in listing.stdout.splitlines() if (REPOSITORY / line).exists()]


def imported(file: Path) -> set[str]:
    """The top-level names of all modules that `file` imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        match node:
            case ast.Import():
                names |= {alias.name for alias in node.names}
            case ast.ImportFrom(module=str(module), level=0):
                names |= {f"{module}.{alias.name}" for alias in node.names}
    return names


def documented_commands() -> set[str]:
    return set(re.findall(r"^    (tensorlift\S*|act-\S+) ", (REPOSITORY / "README.md").read_text(), re.MULTILINE))


def makefile_targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("command", sorted(SCRIPTS))
def test_every_console_script_has_its_function(command: str) -> None:
    module, _, function = SCRIPTS[command].partition(":")
    assert find_spec(module), f"{module} does not exist"
    subprocess.run([sys.executable, "-c", f"from {module} import {function}"], cwd=REPOSITORY, check=True)


@pytest.mark.parametrize("command", sorted(SCRIPTS))
def test_every_command_has_help(command: str) -> None:
    outcome = subprocess.run([Path(sys.executable).with_name(command), "--help"], capture_output=True, text=True)
    assert (outcome.returncode, "usage:" in outcome.stdout) == (0, True)


def test_readme_shows_commands_that_exist() -> None:
    assert documented_commands() and documented_commands() <= set(SCRIPTS)


def test_documents_name_make_targets_that_exist() -> None:
    text = "".join(file.read_text() for file in tracked("*.md"))
    assert set(re.findall(r"(?:`|^    )make ([a-z-]+)", text, re.MULTILINE)) <= makefile_targets()


def test_readme_names_files_that_exist() -> None:
    text = (REPOSITORY / "README.md").read_text()
    paths = re.findall(r"\b((?:rtl|lift|act|isas|proofs|examples|scripts|docs)/[\w/.]*\w)", text)
    assert [path for path in paths if not (REPOSITORY / path).exists() and not path.startswith("isas/generated/<")] == []


def test_act_never_imports_lift() -> None:
    assert [file for file in tracked("act/*.py") for name in imported(file) if name.split(".")[0] == "lift"] == []


def test_lift_imports_of_act_only_the_language_between_them() -> None:
    """And, to compare two texts by what they do, the oracle of that language."""
    foreign = {(file, name) for file in tracked("lift/*.py") for name in imported(file) if name.split(".")[0] == "act"}
    others = {(str(file.relative_to(REPOSITORY)), name) for file, name in foreign if not name.startswith(("act.taidl", "act.hlo"))}
    assert {entry for entry in others if not (entry[0] == "lift/diff/witness.py" and entry[1].startswith("act.oracle"))} == set()


@pytest.mark.parametrize("half", ["lift", "act"])
def test_no_accelerator_is_named(half: str) -> None:
    names = re.compile(r"gemmini|\bvta\b", re.IGNORECASE)
    assert [file for file in tracked(f"{half}/*.py") if names.search(file.read_text())] == []


def test_every_package_has_a_readme() -> None:
    packages = {file.parent for file in tracked("lift/*/*.py", "act/*/*.py")}
    assert sorted(str(package.relative_to(REPOSITORY)) for package in packages if not (package / "README.md").exists()) == []


def test_generated_files_say_so_in_their_first_line() -> None:
    files = tracked("isas/generated/*")
    assert [file for file in files if "Do not edit" not in file.read_text().split("\n", 1)[0]] == []


def test_continuous_integration_runs_the_tests() -> None:
    assert "make test" in (REPOSITORY / ".ci" / "run").read_text()
