"""Malformed .taidl files: each error once, with its place and what to do.  Expected text is in taidl/<name>.txt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from act.taidl import TaidlErrors, load

FILES = sorted((Path(__file__).parent / "taidl").glob("*.taidl"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_malformed_file_is_rejected_with_its_errors(file: Path, golden: Callable[[Path | str, str], None]) -> None:
    with pytest.raises(TaidlErrors) as error:
        load(file.read_text(), file.name)
    golden(f"taidl/{file.stem}.txt", f"{error.value}\n")
