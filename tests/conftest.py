"""What all tests share: repeatable examples, and golden files, compared by default and rewritten by `--update-golden`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, and no verdict that depends on the load of the machine.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files with what the tests see")


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing that other runs of the tools have left is used, and nothing is left behind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path | str, str], None]:
    """`golden(path, text)` demands that the file at `path`, relative to the test file, contains exactly `text`."""

    def compare(path: Path | str, text: str) -> None:
        file = request.path.parent / path
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        assert file.exists(), f"{file} is missing; write it with --update-golden"
        assert text == file.read_text()

    return compare
