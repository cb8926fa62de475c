"""A pipeline's text to its netlist."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.netlist.model import Netlist
from lift.verilog import read
from tests.lift.unroll.pipelines import Reader


@pytest.fixture
def design(tmp_path: Path) -> Reader:
    def reader(text: str) -> Netlist:
        file = tmp_path / "pipeline.v"
        file.write_text(text)
        return read([file], "Pipeline")

    return reader
